// How large the integers of ids and lanes get: facts for analyses of index arithmetic.
#include "ir/tile/Tile.h"

using namespace mlir;
using namespace kiln::tile;

/// 0 … count - 1; 0 alone where nothing is counted.
static ConstantIntRanges below(int64_t count) {
  int64_t last = std::max<int64_t>(count, 1) - 1;
  return ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, last));
}

void CtaIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  setResultRanges(getResult(), below(kernel ? static_cast<int64_t>(kernel.getGrid()) : INT64_MAX));
}

void WarpIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  constexpr int64_t kMostWarps = 32;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  int64_t threads = kernel ? static_cast<int64_t>(kernel.getThreads().value_or(32 * kMostWarps)) : 32 * kMostWarps;
  setResultRanges(getResult(), below(threads / 32));
}

void LanesOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  setResultRanges(getResult(), below(cast<RankedTensorType>(getType()).getDimSize(0)));
}

void SplatOp::inferResultRanges(ArrayRef<ConstantIntRanges> argRanges, SetIntRangeFn setResultRanges) {
  if (getScalar().getType().isIntOrIndex()) setResultRanges(getResult(), argRanges[0]);
}
