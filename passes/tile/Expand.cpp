// tile-expand: spells out the ops that stand for several.
#include "ir/Typed.h"
#include "ir/tile/Tile.h"
#include "passes/tile/Passes.h"
#include "runtime/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPAND
#include "passes/tile/Passes.h.inc"

using namespace mlir;

namespace {

/// Arithmetic at one place, folded where it is constant.
struct Arithmetic {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  template <class Op> Value make(Value l, Value r) { return b.createOrFold<Op>(loc, l, r); }
};

using Binary = Value (*)(Arithmetic &, Value, Value);
template <class Op> Value binary(Arithmetic &to, Value l, Value r) { return to.make<Op>(l, r); }

//===- tile.index -------------------------------------------------------------------------------------------------===//

Binary arithmeticOf(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::Add:
    return binary<arith::AddIOp>;
  case Expr::Kind::Sub:
    return binary<arith::SubIOp>;
  case Expr::Kind::Mul:
    return binary<arith::MulIOp>;
  // Neither operand is negative.
  case Expr::Kind::FloorDiv:
    return binary<arith::DivUIOp>;
  case Expr::Kind::CeilDiv:
    return binary<arith::CeilDivUIOp>;
  case Expr::Kind::Min:
    return binary<arith::MinSIOp>;
  case Expr::Kind::Max:
    return binary<arith::MaxSIOp>;
  case Expr::Kind::Constant:
  case Expr::Kind::Extent:
    break;
  }
  return nullptr;
}

Value expand(const Expr &e, OperandRange operands, Arithmetic &to) {
  if (e.isConstant()) return to.constant(e.constant());
  if (e.kind() == Expr::Kind::Extent) {
    unsigned number = 0;
    (void)StringRef(e.extentName()).drop_front().getAsInteger(10, number); // verified: v<number>
    return operands[number];
  }
  Value l = expand(e.left(), operands, to), r = expand(e.right(), operands, to);
  return arithmeticOf(e.kind())(to, l, r);
}

void expandIndex(IndexOp index, Arithmetic &to, SmallVectorImpl<Value> &results) {
  results.push_back(expand(Expr::parse(index.getExpression()), index.getOperands(), to));
}

//===- The others -------------------------------------------------------------------------------------------------===//

void expandSize(SizeOp size, Arithmetic &to, SmallVectorImpl<Value> &results) {
  results.push_back(to.constant(cast<SharedType>(size.getTile()).getShape()[size.getDim()]));
}

/// In 32 bits, by the op's contract: a division of 64 bits is a function call on a GPU.
void expandUnravel(UnravelOp unravel, Arithmetic &to, SmallVectorImpl<Value> &results) {
  auto narrow = [&](Value wide) { return to.b.createOrFold<arith::IndexCastOp>(to.loc, to.b.getI32Type(), wide); };
  auto widen = [&](Value x) { return to.b.createOrFold<arith::IndexCastUIOp>(to.loc, to.b.getIndexType(), x); };
  Value rest = narrow(unravel.getPlace());
  for (Value wide : llvm::reverse(unravel.getExtents().drop_front())) {
    Value extent = narrow(wide);
    results.insert(results.begin(), widen(to.make<arith::RemUIOp>(rest, extent)));
    rest = to.make<arith::DivUIOp>(rest, extent);
  }
  results.insert(results.begin(), widen(rest));
}

void expandFoldColumns(FoldColumnsOp fold, Arithmetic &to, SmallVectorImpl<Value> &results) {
  static constexpr Binary kCombine[] = {binary<arith::AddFOp>, binary<arith::MulFOp>, binary<arith::MaximumFOp>,
                                        binary<arith::MinimumFOp>}; // by CombineKind
  Value acc = fold.getAcc();
  int64_t columns = cast<RankedTensorType>(fold.getX().getType()).getDimSize(1);
  int64_t step = cast<RankedTensorType>(acc.getType()).getDimSize(1);
  for (int64_t column = 0; column < columns; column += step) {
    Value part = ExtractOp::create(to.b, to.loc, acc.getType(), fold.getX(), to.constant(0), to.constant(column));
    acc = kCombine[static_cast<int>(fold.getKind())](to, acc, part);
  }
  results.push_back(acc);
}

void expandMaskColumns(MaskColumnsOp mask, Arithmetic &to, SmallVectorImpl<Value> &results) {
  auto type = cast<RankedTensorType>(mask.getX().getType());
  auto numbers = cast<RankedTensorType>(type.clone(to.b.getI32Type()));
  Value narrow = arith::IndexCastOp::create(to.b, to.loc, to.b.getI32Type(), mask.getLimit());
  Value limit = SplatOp::create(to.b, to.loc, numbers, narrow);
  if (mask.getDiagonal())
    limit = arith::AddIOp::create(to.b, to.loc, CoordinatesOp::create(to.b, to.loc, numbers, 0), limit);
  Value column = CoordinatesOp::create(to.b, to.loc, numbers, 1);
  Value live = arith::CmpIOp::create(to.b, to.loc, arith::CmpIPredicate::slt, column, limit);
  const auto &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  auto never = DenseElementsAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  Value none = arith::ConstantOp::create(to.b, to.loc, type, never);
  results.push_back(arith::SelectOp::create(to.b, to.loc, live, mask.getX(), none));
}

/// Extent or stride `dim` of a matrix that is the kernel's argument, or that says it itself.
Value extentOf(TypedValue<GlobalType> matrix, unsigned dim, Arithmetic &to) {
  int64_t extent = matrix.getType().getShape()[dim];
  if (!ShapedType::isDynamic(extent)) return to.constant(extent);
  auto argument = cast<BlockArgument>(matrix);
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  return ExtentOp::create(to.b, to.loc, dimsOf(kernel, argument.getArgNumber())[dim]);
}

void expandAsyncLoad(AsyncLoadOp load, Arithmetic &to, SmallVectorImpl<Value> &) {
  GlobalType type = load.getSource().getType();
  int64_t pitch = type.getStrides().empty() ? type.getShape()[1] : type.getStrides()[0];
  bool known = !ShapedType::isDynamic(pitch);
  Value stride = known ? to.constant(pitch) : StrideOp::create(to.b, to.loc, load.getSource(), 0).getResult();
  Value offset = to.make<arith::AddIOp>(to.make<arith::MulIOp>(load.getRow(), stride), load.getColumn());
  Value rows = to.make<arith::SubIOp>(extentOf(load.getSource(), 0, to), load.getRow());
  Value columns = to.make<arith::SubIOp>(extentOf(load.getSource(), 1, to), load.getColumn());
  AsyncCopyOp::create(to.b, to.loc, load.getSource(), offset, known ? to.b.getI64IntegerAttr(pitch) : IntegerAttr(),
                      rows, columns, known ? Value() : stride, load.getTarget());
}

using Expansion = void (*)(Operation *, Arithmetic &, SmallVectorImpl<Value> &);

const llvm::StringMap<Expansion> &rows() {
  static const llvm::StringMap<Expansion> table = {
      {"tile.async_load", ir::typed<expandAsyncLoad>},     {"tile.index", ir::typed<expandIndex>},
      {"tile.mask_columns", ir::typed<expandMaskColumns>}, {"tile.size", ir::typed<expandSize>},
      {"tile.unravel", ir::typed<expandUnravel>},          {"tile.fold_columns", ir::typed<expandFoldColumns>}};
  return table;
}

struct TileExpand : impl::TileExpandBase<TileExpand> {
  void runOnOperation() override {
    SmallVector<Operation *> work;
    getOperation()->walk([&](Operation *op) {
      if (rows().contains(op->getName().getStringRef())) work.push_back(op);
    });
    OpBuilder b(&getContext());
    for (Operation *op : work) {
      b.setInsertionPoint(op);
      Arithmetic to{b, op->getLoc()};
      SmallVector<Value> results;
      rows().lookup(op->getName().getStringRef())(op, to, results);
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};

} // namespace
} // namespace kiln::tile
