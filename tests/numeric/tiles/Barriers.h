// What agents wait at: barriers in shared memory that count arrivals and bytes, and barriers that a number of agents
// meet at. Each passes on what those who arrived have seen.
#pragma once

#include "tests/numeric/tiles/SharedMemory.h"

#include <optional>

namespace kiln::numeric::tiles {

/// A barrier in shared memory. Phases are counted from 0; hardware knows the parity of the current one alone.
class MBarrier {
public:
  /// `arrivals` complete a phase, once all bytes announced have come. `component` stands for the copies that signal it.
  MBarrier(std::string name, int64_t arrivals, int component)
      : name(std::move(name)), arrivals(arrivals), missing(arrivals), component(component) {}

  void arrive(const Clock &clock);
  void announce(int64_t bytes) { expected += bytes; }
  void complete(int64_t bytes);
  /// As what a copy that signals the barrier now is known: by its completion of the current phase.
  Access copy() const { return {component, static_cast<uint32_t>(completed + 1)}; }

  int64_t phasesCompleted() const { return completed; }
  /// Whether a wait for the end of phase `phase` goes on: it does where parities say so. Throws Fault where they do,
  /// and it is another phase that has ended.
  bool hasCompleted(int64_t phase) const;
  /// What the end of the last phase has seen.
  const Clock &clock() const { return done; }
  /// "phase 3, 1 of 2 arrivals and 512 bytes missing".
  std::string state() const;

private:
  std::string name;
  int64_t arrivals, missing, expected = 0, completed = 0;
  int component;
  Clock coming, done;

  void endPhase();
};

/// A barrier that a number of agents meet at, some of which only arrive.
class Meeting {
public:
  explicit Meeting(int64_t members) : members(members) {}
  /// Returns the ticket with which to wait.
  int64_t arrive(const Clock &clock);
  bool isOver(int64_t ticket) const { return ended > ticket; }
  const Clock &clock() const { return done; }
  int64_t here() const { return arrived; }

private:
  int64_t members, arrived = 0, ended = 0;
  Clock coming, done;
};

/// Turns of a few consumers: before each stands a meeting of it and the one before.
struct Turns {
  std::vector<Meeting> before;
  std::vector<bool> passed; ///< the one before has passed the turn, and it was not taken yet

  explicit Turns(int64_t groups)
      : before(static_cast<size_t>(groups), Meeting(2)), passed(static_cast<size_t>(groups)) {}
  /// Consumer `group`'s turn comes. Throws Fault if it has come before and was not taken.
  void pass(int64_t group, const Clock &clock);
};

} // namespace kiln::numeric::tiles
