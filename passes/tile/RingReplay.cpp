#include "passes/tile/RingReplay.h"

#include "ir/tile/Rules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kiln::tile {

using namespace mlir;

namespace {

/// What is known to have happened, as counts that only grow: how often each slot's copies have come, and how often each
/// role has waited for them.
class Knowledge {
public:
  int64_t of(size_t what) const { return what < times.size() ? times[what] : 0; }
  void set(size_t what, int64_t count) {
    if (what >= times.size()) times.resize(what + 1, 0);
    times[what] = count;
  }
  void learn(const Knowledge &other) {
    if (times.size() < other.times.size()) times.resize(other.times.size(), 0);
    for (auto [mine, theirs] : llvm::zip(times, other.times)) mine = std::max(mine, theirs);
  }

private:
  std::vector<int64_t> times;
};

struct Slot {
  size_t number;                             ///< of all slots
  int64_t stage;                             ///< of its ring's
  int64_t stages;                            ///< that its ring has
  int64_t readers;                           ///< of its ring
  int64_t filled = 0, waited = 0, freed = 0; ///< so often
  int64_t releases = 0;                      ///< since it was freed
  Knowledge full, empty;                     ///< what who fills it knows, and who releases it

  int64_t iterationOf(int64_t round) const { return round * stages + stage; }
};

struct Turns {
  SmallVector<int64_t> passed; ///< to each consumer, and not taken
  Knowledge known;
};

/// Who goes through a trace, and how far.
struct Role {
  const PipelineTrace *trace = nullptr;
  size_t number = 0;
  size_t next = 0;
  Knowledge known;

  bool hasEnded() const { return next == trace->steps.size(); }
};

class Replay {
public:
  explicit Replay(ArrayRef<PipelineTrace> traces) {
    for (const PipelineTrace &trace : traces) {
      roles.push_back({.trace = &trace, .number = roles.size()});
      for (const PipelineEvent &step : trace.steps)
        if (stepOf(step.op) == PipelineStep::Wait && step.number >= 0)
          waits[{step.op->getOperand(0), step.number}].push_back(roles.size() - 1);
    }
  }

  std::optional<Finding> run() {
    if (roles.empty()) return std::nullopt;
    // All together, then each role.
    auto parted = MutableArrayRef(roles).drop_front();
    if (!goOn(MutableArrayRef(roles).take_front())) return finding;
    for (Role &role : parted) role.known = roles.front().known;
    if (!goOn(parted)) return finding;
    findUnread();
    return finding;
  }

private:
  using Iteration = std::pair<Value, int64_t>; ///< of a ring
  SmallVector<Role> roles;
  llvm::DenseMap<Iteration, SmallVector<size_t, 2>> waits; ///< roles that wait for it at some time
  llvm::DenseMap<Iteration, size_t> numbers;               ///< of slots, by ring and stage
  std::deque<Slot> slots;
  llvm::DenseMap<Operation *, Turns> turns;
  std::optional<Finding> finding;

  enum class Outcome { Done, Blocked, Wrong };

  /// Runs roles until all have ended; false if something is wrong, or it is not known how they go on.
  bool goOn(MutableArrayRef<Role> together) {
    for (bool any = true; any;) {
      any = false;
      for (Role &role : together)
        while (!role.hasEnded()) {
          Outcome outcome = step(role);
          if (outcome == Outcome::Wrong) return false;
          if (outcome == Outcome::Blocked) break;
          any = true;
          ++role.next;
        }
    }
    auto isLost = [](const Role &role) { return role.hasEnded() && !role.trace->isWhole; };
    if (llvm::any_of(together, isLost)) return false;
    findStuck(together);
    return !finding;
  }

  Outcome wrong(Operation *op, ir::Violation violation) {
    finding = {op, std::move(violation)};
    return Outcome::Wrong;
  }

  Outcome step(Role &role) {
    const PipelineEvent &step = role.trace->steps[role.next];
    if (isa<scf::ForOp>(step.op)) return endless(step);
    PipelineStep kind = *stepOf(step.op);
    if (kind == PipelineStep::OrderWait) return takeTurn(role, step);
    if (kind == PipelineStep::OrderArrive) return passTurn(role, step);
    if (step.number < 0)
      return wrong(step.op, {"", "iterations of a ring count from 0", "0 or more",
                             fmt::format("{}, by {}", step.number, role.trace->name),
                             "a condition that leaves out what comes before the first"});
    if (kind == PipelineStep::Fill) return fill(role, step);
    return kind == PipelineStep::Wait ? wait(role, step) : release(role, step);
  }

  //===- Rings ----------------------------------------------------------------------------------------------------===//

  Slot &slotOf(const PipelineEvent &step) {
    Value ring = step.op->getOperand(0);
    int64_t stages = cast<RingType>(ring.getType()).getStages(), stage = step.number % stages;
    auto [found, isNew] = numbers.try_emplace({ring, stage}, slots.size());
    if (isNew) {
      auto readers = static_cast<int64_t>(allocOf(ring).getReaders().value_or(1));
      slots.push_back({.number = slots.size(), .stage = stage, .stages = stages, .readers = readers});
    }
    return slots[found->second];
  }
  static int64_t roundOf(const PipelineEvent &step, const Slot &slot) { return step.number / slot.stages; }

  /// Facts to know of a slot: that copies have come, and that a role has waited for them.
  size_t hasCome(const Slot &slot) const { return slot.number * (roles.size() + 1); }
  size_t hasWaited(const Slot &slot, size_t role) const { return hasCome(slot) + 1 + role; }

  Outcome fill(Role &role, const PipelineEvent &step) {
    Slot &slot = slotOf(step);
    int64_t round = roundOf(step, slot);
    if (round != slot.filled)
      return wrong(step.op, {"", "a slot's iterations are filled one after the other, each once",
                             fmt::format("iteration {} in slot {} of {}", slot.iterationOf(slot.filled), slot.stage,
                                         slot.stages),
                             fmt::format("iteration {}", step.number),
                             "iterations that go on counting from tile to tile, and from loop to loop"});
    if (slot.freed < round) return Outcome::Blocked;
    role.known.learn(slot.empty);
    if (const Role *late = whoIsLate(role, slot, step))
      return wrong(step.op,
                   {"", "a slot is filled again when all who wait for it have come",
                    fmt::format("a release of iteration {} by {}", step.number - slot.stages, late->trace->name),
                    fmt::format("iteration {} filled without", step.number),
                    "as many `readers` as consumers that wait, each of which releases"});
    ++slot.filled;
    slot.full = role.known;
    slot.full.set(hasCome(slot), slot.filled);
    return Outcome::Done;
  }

  /// Who waits for the iteration before, and may do so after this fill; null if there is none.
  const Role *whoIsLate(const Role &filling, const Slot &slot, const PipelineEvent &step) {
    auto before = waits.find({step.op->getOperand(0), step.number - slot.stages});
    if (before == waits.end()) return nullptr;
    for (size_t waiting : before->second)
      if (filling.known.of(hasWaited(slot, waiting)) < roundOf(step, slot)) return &roles[waiting];
    return nullptr;
  }

  Outcome wait(Role &role, const PipelineEvent &step) {
    Slot &slot = slotOf(step);
    int64_t round = roundOf(step, slot);
    if (role.known.of(hasCome(slot)) < round)
      return wrong(step.op, {"", "who waits for an iteration knows that the slot's one before has come",
                             fmt::format("a wait for iteration {} before", step.number - slot.stages),
                             fmt::format("iteration {} waited for by {}, which did not", step.number, role.trace->name),
                             "as many slots that each is always the same consumers', or turns"});
    if (slot.filled <= round) return Outcome::Blocked;
    role.known.learn(slot.full);
    role.known.set(hasWaited(slot, role.number), round + 1);
    slot.waited = std::max(slot.waited, round + 1);
    return Outcome::Done;
  }

  Outcome release(Role &role, const PipelineEvent &step) {
    Slot &slot = slotOf(step);
    int64_t round = roundOf(step, slot);
    slot.releases += role.trace->warpgroups;
    if (round < slot.freed || slot.releases > slot.readers)
      return wrong(step.op, {"", "an iteration is released by as many warpgroups as the ring has `readers`",
                             fmt::format("{}", slot.readers),
                             fmt::format("one more of iteration {}, by {}", step.number, role.trace->name),
                             "as many `readers` as consumers that release it"});
    if (round > slot.freed)
      return wrong(step.op, {"", "a slot's iterations are released one after the other",
                             fmt::format("iteration {} first", slot.iterationOf(slot.freed)),
                             fmt::format("iteration {}, by {}", step.number, role.trace->name),
                             "a release of each iteration that is waited for, behind its wait"});
    slot.empty.learn(role.known);
    if (slot.releases == slot.readers) {
      ++slot.freed;
      slot.releases = 0;
    }
    return Outcome::Done;
  }

  //===- Turns ----------------------------------------------------------------------------------------------------===//

  Turns &turnsOf(Operation *op) {
    Operation *alloc = op->getOperand(0).getDefiningOp();
    Turns &found = turns[alloc];
    if (found.passed.empty()) {
      found.passed.assign(static_cast<size_t>(cast<TurnsType>(op->getOperand(0).getType()).getGroups()), 0);
      found.passed.front() = 1;
    }
    return found;
  }

  Outcome takeTurn(Role &role, const PipelineEvent &step) {
    Turns &mine = turnsOf(step.op);
    int64_t &passed = mine.passed[static_cast<size_t>(role.trace->consumer)];
    if (passed == 0) return Outcome::Blocked;
    --passed;
    role.known.learn(mine.known);
    return Outcome::Done;
  }

  Outcome passTurn(Role &role, const PipelineEvent &step) {
    Turns &mine = turnsOf(step.op);
    size_t next = static_cast<size_t>(role.trace->consumer + 1) % mine.passed.size();
    mine.known.learn(role.known);
    if (++mine.passed[next] == 1) return Outcome::Done;
    return wrong(step.op, {"", "a turn is passed to a consumer that has taken the one before",
                           fmt::format("a tile.take_turn by consumer {} before", next),
                           fmt::format("a second turn, passed by {}", role.trace->name),
                           "a tile.take_turn before each tile.pass_turn"});
  }

  //===- Ends -----------------------------------------------------------------------------------------------------===//

  Outcome endless(const PipelineEvent &step) {
    bool turns = step.number > 0;
    return wrong(step.op, {"", "a loop ends", turns ? "fewer than 2^31 turns" : "a step of at least 1",
                           turns ? fmt::format("{} turns", step.number) : fmt::format("a step of {}", step.number),
                           turns ? "bounds that do not become less than 0: floordiv and ceildiv take them for large"
                                 : "`step` of a positive constant, or of tile.cta_count"});
  }

  std::string spell(const Role &role) {
    const PipelineEvent &step = role.trace->steps[role.next];
    if (stepOf(step.op) == PipelineStep::OrderWait) return fmt::format("{} for its turn", role.trace->name);
    if (stepOf(step.op) == PipelineStep::Wait)
      return fmt::format("{} for the copies of iteration {}", role.trace->name, step.number);
    const Slot &slot = slotOf(step);
    return fmt::format("{} for the release of iteration {} ({} of {} readers did)", role.trace->name,
                       step.number - slot.stages, slot.releases, slot.readers);
  }

  void findStuck(ArrayRef<Role> together) {
    std::vector<std::string> waits;
    Operation *first = nullptr;
    for (const Role &role : together) {
      if (role.hasEnded()) continue;
      waits.push_back(spell(role));
      if (!first) first = role.trace->steps[role.next].op;
    }
    if (!first) return;
    finding = {first,
               {"", "who waits at a ring goes on in the end",
                "a fill for each wait, and `readers` releases for each fill",
                fmt::format("{} {} for ever", fmt::join(waits, ", "), waits.size() == 1 ? "waits" : "wait"),
                "the same iterations in all roles: loops of the same bounds, and as many `readers` as release"}};
  }

  /// Copies that nobody waits for land in the memory of whoever comes after.
  void findUnread() {
    for (const Role &role : roles)
      for (const PipelineEvent &step : role.trace->steps) {
        if (stepOf(step.op) != PipelineStep::Fill) continue;
        const Slot &slot = slotOf(step);
        if (slot.waited > roundOf(step, slot)) continue;
        finding = {step.op,
                   {"", "what is filled is waited for before a CTA ends", "a tile.ring_wait for each fill",
                    fmt::format("none for iteration {}", step.number),
                    "the same iterations in all roles: loops of the same bounds"}};
        return;
      }
  }
};

} // namespace

std::optional<Finding> replayRings(ArrayRef<PipelineTrace> traces) { return Replay(traces).run(); }

} // namespace kiln::tile
