// Who goes next, and when asynchronous copies land: as unkindly as is allowed, and the same again for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace kiln::numeric::tiles {

class Adversary {
public:
  /// Of three seeds in a row one lands copies at once, one as late as it may, one now and then, some of them last.
  explicit Adversary(uint64_t seed);

  /// The order in which agents are asked whether they can go on.
  std::vector<size_t> orderOf(size_t agents);
  /// Bits that a program must not depend on.
  uint64_t garbage() { return random(); }

  /// A copy has been started, and does this when it lands.
  void start(std::function<void()> land);
  /// Lands some copies; with `must`, at least one. Returns whether any has landed.
  bool land(bool must);
  bool hasCopies() const { return !copies.empty(); }

private:
  enum class Mood { Early, Late, Random };
  struct Copy {
    std::function<void()> land;
    bool last; ///< only where nothing else can happen
  };
  std::mt19937_64 random;
  Mood mood;
  std::vector<Copy> copies;
  std::vector<uint64_t> priorities; ///< of agents, drawn again now and then

  bool oneIn(uint64_t n) { return random() % n == 0; }
  void landAt(size_t i);
};

} // namespace kiln::numeric::tiles
