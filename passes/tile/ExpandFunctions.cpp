// tile-expand-functions: replaces mathematical functions by their arithmetic.
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "passes/functions/Functions.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDFUNCTIONS
#include "passes/tile/Passes.h.inc"

using namespace mlir;

namespace {

struct TileExpandFunctions : impl::TileExpandFunctionsBase<TileExpandFunctions> {
  using TileExpandFunctionsBase::TileExpandFunctionsBase;

  void runOnOperation() override {
    std::optional<Target> row = findTarget(target);
    if (!row) {
      getOperation().emitError() << "unknown target '" << target << "': " << nearestTarget(target.getValue());
      return signalPassFailure();
    }
    functions::Facilities facilities{.approx = row->gpu() != nullptr};
    // Collected first: an expansion may hold functions of its own rows, which are exact ops and stay.
    SmallVector<std::pair<Operation *, const functions::FunctionRow *>> work;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1) return;
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (auto *row = functions::findFunction(op->getName().getStringRef(), element)) work.push_back({op, row});
    });
    OpBuilder b(&getContext());
    for (auto [op, function] : work) {
      b.setInsertionPoint(op);
      op->getResult(0).replaceAllUsesWith(function->emit(b, op->getLoc(), op, op->getOperands(), facilities));
      op->erase();
    }
  }
};

} // namespace
} // namespace kiln::tile
