#include "codegen/gpu/Narrow.h"

#include "ir/tile/analysis/IndexRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace kiln;

namespace {

/// What an op needs of its values to be done in 32 bits, beside that they fit.
enum class Needs { Nothing, NotNegative };

const llvm::StringMap<Needs> &narrowOps() {
  static const llvm::StringMap<Needs> rows = {
      {"arith.addi", Needs::Nothing},          {"arith.subi", Needs::Nothing},      {"arith.muli", Needs::Nothing},
      {"arith.divsi", Needs::Nothing},         {"arith.remsi", Needs::Nothing},     {"arith.maxsi", Needs::Nothing},
      {"arith.minsi", Needs::Nothing},         {"arith.andi", Needs::Nothing},      {"arith.ori", Needs::Nothing},
      {"arith.xori", Needs::Nothing},          {"arith.select", Needs::Nothing},    {"arith.cmpi", Needs::Nothing},
      {"arith.ceildivui", Needs::NotNegative}, {"arith.divui", Needs::NotNegative}, {"arith.remui", Needs::NotNegative},
      {"arith.maxui", Needs::NotNegative},     {"arith.minui", Needs::NotNegative}, {"tile.splat", Needs::Nothing},
  };
  return rows;
}

bool isWide(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() || element.isInteger(64);
}

Type narrowed(Type type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  if (auto shaped = dyn_cast<ShapedType>(type)) return shaped.clone(i32);
  return i32;
}

class Narrower {
public:
  Narrower(tile::KernelOp kernel, const tile::IndexRanges &ranges)
      : kernel(kernel), ranges(ranges), b(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        narrowLoop(loop);
      else if (canNarrow(op))
        narrowOp(op);
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty()) op->erase();
  }

private:
  tile::KernelOp kernel;
  const tile::IndexRanges &ranges;
  OpBuilder b;
  DenseMap<Value, Value> narrow;   ///< wide -> narrow, where both are there
  DenseMap<Value, Value> original; ///< a value widened again -> the one that was analysed
  SmallVector<Operation *> dead;

  const ConstantIntRanges *rangeOf(Value value) const {
    Value analysed = original.lookup(value);
    return ranges.of(analysed ? analysed : value);
  }

  bool fits(Value value, Needs needs) const {
    const ConstantIntRanges *range = rangeOf(value);
    return range && range->smin().isSignedIntN(32) && range->smax().isSignedIntN(32) &&
           (needs == Needs::Nothing || range->smin().isNonNegative());
  }

  bool canNarrow(Operation *op) const {
    auto row = narrowOps().find(op->getName().getStringRef());
    if (row == narrowOps().end()) return false;
    auto ok = [&](Value value) { return !isWide(value.getType()) || fits(value, row->second); };
    auto wide = [](Value value) { return isWide(value.getType()); };
    return llvm::any_of(op->getOperands(), wide) && llvm::all_of(op->getOperands(), ok) &&
           llvm::all_of(op->getResults(), ok);
  }

  /// The value in 32 bits. One that was widened is there already; constants are made anew; others are cut.
  Value narrowOf(Value wide) {
    if (Value known = narrow.lookup(wide)) return known;
    Type type = narrowed(wide.getType());
    Value &made = narrow[wide];
    if (const ConstantIntRanges *range = rangeOf(wide); range && range->getConstantValue() && wide.getDefiningOp()) {
      b.setInsertionPointAfterValue(wide);
      IntegerAttr value = b.getI32IntegerAttr(static_cast<int32_t>(range->getConstantValue()->getSExtValue()));
      auto shaped = dyn_cast<ShapedType>(type);
      made = arith::ConstantOp::create(b, wide.getLoc(),
                                       shaped ? TypedAttr(DenseElementsAttr::get(shaped, Attribute(value))) : value);
      return made;
    }
    b.setInsertionPointAfterValue(wide);
    if (wide.getType().isIndex())
      made = arith::IndexCastOp::create(b, wide.getLoc(), type, wide);
    else
      made = arith::TruncIOp::create(b, wide.getLoc(), type, wide);
    return made;
  }

  /// `value` in the wide type, which has the range of `like`.
  Value widen(Value value, Value like) {
    Type type = like.getType();
    bool positive = rangeOf(like) && rangeOf(like)->smin().isNonNegative(), index = type.isIndex();
    Location loc = value.getLoc();
    if (index && positive) return arith::IndexCastUIOp::create(b, loc, type, value);
    if (index) return arith::IndexCastOp::create(b, loc, type, value);
    if (positive) return arith::ExtUIOp::create(b, loc, type, value);
    return arith::ExtSIOp::create(b, loc, type, value);
  }

  void narrowOp(Operation *op) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(isWide(operand.getType()) ? narrowOf(operand) : operand);
    for (Type type : op->getResultTypes()) state.types.push_back(isWide(type) ? narrowed(type) : type);
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.attributes.append(op->getDiscardableAttrs().begin(), op->getDiscardableAttrs().end());
    b.setInsertionPoint(op);
    Operation *made = b.create(state);
    markExact(op, made);
    for (auto [from, to] : llvm::zip_equal(op->getResults(), made->getResults())) replace(from, to);
    dead.push_back(op);
  }

  /// The wide op loses nothing, as its operands have 32 bits; nor does the narrow one, as the result has. That is worth
  /// saying: what counts in a loop is then known to go on counting when it is widened again.
  void markExact(Operation *wide, Operation *made) {
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(made);
    if (!flags) return;
    auto positive = [&](Value value) { return fits(value, Needs::NotNegative); };
    bool isPositive = llvm::all_of(wide->getOperands(), positive) && positive(wide->getResult(0));
    auto exact = arith::IntegerOverflowFlags::nsw;
    if (isPositive) exact = exact | arith::IntegerOverflowFlags::nuw;
    made->setAttr(flags.getIntegerOverflowAttrName(), arith::IntegerOverflowFlagsAttr::get(made->getContext(), exact));
  }

  /// Uses `to` for `from`, widened where it is read as it was.
  void replace(Value from, Value to) {
    if (from.getType() == to.getType()) {
      from.replaceAllUsesWith(to);
      return;
    }
    Value wide = widen(to, from);
    narrow[from] = narrow[wide] = to;
    from.replaceAllUsesWith(wide);
    original[wide] = from;
  }

  /// A loop over indices counts in 32 bits, if its last step does not leave them.
  void narrowLoop(scf::ForOp loop) {
    if (!loop.getInductionVar().getType().isIndex()) return;
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (!fits(bound, Needs::Nothing)) return;
    APInt last = rangeOf(loop.getUpperBound())->smax().sext(65) + rangeOf(loop.getStep())->smax().sext(65);
    if (!last.isSignedIntN(32) || !fits(loop.getInductionVar(), Needs::Nothing)) return;
    for (OpOperand *bound : {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(), &loop.getStepMutable()})
      bound->set(narrowOf(bound->get()));
    BlockArgument counter = loop.getBody()->getArgument(0);
    b.setInsertionPointToStart(loop.getBody());
    counter.setType(b.getI32Type());
    ConstantIntRanges range = *rangeOf(counter);
    Value wide = range.smin().isNonNegative()
                     ? arith::IndexCastUIOp::create(b, loop.getLoc(), b.getIndexType(), counter).getResult()
                     : arith::IndexCastOp::create(b, loop.getLoc(), b.getIndexType(), counter).getResult();
    counter.replaceAllUsesExcept(wide, wide.getDefiningOp());
    narrow[wide] = counter;
    original[wide] = counter;
  }
};

} // namespace

LogicalResult kiln::codegen::gpu::narrowIndices(tile::KernelOp kernel) {
  tile::IndexRanges ranges;
  if (failed(ranges.analyse(kernel))) return failure();
  Narrower(kernel, ranges).run();
  return success();
}
