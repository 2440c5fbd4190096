// Index arithmetic that has no result: what is divided by 0 is anything, or never comes.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"
#include "passes/tile/ProgramRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>

namespace kiln::tile {

using namespace mlir;

LogicalResult checkDivisions(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                       arith::RemSIOp, arith::RemUIOp>(op);
    if (!divides || !op->getResult(0).getType().isIndex() || constantOf(op->getOperand(1)) != 0 || mayBeLeftOut(op))
      return WalkResult::advance();
    (void)violate(op, {"", "an index is divided by something", "a divisor of 1 or more", "0",
                       "a branch around it that is taken where there is something"});
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace kiln::tile
