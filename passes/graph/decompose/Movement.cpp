// Ops that move data: what is too much for one kernel.
#include "passes/graph/Decompose.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::graph {
namespace {

/// Pieces of one join. A kernel asks each of them for every element, takes a pointer for each, and is that much longer.
constexpr size_t kMostPieces = 64;

/// Empty pieces are dropped, a single one is the result, and a join of many is a join of joins of runs of them.
Values join(ImplicitLocOpBuilder &b, Operation *op) {
  auto concat = cast<ConcatOp>(op);
  SmallVector<Value> pieces =
      llvm::filter_to_vector(concat.getXs(), [&](Value x) { return shapeOf(x)[concat.getAxis()] != 0; });
  if (pieces.size() == concat.getXs().size() && pieces.size() <= kMostPieces && pieces.size() > 1) return concat;
  while (pieces.size() > 1) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = pieces; !rest.empty(); rest = rest.drop_front(std::min(rest.size(), kMostPieces))) {
      ArrayRef<Value> run = rest.take_front(kMostPieces);
      joined.push_back(run.size() == 1 ? run[0] : ConcatOp::create(b, run, concat.getAxis()).getResult());
    }
    pieces = std::move(joined);
  }
  return pieces[0];
}

const DecomposeRow kRows[] = {
    {"graph.concat", join},
};
} // namespace

ArrayRef<DecomposeRow> movementDecomposeRows() { return kRows; }

} // namespace kiln::graph
