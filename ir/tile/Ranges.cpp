// How large the integers of ids and lanes get: facts for analyses of index arithmetic.
#include "ir/tile/Arguments.h"

using namespace mlir;
using namespace kiln::tile;

static constexpr int64_t kMostOfCluster = 8;

/// 0 … count - 1; 0 alone where nothing is counted.
static ConstantIntRanges below(int64_t count) {
  int64_t last = std::max<int64_t>(count, 1) - 1;
  return ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, last));
}

/// The most CTAs that a grid may have, and the largest extent: each is checked before a launch.
static constexpr int64_t kMost = INT32_MAX;

/// CTAs of the kernel around `op`, or the most that there may be.
static int64_t mostCtas(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  std::optional<uint64_t> grid = kernel ? kernel.getGrid() : std::nullopt;
  return grid ? std::clamp<int64_t>(static_cast<int64_t>(*grid), 1, kMost) : kMost;
}

void CtaIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  setResultRanges(getResult(), below(mostCtas(*this)));
}

void CtaCountOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  int64_t most = mostCtas(*this), least = kernel && kernel.getGrid() ? most : 1;
  setResultRanges(getResult(), ConstantIntRanges::fromSigned(APInt(64, least), APInt(64, most)));
}

void ClusterRankOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  setResultRanges(getResult(), below(kernel ? static_cast<int64_t>(kernel.getCluster().value_or(1)) : kMostOfCluster));
}

void ExtentOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto [least, most] = kernel ? rangeOfExtent(kernel, getDim()) : std::pair<int64_t, int64_t>(0, kMost);
  setResultRanges(getResult(), ConstantIntRanges::fromSigned(APInt(64, least), APInt(64, most)));
}

void StrideOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRanges) {
  ArrayRef<int64_t> strides = getMemory().getType().getStrides();
  auto dim = static_cast<size_t>(getDim());
  // A stride is what extents say, or is known.
  bool known = dim < strides.size() && !ShapedType::isDynamic(strides[dim]);
  APInt least(64, known ? strides[dim] : 0), most(64, known ? strides[dim] : kMost);
  setResultRanges(getResult(), ConstantIntRanges::fromSigned(least, most));
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
