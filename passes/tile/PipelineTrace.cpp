#include "passes/tile/PipelineTrace.h"

#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"
#include "kiln/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

#include <fmt/format.h>

namespace kiln::tile {

using namespace mlir;

SampleLaunch sampleLaunch(KernelOp kernel, int64_t extent, int64_t sms, SampleExtents extents) {
  constexpr int64_t kMostDoublings = 16;
  SampleLaunch launch{.extents = {}, .sms = sms};
  SmallVector<StringRef> names = extentNames(kernel).takeVector(), free;
  llvm::copy_if(names, std::back_inserter(free), [&](StringRef name) { return !knownExtent(kernel, name); });
  if (extents == SampleExtents::Shrinking) std::reverse(free.begin(), free.end());
  for (StringRef name : names) {
    auto [least, most] = rangeOfExtent(kernel, name);
    auto doublings = extents == SampleExtents::Same ? 0 : std::distance(free.begin(), llvm::find(free, name));
    launch.extents[name.str()] = std::clamp(extent << std::min<int64_t>(doublings, kMostDoublings), least, most);
  }
  return launch;
}

std::optional<int64_t> gridOf(KernelOp kernel, const SampleLaunch &launch) {
  if (!kernel.getGridOf()) return static_cast<int64_t>(kernel.getGrid().value_or(0));
  try {
    Expr grid = Expr::parse(kernel.getGridOf()->str());
    Bindings bindings = launch.extents;
    auto cluster = static_cast<int64_t>(kernel.getCluster().value_or(1));
    bindings["sms"] = std::max(launch.sms / cluster, int64_t(1)) * cluster;
    return grid.evaluate(bindings);
  } catch (const Error &) {
    return std::nullopt;
  }
}

namespace {

bool isStep(Operation *op) { return stepOf(op).has_value(); }

//===- What decides -----------------------------------------------------------------------------------------------===//

/// The ops of a kernel that steps, and whether and how often they run, depend on.
class Deciders {
public:
  explicit Deciders(KernelOp kernel) {
    kernel.getBody().walk([&](Operation *op) {
      if (isStep(op)) keepStep(op);
      if (isa<scf::ForOp>(op)) keep(op);
    });
    while (!wanted.empty()) explain(wanted.pop_back_val());
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (kept.contains(op)) ops[op->getBlock()].push_back(op);
    });
  }

  ArrayRef<Operation *> in(Block &block) const {
    auto known = ops.find(&block);
    return known == ops.end() ? ArrayRef<Operation *>() : ArrayRef(known->second);
  }
  bool isNeeded(Value value) const { return needed.contains(value); }
  bool holdsSteps(Operation *op) const { return holding.contains(op); }

private:
  llvm::DenseSet<Operation *> kept, holding;
  llvm::DenseSet<Value> needed;
  SmallVector<Value> wanted;
  llvm::DenseMap<Block *, SmallVector<Operation *>> ops;

  void need(Value value) {
    if (needed.insert(value).second) wanted.push_back(value);
  }
  /// The op and those around it; loops' bounds, and conditions.
  void keep(Operation *op) {
    for (; !isa<KernelOp>(op) && kept.insert(op).second; op = op->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        for (Value bound : loop->getOperands().take_front(3)) need(bound);
      if (auto branch = dyn_cast<scf::IfOp>(op)) need(branch.getCondition());
    }
  }
  void keepStep(Operation *op) {
    keep(op);
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex()) need(operand);
    for (Operation *at = op; !isa<KernelOp>(at); at = at->getParentOp()) holding.insert(at);
  }
  void needCarried(scf::ForOp loop, unsigned i) {
    keep(loop);
    need(loop.getInits()[i]);
    need(loop.getYieldedValues()[i]);
    need(loop.getRegionIterArg(i));
  }
  /// Keeps what makes the value.
  void explain(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument != loop.getInductionVar()) needCarried(loop, argument.getArgNumber() - 1);
      return;
    }
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) return needCarried(loop, number);
    keep(op);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      need(branch.thenYield().getOperand(number));
      need(branch.elseYield().getOperand(number));
    } else if (op->getNumRegions() == 0) {
      for (Value operand : op->getOperands()) need(operand);
    }
  }
};

//===- Numbers ----------------------------------------------------------------------------------------------------===//

/// Integers that are known at one point of a run.
class Numbers {
public:
  std::optional<int64_t> of(Value value) const {
    auto known = ranges.find(value);
    std::optional<APInt> number = known == ranges.end() ? std::nullopt : known->second.getConstantValue();
    return number && number->getBitWidth() > 0 ? std::optional(number->getSExtValue()) : std::nullopt;
  }
  ConstantIntRanges rangeOf(Value value) const {
    auto known = ranges.find(value);
    return known == ranges.end() ? ConstantIntRanges::maxRange(ConstantIntRanges::getStorageBitwidth(value.getType()))
                                 : known->second;
  }
  void set(Value value, ConstantIntRanges range) { ranges.insert_or_assign(value, std::move(range)); }
  void set(Value value, int64_t number) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(value.getType());
    set(value, ConstantIntRanges::constant(APInt(bits, static_cast<uint64_t>(number), /*isSigned=*/true,
                                                 /*implicitTrunc=*/true)));
  }
  void forget(ValueRange values) {
    for (Value value : values) ranges.erase(value);
  }
  /// `to`, each as its `from`.
  void assign(ValueRange to, ValueRange from) {
    SmallVector<std::pair<Value, ConstantIntRanges>> values;
    for (auto [target, source] : llvm::zip_equal(to, from))
      if (target.getType().isIntOrIndex()) values.emplace_back(target, rangeOf(source));
    for (auto &[target, range] : values) set(target, range);
  }

private:
  llvm::DenseMap<Value, ConstantIntRanges> ranges;
};

/// The low bits, as the op says: upstream's ranges know nothing of a product that does not fit.
void multiply(arith::MulIOp op, Numbers &numbers) {
  std::optional<int64_t> l = numbers.of(op.getLhs()), r = numbers.of(op.getRhs());
  if (!l || !r) return numbers.forget(op->getResults());
  numbers.set(op.getResult(), static_cast<int64_t>(static_cast<uint64_t>(*l) * static_cast<uint64_t>(*r)));
}

/// Row and column, as the op says.
void rasterize(RasterizeOp op, Numbers &numbers) {
  auto tile = numbers.of(op.getTile()), rows = numbers.of(op.getRows()), columns = numbers.of(op.getColumns());
  auto group = static_cast<int64_t>(op.getGroup());
  if (!tile || !rows || !columns || *tile < 0 || *rows < 1 || *columns < 1 || *tile / *columns >= *rows)
    return numbers.forget(op->getResults());
  int64_t first = *tile / *columns / group * group, within = *tile - first * *columns;
  int64_t here = std::min(group, *rows - first);
  numbers.set(op.getRow(), first + within % here);
  numbers.set(op.getColumn(), within / here);
}

//===- A run ------------------------------------------------------------------------------------------------------===//

constexpr int64_t kMostOps = 3000;         // of one trace: some tiles of any program
constexpr uint64_t kMostTurns = INT32_MAX; // a loop over few extents has no more

class Tracer {
public:
  Tracer(KernelOp kernel, const SampleLaunch &launch, int64_t grid, int64_t cta)
      : kernel(kernel), launch(launch), grid(grid), cta(cta), deciders(kernel) {}

  std::vector<PipelineTrace> run() {
    std::vector<PipelineTrace> traces{{.name = "the CTA", .warpgroups = warpgroupsOf(kernel)}};
    trace(kernel.getBody().front(), traces.front());
    for (auto roles : kernel.getBody().getOps<SpecializeOp>()) {
      if (!traces.front().isWhole) break;
      Numbers before = numbers;
      traces.push_back({.name = "the producer"});
      trace(roles.getProducer().front(), traces.back());
      for (int64_t i = 0; i < static_cast<int64_t>(roles.getConsumers()); ++i) {
        numbers = before;
        numbers.set(roles.getConsumer().getArgument(0), i);
        traces.push_back({.name = fmt::format("consumer {}", i), .consumer = i});
        trace(roles.getConsumer().front(), traces.back());
      }
    }
    return traces;
  }

private:
  KernelOp kernel;
  SampleLaunch launch;
  int64_t grid, cta, left = 0;
  Deciders deciders;
  Numbers numbers;
  std::vector<PipelineEvent> steps;

  void trace(Block &block, PipelineTrace &into) {
    steps.clear();
    left = kMostOps;
    into.isWhole = run(block);
    into.steps = std::move(steps);
  }

  /// False where it is not known how it goes on.
  bool run(Block &block) {
    return llvm::all_of(deciders.in(block), [&](Operation *op) { return --left >= 0 && run(op); });
  }

  bool run(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) return runFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op)) return runIf(branch);
    if (isa<SpecializeOp>(op)) return true; // parts: a trace for each role
    if (isStep(op)) return runStep(op);
    evaluate(op);
    return !deciders.holdsSteps(op);
  }

  bool runStep(Operation *op) {
    std::optional<int64_t> number = 0;
    if (op->getNumOperands() > 1) number = numbers.of(op->getOperand(1));
    auto release = dyn_cast<RingReleaseOp>(op);
    if (release && release.getCondition()) {
      std::optional<int64_t> condition = numbers.of(release.getCondition());
      if (!condition) return false;
      if ((*condition & 1) == 0) return true;
    }
    if (number) steps.push_back({op, *number});
    return number.has_value();
  }

  void evaluate(Operation *op) {
    if (auto id = dyn_cast<CtaIdOp>(op)) return numbers.set(id, cta);
    if (auto count = dyn_cast<CtaCountOp>(op)) return numbers.set(count, grid);
    if (auto rank = dyn_cast<ClusterRankOp>(op))
      return numbers.set(rank, cta % static_cast<int64_t>(kernel.getCluster().value_or(1)));
    if (auto extent = dyn_cast<ExtentOp>(op)) return numbers.set(extent, launch.extents.at(extent.getDim().str()));
    if (auto tile = dyn_cast<RasterizeOp>(op)) return rasterize(tile, numbers);
    if (auto product = dyn_cast<arith::MulIOp>(op)) return multiply(product, numbers);
    numbers.forget(op->getResults());
    auto inferred = dyn_cast<InferIntRangeInterface>(op);
    auto isNumber = [](Type type) { return type.isIntOrIndex(); };
    if (!inferred || op->getNumRegions() != 0 || !llvm::all_of(op->getOperandTypes(), isNumber)) return;
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands()) operands.push_back(numbers.rangeOf(operand));
    inferred.inferResultRanges(operands, [&](Value v, const ConstantIntRanges &range) { numbers.set(v, range); });
  }

  bool skip(Operation *op) {
    numbers.forget(op->getResults());
    return !deciders.holdsSteps(op);
  }

  bool runFor(scf::ForOp loop) {
    auto from = numbers.of(loop.getLowerBound()), to = numbers.of(loop.getUpperBound()),
         by = numbers.of(loop.getStep());
    if (!from || !to || !by || loop.getUnsignedCmp()) return skip(loop);
    auto isNeeded = [&](Value value) { return deciders.isNeeded(value); };
    uint64_t length = *from < *to ? static_cast<uint64_t>(*to) - static_cast<uint64_t>(*from) : 0;
    uint64_t turns = *by < 1 ? length : llvm::divideCeil(length, static_cast<uint64_t>(*by));
    if (turns > kMostTurns || (turns > 0 && *by < 1)) {
      steps.push_back({loop, *by < 1 ? *by : static_cast<int64_t>(std::min<uint64_t>(turns, INT64_MAX))});
      return false;
    }
    numbers.assign(loop.getRegionIterArgs(), loop.getInits());
    if (!deciders.holdsSteps(loop) && llvm::none_of(loop.getResults(), isNeeded)) turns = std::min<uint64_t>(turns, 1);
    for (int64_t turn = 0; turn < static_cast<int64_t>(turns); ++turn) {
      numbers.set(loop.getInductionVar(), *from + turn * *by);
      if (--left < 0 || !run(*loop.getBody())) return false;
      numbers.assign(loop.getRegionIterArgs(), loop.getYieldedValues());
    }
    numbers.assign(loop.getResults(), loop.getRegionIterArgs());
    return true;
  }

  bool runIf(scf::IfOp branch) {
    if (auto condition = numbers.of(branch.getCondition())) return runBranch(branch, (*condition & 1) != 0);
    if (!deciders.holdsSteps(branch)) return skip(branch);
    // Either way, if both do the same.
    size_t before = steps.size();
    Numbers known = numbers;
    if (!runBranch(branch, true)) return false;
    std::vector<PipelineEvent> then(steps.begin() + static_cast<int64_t>(before), steps.end());
    steps.resize(before);
    numbers = std::move(known);
    if (!runBranch(branch, false)) return false;
    numbers.forget(branch->getResults());
    auto isSame = [](const PipelineEvent &a, const PipelineEvent &b) {
      return a.op->getName() == b.op->getName() && a.op->getOperand(0) == b.op->getOperand(0) && a.number == b.number;
    };
    auto now = ArrayRef(steps).drop_front(before);
    return std::equal(then.begin(), then.end(), now.begin(), now.end(), isSame);
  }

  bool runBranch(scf::IfOp branch, bool condition) {
    Region &region = condition ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty()) return true;
    if (!run(region.front())) return false;
    numbers.assign(branch->getResults(), region.front().getTerminator()->getOperands());
    return true;
  }
};

} // namespace

std::vector<PipelineTrace> tracePipelines(KernelOp kernel, const SampleLaunch &launch, int64_t cta) {
  std::optional<int64_t> grid = gridOf(kernel, launch);
  if (!grid || cta < 0 || cta >= *grid) return {};
  return Tracer(kernel, launch, *grid, cta).run();
}

} // namespace kiln::tile
