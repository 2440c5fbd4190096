// An agent's place in the program: blocks, branches and loops, of which warps take part as their own values say.
#include "tests/numeric/tiles/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

/// The fault, with who met it where.
static Fault at(const Fault &fault, const Agent &agent, Operation *op) {
  if (std::string_view(fault.what()).find('\n') != std::string_view::npos) return fault;
  return Fault(fmt::format("{}\n  CTA {}{}{}, in {}", fault.what(), agent.cta.number, agent.name.empty() ? "" : ", ",
                           agent.name, spell(op)));
}

void Agent::enterKernel(tile::KernelOp kernel) {
  const Launch &launch = cta.cluster.program.launch;
  uint64_t memory = 0;
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    bool isMemory = isa<tile::GlobalType>(argument.getType());
    auto scalar = launch.scalars.find(static_cast<unsigned>(i));
    if (!isMemory && scalar == launch.scalars.end()) throw Refused(fmt::format("argument {} has no value", i));
    Bits &bits = make(argument);
    std::fill(bits.begin(), bits.end(), isMemory ? memory++ : scalar->second);
  }
  enter(kernel.getBody().front(), nullptr, std::nullopt);
}

void Agent::enter(Block &block, const Agent *from, std::optional<uint64_t> argument) {
  if (from) {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(*block.getParent(), used);
    for (Value value : used) take(value, *from);
  }
  if (argument) {
    Bits &bits = make(block.getArgument(0));
    std::fill(bits.begin(), bits.end(), *argument);
  }
  frames.push_back({&block, block.begin()});
}

std::string Agent::waitsFor() const {
  return fmt::format("{}\n    in {}", waiting.empty() ? "nothing" : waiting, spell(&*frames.back().next));
}

bool Agent::advance() {
  bool any = false;
  while (!frames.empty()) {
    Frame &frame = frames.back();
    bool isEnd = frame.next == frame.block->end() || frame.next->hasTrait<OpTrait::IsTerminator>();
    if (isEnd) {
      endBlock();
      any = true;
      continue;
    }
    Operation *op = &*frame.next;
    try {
      if (isa<scf::IfOp>(op)) {
        startIf(op);
      } else if (isa<scf::ForOp>(op)) {
        startFor(op);
      } else {
        const Row &row = cta.cluster.program.rowOf(op);
        if (row.isNoticed && any) return true;
        int64_t before = step;
        waiting = row.blocked ? row.blocked(*this, op) : "";
        if (!waiting.empty()) return any || step != before;
        cta.cluster.program.count();
        row.run(*this, op);
        step = 0;
        ++frames.back().next;
        if (row.isNoticed) return true;
      }
    } catch (const Endless &) {
      throw;
    } catch (const Fault &fault) {
      throw at(fault, *this, op);
    }
    any = true;
  }
  return any;
}

void Agent::runInline(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) return;
    try {
      cta.cluster.program.rowOf(&op).run(*this, &op);
    } catch (const Fault &fault) {
      throw at(fault, *this, &op);
    }
  }
}

void Agent::assign(Value to, Value from) {
  auto known = values.find(to);
  if (known == values.end()) {
    make(to);
    known = values.find(to);
  }
  Bits &target = known->second;
  const Bits &source = of(from);
  if (target.size() != source.size()) target.assign(source.size(), 0);
  auto count = static_cast<size_t>(elementsOf(to.getType()));
  for (size_t g = 0; g < source.size() / count; ++g)
    if (isActive(to.getType(), static_cast<int64_t>(g)))
      std::copy_n(source.begin() + static_cast<int64_t>(g * count), count,
                  target.begin() + static_cast<int64_t>(g * count));
  if (isa<tile::PendingType>(to.getType())) flights[to] = Flight(flights[from]);
}

//===- Branches ---------------------------------------------------------------------------------------------------===//

void Agent::startIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  ++frames.back().next;
  frames.push_back({.block = &branch.getThenRegion().front(),
                    .next = branch.getThenRegion().front().begin(),
                    .around = op,
                    .before = active,
                    .condition = of(branch.getCondition())});
  enterSide();
}

/// Warps that go the frame's way; a side that nobody goes is over at once.
void Agent::enterSide() {
  Frame &frame = frames.back();
  auto branch = cast<scf::IfOp>(frame.around);
  Region &region = frame.isElse ? branch.getElseRegion() : branch.getThenRegion();
  bool any = false;
  for (size_t w = 0; w < active.size(); ++w)
    any |= active[w] = frame.before[w] && bool(frame.condition[w] & 1) != frame.isElse;
  if (any && !region.empty()) {
    frame.block = &region.front();
    frame.next = frame.block->begin();
    return;
  }
  if (!frame.isElse) {
    frame.isElse = true;
    return enterSide();
  }
  active = frame.before;
  frames.pop_back();
}

//===- Loops ------------------------------------------------------------------------------------------------------===//

void Agent::startFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  ++frames.back().next;
  for (auto [argument, init, result] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    assign(argument, init);
    assign(result, init);
  }
  frames.push_back({.block = loop.getBody(),
                    .next = loop.getBody()->begin(),
                    .around = op,
                    .before = active,
                    .at = of(loop.getLowerBound()),
                    .end = of(loop.getUpperBound()),
                    .step = of(loop.getStep())});
  for (size_t w = 0; w < active.size(); ++w)
    if (active[w] && static_cast<int64_t>(frames.back().step[w]) <= 0) throw Fault("a loop whose step is not positive");
  iterate();
}

/// The next iteration of those that have one, or the loop's end.
void Agent::iterate() {
  Frame &frame = frames.back();
  bool any = false;
  for (size_t w = 0; w < active.size(); ++w)
    any |= active[w] = frame.before[w] && static_cast<int64_t>(frame.at[w]) < static_cast<int64_t>(frame.end[w]);
  if (any) {
    cta.cluster.program.count();
    values[cast<scf::ForOp>(frame.around).getInductionVar()] = frame.at;
    frame.next = frame.block->begin();
    return;
  }
  active = frame.before;
  frames.pop_back();
}

void Agent::endBlock() {
  Frame &frame = frames.back();
  if (!frame.around) {
    frames.pop_back();
    return;
  }
  OperandRange yields = frame.block->getTerminator()->getOperands();
  for (auto [result, yielded] : llvm::zip(frame.around->getResults(), yields)) assign(result, yielded);
  if (auto loop = dyn_cast<scf::ForOp>(frame.around)) {
    // All results of an iteration are known before any becomes the next one's.
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) assign(argument, result);
    for (size_t w = 0; w < active.size(); ++w) frame.at[w] += frame.step[w];
    return iterate();
  }
  if (!frame.isElse) {
    frame.isElse = true;
    return enterSide();
  }
  active = frame.before;
  frames.pop_back();
}
