#include "codegen/gpu/Masks.h"
#include "codegen/lower/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

Value kiln::codegen::gpu::lanesLeft(tile::LaneMaskOp mask, Lowering &to) {
  OpBuilder &b = to.rewriter;
  auto fragment = cast<RankedTensorType>(mask.getType());
  int64_t extent = fragment.getDimSize(0);
  // Clamped first, so that 32 bits hold it whatever the count is.
  Value count = to.rewriter.getRemappedValue(mask.getCount());
  if (auto cast = count.getDefiningOp<arith::IndexCastOp>(); cast && cast.getIn().getType().isInteger(32)) {
    count = arith::MaxSIOp::create(b, to.loc, cast.getIn(), to.i32(0));
  } else if (auto cast = count.getDefiningOp<arith::IndexCastUIOp>(); cast && cast.getIn().getType().isInteger(32)) {
    count = arith::MinUIOp::create(b, to.loc, cast.getIn(), to.i32(extent));
  } else {
    count = arith::MaxSIOp::create(b, to.loc, count, arith::ConstantIndexOp::create(b, to.loc, 0));
    count = arith::MinSIOp::create(b, to.loc, count, arith::ConstantIndexOp::create(b, to.loc, extent));
    count = arith::IndexCastOp::create(b, to.loc, b.getI32Type(), count);
  }
  Value first = threadPlaceOf(*tile::distributionOf(fragment), to).column;
  return LLVM::SubOp::create(b, to.loc, count, first);
}

RunMask::RunMask(Value mask, ValueRange units, Lowering &to) : to(to), units(units) {
  if (!mask) return;
  kind = Kind::General;
  if (!tile::isFragment(mask.getType())) {
    kind = Kind::Uniform;
    value = units[0];
  } else if (auto lanes = mask.getDefiningOp<tile::LaneMaskOp>()) {
    kind = Kind::Prefix;
    aligned = powerOfTwoIn(static_cast<int64_t>(lanes.getAligned().value_or(1)));
    value = lanesLeft(lanes, to);
    if (APInt count; matchPattern(lanes.getCount(), m_ConstantInt(&count))) constant = count.getSExtValue();
  } else if (auto splat = mask.getDefiningOp<tile::SplatOp>()) {
    kind = Kind::Uniform;
    value = to.rewriter.getRemappedValue(splat.getScalar());
  }
}

int64_t RunMask::granule() const {
  switch (kind) {
  case Kind::None:
  case Kind::Uniform:
    return 16;
  case Kind::Prefix:
    return aligned;
  case Kind::General:
    return 1;
  }
  return 1;
}

Value RunMask::at(int64_t r, int64_t column) {
  OpBuilder &b = to.rewriter;
  switch (kind) {
  case Kind::None:
    return {};
  case Kind::Uniform:
    return value;
  case Kind::Prefix:
    return LLVM::ICmpOp::create(b, to.loc, LLVM::ICmpPredicate::sgt, value, to.i32(column));
  case Kind::General:
    return isa<VectorType>(units[0].getType()) ? laneOf(b, to.loc, units[r / 2], r % 2) : units[r];
  }
  return {};
}

void kiln::codegen::gpu::zeroWhereAbsent(Registers &registers, int64_t r, int64_t count, RunMask &mask,
                                         const layout::Fragment &fragment, Lowering &to) {
  for (int64_t i = r; i < r + count; ++i) {
    Value value = registers.get(i), zero = zeroOf(to.rewriter, to.loc, value.getType());
    Value takesPart = mask.at(i, fragment.registerPlace(i).column);
    registers.set(i, arith::SelectOp::create(to.rewriter, to.loc, takesPart, value, zero));
  }
}
