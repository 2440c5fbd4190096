// Where programs read and write: numbers that are known to be taken, at which an op reaches out of its tile, or which
// it does not take. A number is known where it is made of constants, of variables of loops whose turns are known, and
// of consumers' and CTAs' numbers.
#include "ir/tile/Rules.h"
#include "passes/tile/Forms.h"
#include "passes/tile/ProgramRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>
#include <numeric>

namespace kiln::tile {

using namespace mlir;

using Numbers = SmallVector<int64_t>;

//===- Which numbers a value takes --------------------------------------------------------------------------------===//

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
/// A value of a form, and what it takes.
struct Variable {
  const void *value;
  Numbers numbers;
};
} // namespace

/// The number that a form is where its values are `at`; nullopt where that is no i64.
static std::optional<int64_t> evaluate(const Form &form, const llvm::DenseMap<const void *, int64_t> &at) {
  int64_t sum = 0;
  for (const auto &[product, coefficient] : form.terms()) {
    int64_t term = coefficient;
    for (const void *value : product)
      if (llvm::MulOverflow(term, at.lookup(value), term)) return std::nullopt;
    if (llvm::AddOverflow(sum, term, sum)) return std::nullopt;
  }
  return sum;
}

/// Some of the numbers that `value` takes when `op` runs, the least and the largest among them; none if that is not
/// known.
static Numbers numbersOf(Operation *op, Value value) {
  constexpr size_t kMostVariables = 4;
  if (mayBeLeftOut(op)) return {};
  Form form = Forms().of(value);
  SmallVector<Variable> variables;
  for (Value part : form.values()) {
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
    if (std::optional<int64_t> number = evaluate(form, point)) numbers.push_back(*number);
  return numbers;
}

//===- Matrices in tiles ------------------------------------------------------------------------------------------===//

namespace {
/// A box of a shared tile that an op reads, writes or names.
struct Box {
  Value row, column;
  int64_t rows, columns;
  layout::SharedTile tile;
  int64_t rowUnit = 8, columnUnit = 8; ///< it starts at multiples of
};
} // namespace

static Box boxOf(Operation *op, Value row, Value column, RankedTensorType matrix, bool transpose, SharedType tile) {
  return {row, column, matrix.getDimSize(transpose ? 1 : 0), matrix.getDimSize(transpose ? 0 : 1), tileOf(tile)};
}

static std::optional<Box> boxOf(Operation *op) {
  if (auto load = dyn_cast<LoadMatrixOp>(op))
    return boxOf(op, load.getRow(), load.getColumn(), cast<RankedTensorType>(load.getValue().getType()),
                 load.getTranspose(), load.getSource().getType());
  if (auto store = dyn_cast<StoreMatrixOp>(op))
    return boxOf(op, store.getRow(), store.getColumn(), cast<RankedTensorType>(store.getValue().getType()),
                 store.getTranspose(), store.getTarget().getType());
  auto part = dyn_cast<SubtileOp>(op);
  if (!part) return std::nullopt;
  layout::SharedTile whole = tileOf(part.getSource().getType()), shape = tileOf(part.getType());
  int64_t unit = whole.swizzle ? std::lcm<int64_t>(8, whole.periodRows()) : 1;
  return Box{
      part.getRow(), part.getColumn(), shape.rows, shape.columns, whole, unit, std::max<int64_t>(whole.panel, 1)};
}

/// One side of a box: where it starts, how long it and its tile's are, what it starts at multiples of.
static LogicalResult checkSide(Operation *op, const char *what, Value start, int64_t extent, int64_t whole,
                               int64_t unit) {
  for (int64_t number : numbersOf(op, start)) {
    if (number >= 0 && number <= whole - extent && number % unit == 0) continue;
    std::string by = unit > 1 ? fmt::format(", a multiple of {}", unit) : "";
    return violate(op, {"", fmt::format("its {} {}s lie in the tile, which has {}", extent, what, whole),
                        fmt::format("the first {} from 0 to {}{}", what, whole - extent, by), std::to_string(number),
                        number % unit == 0 ? std::string("a larger tile, or a smaller part of it")
                                           : fmt::format("{}", std::clamp<int64_t>(number, 0, whole) / unit * unit)});
  }
  return success();
}

static LogicalResult checkBox(Operation *op, const Box &box) {
  if (failed(checkSide(op, "row", box.row, box.rows, box.tile.rows, box.rowUnit))) return failure();
  return checkSide(op, "column", box.column, box.columns, box.tile.columns, box.columnUnit);
}

//===- Runs of elements -------------------------------------------------------------------------------------------===//

/// The shared tile behind a memory of this CTA or another one; null for global memory.
static SharedType sharedOf(Type memory) {
  if (auto remote = dyn_cast<RemoteType>(memory)) return remote.getTile();
  return dyn_cast<SharedType>(memory);
}

/// A load's or store's elements, which lie row by row at a stride, or in one row.
static LogicalResult checkRun(Operation *op, Type value, SharedType tile, Value offset, int64_t stride, bool writes) {
  auto fragment = dyn_cast<RankedTensorType>(value);
  int64_t rows = fragment && fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  int64_t columns = fragment ? fragment.getShape().back() : 1, elements = 1;
  for (int64_t extent : tile.getShape())
    if (llvm::MulOverflow(elements, extent, elements)) return success();
  if (fragment && isa<SimdColumnAttr>(fragment.getEncoding())) return success();
  if (writes && rows > 1 && stride > -columns && stride < columns)
    return violate(op, {"", "rows that are written do not overlap", fmt::format("a row stride of at least {}", columns),
                        std::to_string(stride), fmt::format("`rows {}`", columns)});
  int64_t last = 0;
  if (llvm::MulOverflow(rows - 1, stride, last) || !llvm::isInt<62>(last)) return success();
  int64_t least = -std::min<int64_t>(last, 0), most = elements - columns - std::max<int64_t>(last, 0);
  for (int64_t number : numbersOf(op, offset))
    if (number < least || number > most)
      return violate(op, {"", fmt::format("its elements lie in {}", spell(tile)),
                          most < least ? fmt::format("at most {} elements, from first to last", elements)
                                       : fmt::format("an offset from {} to {}", least, most),
                          most < least ? std::to_string(std::abs(last) + columns) : std::to_string(number),
                          "a larger tile, or fewer elements"});
  return success();
}

//===- Ranks ------------------------------------------------------------------------------------------------------===//

static LogicalResult checkRank(RemoteOp remote) {
  auto kernel = remote->getParentOfType<KernelOp>();
  auto cluster = static_cast<int64_t>(kernel.getCluster().value_or(1));
  for (int64_t rank : numbersOf(remote, remote.getRank()))
    if (rank < 0 || rank >= cluster)
      return violate(remote, {"", "the cluster has a CTA of that rank", fmt::format("0 to {}", cluster - 1),
                              std::to_string(rank),
                              fmt::format("`cluster {}` on the kernel",
                                          llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(rank, 0)) + 1))});
  return success();
}

LogicalResult checkPlaces(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    LogicalResult checked = success();
    if (std::optional<Box> box = boxOf(op)) checked = checkBox(op, *box);
    if (auto remote = dyn_cast<RemoteOp>(op)) checked = checkRank(remote);
    // What a mask leaves out is nowhere.
    if (auto load = dyn_cast<LoadOp>(op); load && !load.getMask())
      if (SharedType tile = sharedOf(load.getSource().getType()))
        checked = checkRun(op, load.getValue().getType(), tile, load.getOffset(),
                           static_cast<int64_t>(load.getRowStride().value_or(0)), /*writes=*/false);
    if (auto store = dyn_cast<StoreOp>(op); store && !store.getMask())
      if (SharedType tile = sharedOf(store.getTarget().getType()))
        checked = checkRun(op, store.getValue().getType(), tile, store.getOffset(),
                           static_cast<int64_t>(store.getRowStride().value_or(0)), /*writes=*/true);
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace kiln::tile
