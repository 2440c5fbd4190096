// Who saw what, by vector clocks. Everything that touches shared memory on its own is a component: a warp, the copies a
// warp started, a tensor core's reads for a warpgroup, the stores a group started, the copies that signal a barrier.
// Two accesses are in a race unless the later one's clock has seen the earlier one's time, whatever order they happened
// to run in: so that a race is found without meeting the moment in which it does harm.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln::numeric::tiles {

/// What somebody has seen of each component: everything up to a time.
class Clock {
public:
  uint32_t seen(int component) const { return at(seenTimes, component); }
  /// Up to when the component's writes are behind a proxy fence that it has seen.
  uint32_t fenced(int component) const { return at(fencedTimes, component); }
  void see(int component, uint32_t time) { raise(seenTimes, component, time); }
  /// What is seen of a component is seen by asynchronous copies, too.
  void fence(int component) { raise(fencedTimes, component, seen(component)); }
  /// A component's own next time.
  void tick(int component) { see(component, seen(component) + 1); }
  /// Sees what the other has seen.
  void join(const Clock &other);

private:
  std::vector<uint32_t> seenTimes, fencedTimes; ///< by component; none is 0

  static uint32_t at(const std::vector<uint32_t> &times, int component) {
    auto c = static_cast<size_t>(component);
    return c < times.size() ? times[c] : 0;
  }
  static void raise(std::vector<uint32_t> &times, int component, uint32_t time);
};

/// One component at one time.
struct Access {
  int component = 0;
  uint32_t time = 0;
  auto operator<=>(const Access &) const = default;
};

/// The components of a cluster, and sets of their accesses, each known by a number; 0 is the empty set. A set has the
/// latest access of each component.
class Accesses {
public:
  /// `asynchronous`: its writes need no proxy fence to be seen by copies and products.
  int add(std::string name, bool asynchronous);
  const std::string &nameOf(int component) const { return components[static_cast<size_t>(component)].name; }

  uint32_t with(uint32_t set, Access access);
  /// A component of a set whose access a clock has not seen; with `byProxy`, or has not seen fenced.
  std::optional<int> unseen(uint32_t set, const Clock &clock, bool byProxy) const;

private:
  struct Component {
    std::string name;
    bool asynchronous;
  };
  std::vector<Component> components;
  std::vector<std::vector<Access>> sets{{}};
  std::map<std::vector<Access>, uint32_t> numbers;
  std::map<std::pair<uint32_t, Access>, uint32_t> made;
};

} // namespace kiln::numeric::tiles
