// A CTA's shared memory, which knows for each byte who wrote it, and who has read it since.
#pragma once

#include "tests/numeric/tiles/Clocks.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::numeric::tiles {

/// What a program did wrong.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SharedMemory {
public:
  SharedMemory(int64_t bytes, Accesses &accesses, std::string name)
      : accesses(accesses), name(std::move(name)), cells(static_cast<size_t>(bytes)) {}

  /// From now on threads may read bytes that nobody wrote, which are anything: as with the rest of a tile that a run of
  /// bytes does not fill.
  void allowGarbage(uint64_t seed) { garbage = seed | 1; }
  /// The CTA ends, having seen this. Throws Fault if something may still touch its memory.
  void end(const Clock &clock);
  bool hasEnded() const { return ended; }

private:
  friend class Accessor;
  struct Cell {
    std::byte value{};
    bool written = false;
    uint32_t writers = 0, readers = 0; ///< since it was last written
  };
  Accesses &accesses;
  std::string name;
  std::vector<Cell> cells;
  bool ended = false;
  uint64_t garbage = 0; ///< decides about bytes that nobody wrote; 0: they are not read

  Cell &cell(int64_t at);
};

/// What does one op's accesses to a CTA's shared memory: its warps, or one asynchronous copy or product.
class Accessor {
public:
  /// Who must have seen what is accessed, and as whom the access is known.
  struct Actor {
    const Clock *clock;
    Access as;
  };
  static constexpr int kAll = -1; ///< every actor, or it is not known which

  /// `byProxy`: by the asynchronous proxy, which sees threads' writes behind a fence alone.
  Accessor(SharedMemory &memory, std::vector<Actor> actors, bool byProxy)
      : memory(memory), actors(std::move(actors)), byProxy(byProxy) {}

  /// An element of `bytes` bytes, by one of the actors. Throw Fault.
  uint64_t read(int64_t at, int64_t bytes, int actor);
  void write(int64_t at, int64_t bytes, int actor, uint64_t value);
  /// As a write whose value lands later: until the actor's time is seen, nobody else touches the bytes.
  void claim(int64_t at, int64_t bytes, int actor);
  /// The value of bytes that were claimed.
  void land(int64_t at, int64_t bytes, uint64_t value);
  /// Bytes that were claimed, and are not copied: what was there, or nobody knows what.
  void leave(int64_t at, int64_t bytes, uint64_t anything);

private:
  SharedMemory &memory;
  std::vector<Actor> actors;
  bool byProxy;

  /// The last set that passed a check, or was added to, for each actor in turn.
  struct Memo {
    uint32_t set = 0, result = 0;
    int actor = -2;
  };
  std::array<Memo, 3> passed; ///< by what is checked
  Memo added, replaced;

  enum Check { ReadsWrites, WritesWrites, WritesReads };
  std::optional<int> unseen(Check check, uint32_t set, int actor);
  bool unseenWithoutFence(uint32_t set, int actor) const;
  uint32_t with(uint32_t set, int actor, Memo &memo);
  [[noreturn]] void refuse(int64_t at, const char *what, int other);
};

} // namespace kiln::numeric::tiles
