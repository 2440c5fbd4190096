#include "ir/tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln::tile;

namespace {

template <typename OpTy> Value combineWith(OpBuilder &b, Location loc, Value x, Value y) {
  return OpTy::create(b, loc, x, y);
}

struct CombineRow {
  Value (*floats)(OpBuilder &, Location, Value, Value);
  Value (*integers)(OpBuilder &, Location, Value, Value);
  Value (*bools)(OpBuilder &, Location, Value, Value); ///< 0 and 1 as unsigned numbers
};

/// By CombineKind.
const CombineRow kCombine[] = {
    {combineWith<arith::AddFOp>, combineWith<arith::AddIOp>, combineWith<arith::XOrIOp>},
    {combineWith<arith::MulFOp>, combineWith<arith::MulIOp>, combineWith<arith::AndIOp>},
    {combineWith<arith::MaximumFOp>, combineWith<arith::MaxSIOp>, combineWith<arith::OrIOp>},
    {combineWith<arith::MinimumFOp>, combineWith<arith::MinSIOp>, combineWith<arith::AndIOp>},
};

} // namespace

Value kiln::tile::combine(OpBuilder &b, Location loc, CombineKind kind, Value x, Value y) {
  const CombineRow &row = kCombine[static_cast<size_t>(kind)];
  Type element = getElementTypeOrSelf(x.getType());
  return (isa<FloatType>(element) ? row.floats : element.isInteger(1) ? row.bools : row.integers)(b, loc, x, y);
}
