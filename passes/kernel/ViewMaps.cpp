#include "passes/kernel/ViewMaps.h"

#include "ir/graph/Graph.h"
#include "ir/layout/IndexMap.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::layout;
using graph::shapeOf;

namespace {

struct ViewRow {
  StringRef op;
  AffineMap (*forward)(Operation *);  ///< result index -> operand index
  AffineMap (*backward)(Operation *); ///< operand index -> result index, or null
};

AffineMap broadcastMap(Operation *op) {
  auto broadcast = cast<graph::BroadcastOp>(op);
  ArrayRef<int64_t> from = shapeOf(broadcast.getX()), to = shapeOf(broadcast.getResult());
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> results;
  for (auto [extent, dim] : llvm::zip(from, broadcast.getDims()))
    results.push_back(extent == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(dim, context));
  return AffineMap::get(to.size(), 0, results, context);
}

AffineMap reshapeForward(Operation *op) {
  return reshapeMap(op->getContext(), shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)));
}
AffineMap reshapeBackward(Operation *op) {
  return reshapeMap(op->getContext(), shapeOf(op->getResult(0)), shapeOf(op->getOperand(0)));
}

AffineMap transposeForward(Operation *op) {
  ArrayRef<int64_t> perm = cast<graph::TransposeOp>(op).getPerm();
  SmallVector<AffineExpr> results(perm.size());
  for (auto [i, p] : llvm::enumerate(perm)) results[p] = getAffineDimExpr(i, op->getContext());
  return AffineMap::get(perm.size(), 0, results, op->getContext());
}
AffineMap transposeBackward(Operation *op) {
  ArrayRef<int64_t> perm = cast<graph::TransposeOp>(op).getPerm();
  SmallVector<AffineExpr> results;
  for (int64_t p : perm) results.push_back(getAffineDimExpr(p, op->getContext()));
  return AffineMap::get(perm.size(), 0, results, op->getContext());
}

AffineMap sliceMap(Operation *op) {
  auto slice = cast<graph::SliceOp>(op);
  SmallVector<AffineExpr> results;
  for (auto [i, start, step] : llvm::enumerate(slice.getStarts(), slice.getSteps()))
    results.push_back(getAffineDimExpr(i, op->getContext()) * step + start);
  return AffineMap::get(results.size(), 0, results, op->getContext());
}

const ViewRow kRows[] = {
    {"graph.broadcast", broadcastMap, nullptr},
    {"graph.reshape", reshapeForward, reshapeBackward},
    {"graph.transpose", transposeForward, transposeBackward},
    {"graph.slice", sliceMap, nullptr},
};

const ViewRow *find(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto *row = llvm::find_if(kRows, [&](const ViewRow &r) { return r.op == name; });
  return row == std::end(kRows) ? nullptr : row;
}

} // namespace

AffineMap kiln::layout::viewMap(Operation *op) {
  const ViewRow *row = find(op);
  return row ? row->forward(op) : AffineMap();
}

AffineMap kiln::layout::inverseViewMap(Operation *op) {
  const ViewRow *row = find(op);
  return row && row->backward ? row->backward(op) : AffineMap();
}
