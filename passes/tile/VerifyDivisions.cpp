// Index arithmetic that has no result: what is divided by 0 is anything, or never comes.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"
#include "passes/tile/VerifyRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>

namespace kiln::tile {

using namespace mlir;

static LogicalResult checkDivisions(KernelOp kernel) {
  return checkEach(kernel, [](Operation *op) {
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                       arith::RemSIOp, arith::RemUIOp>(op);
    if (!divides || !op->getResult(0).getType().isIndex() || constantOf(op->getOperand(1)) != 0 || mayBeLeftOut(op))
      return success();
    return violate(op, {"", "an index is divided by something", "a divisor of 1 or more", "0",
                        "a branch around it that is taken where there is something"});
  });
}

#define GEN_PASS_DEF_TILEVERIFYDIVISIONS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyDivisions : Rule<impl::TileVerifyDivisionsBase<TileVerifyDivisions>, checkDivisions> {};
} // namespace

} // namespace kiln::tile
