#include "ir/tile/analysis/IndexRange.h"

#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::tile {

using namespace mlir;

LogicalResult IndexRanges::analyse(Operation *kernel) {
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (succeeded(solver.initializeAndRun(kernel))) return success();
  return kernel->emitOpError("the analysis of index ranges failed");
}

const ConstantIntRanges *IndexRanges::of(Value value) const {
  auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  return !state || state->getValue().isUninitialized() ? nullptr : &state->getValue().getValue();
}

//===- Numbers that are taken -------------------------------------------------------------------------------------===//

using Numbers = SmallVector<int64_t>;

/// Some of the numbers first, first + step, …, `count` of them: the ends, and one between.
static Numbers someOf(int64_t first, int64_t step, int64_t count) {
  Numbers some;
  for (int64_t i : {int64_t(0), int64_t(1), count - 1})
    if (i < count && (some.empty() || first + i * step != some.back())) some.push_back(first + i * step);
  return some;
}

/// Numbers that a value which stands for itself takes, and the op in which it takes them; none where it is not known.
static std::pair<Numbers, Operation *> variable(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *around = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (auto roles = dyn_cast_or_null<SpecializeOp>(around))
    return {someOf(0, 1, static_cast<int64_t>(roles.getConsumers())), roles};
  if (auto loop = dyn_cast_or_null<scf::ForOp>(around); loop && value == loop.getInductionVar()) {
    constexpr uint64_t kMost = 1 << 20;
    std::optional<int64_t> first = constantOf(loop.getLowerBound()), step = constantOf(loop.getStep());
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!first || !step || !trips || trips->ugt(kMost) || !llvm::isInt<31>(*first) || !llvm::isInt<31>(*step))
      return {};
    return {someOf(*first, *step, static_cast<int64_t>(trips->getZExtValue())), loop};
  }
  auto rank = value.getDefiningOp<ClusterRankOp>();
  auto kernel = rank ? rank->getParentOfType<KernelOp>() : KernelOp();
  if (!kernel) return {};
  return {someOf(0, 1, static_cast<int64_t>(kernel.getCluster().value_or(1))), kernel};
}

/// Whether one of `values` may be computed from `from`.
static bool dependOn(SmallVector<Value> values, Value from) {
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (value == from) return true;
    if (!seen.insert(value).second) continue;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getNumRegions() > 0) return true;
      llvm::append_range(values, op->getOperands());
      continue;
    }
    // What a loop carries is made of anything.
    auto loop = dyn_cast_or_null<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    if (loop && value != loop.getInductionVar()) return true;
  }
  return false;
}

/// Whether `op` runs for every number that `variable` takes in `around`: what is between are roles, and loops that run
/// as often for each.
static bool runsForAll(Operation *op, Value variable, Operation *around) {
  for (Operation *at = op->getParentOp(); at != around; at = at->getParentOp()) {
    if (isa<SpecializeOp, FillOp>(at)) continue;
    auto loop = dyn_cast<scf::ForOp>(at);
    if (!loop) return false;
    if (loop.getStaticTripCount()) continue;
    if (dependOn({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, variable)) return false;
  }
  return true;
}

namespace {
/// A value of a polynomial, and what it takes.
struct Variable {
  const void *value;
  Numbers numbers;
};
} // namespace

/// The number that a polynomial is where its values are `at`; nullopt where that is no i64.
static std::optional<int64_t> evaluate(const IndexPolynomial &polynomial,
                                       const llvm::DenseMap<const void *, int64_t> &at) {
  int64_t sum = 0;
  for (const auto &[product, coefficient] : polynomial.terms()) {
    int64_t term = coefficient;
    for (const void *value : product)
      if (llvm::MulOverflow(term, at.lookup(value), term)) return std::nullopt;
    if (llvm::AddOverflow(sum, term, sum)) return std::nullopt;
  }
  return sum;
}

SmallVector<int64_t> numbersTaken(Operation *op, Value value) {
  constexpr size_t kMostVariables = 4;
  if (mayBeLeftOut(op)) return {};
  IndexPolynomial polynomial = IndexPolynomials().of(value);
  SmallVector<Variable> variables;
  for (Value part : polynomial.values()) {
    auto [numbers, around] = variable(part);
    if (numbers.empty() || !runsForAll(op, part, around) || variables.size() == kMostVariables) return {};
    variables.push_back({part.getAsOpaquePointer(), numbers});
  }
  SmallVector<llvm::DenseMap<const void *, int64_t>> points(1);
  for (const Variable &one : variables) {
    SmallVector<llvm::DenseMap<const void *, int64_t>> more;
    for (const auto &point : points)
      for (int64_t number : one.numbers) {
        more.push_back(point);
        more.back()[one.value] = number;
      }
    points = std::move(more);
  }
  Numbers numbers;
  for (const auto &point : points)
    if (std::optional<int64_t> number = evaluate(polynomial, point)) numbers.push_back(*number);
  return numbers;
}

} // namespace kiln::tile
