#include "tests/numeric/tiles/Barriers.h"

#include <fmt/format.h>

using namespace kiln::numeric::tiles;

void MBarrier::arrive(const Clock &clock) {
  if (missing == 0)
    throw Fault(fmt::format("more arrive at {} than it counts: {} in phase {}", name, arrivals, completed));
  coming.join(clock);
  --missing;
  endPhase();
}

void MBarrier::complete(int64_t bytes) {
  expected -= bytes;
  endPhase();
}

void MBarrier::endPhase() {
  if (missing != 0 || expected != 0) return;
  done.join(coming);
  missing = arrivals;
  ++completed;
  done.see(component, static_cast<uint32_t>(completed));
}

bool MBarrier::hasCompleted(int64_t phase) const {
  if ((completed & 1) == (phase & 1)) return false;
  if (completed != phase + 1)
    throw Fault(
        fmt::format("a wait for phase {} of {} is let through by the end of phase {}", phase, name, completed - 1));
  return true;
}

std::string MBarrier::state() const {
  return fmt::format("phase {}, {} of {} arrivals and {} bytes missing", completed, missing, arrivals, expected);
}

int64_t Meeting::arrive(const Clock &clock) {
  coming.join(clock);
  int64_t ticket = ended;
  if (++arrived == members) {
    done.join(coming);
    arrived = 0;
    ++ended;
  }
  return ticket;
}

void Turns::pass(int64_t group, const Clock &clock) {
  auto g = static_cast<size_t>(group);
  if (passed[g]) throw Fault(fmt::format("consumer {} is passed a turn while it has not taken the one before", group));
  passed[g] = true;
  before[g].arrive(clock);
}
