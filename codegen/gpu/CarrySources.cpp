// Where asynchronous copies read, from turn to turn. A pointer whose distance from an argument is a sum of what the
// loop does not change and of a multiple of the loop's counter moves by as much each turn: it is carried, which takes
// an addition where the strides are known at launch only, not a multiplication of 64 bits and what leads to it.
#include "codegen/gpu/Loops.h"
#include "ir/tile/analysis/IndexPolynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

namespace {

/// What a number grows by when the counter does by 1: `constant`, times `factor` where there is one, which the loop
/// does not change.
struct Growth {
  int64_t constant = 0;
  Value factor;
};

class Sources {
public:
  Sources(scf::ForOp loop, IRRewriter &b) : loop(loop), b(b), loc(loop.getLoc()) {}

  scf::ForOp run() {
    llvm::SetVector<LLVM::GEPOp> starts;
    if (loop.getInductionVar().getType().isInteger(32))
      loop.walk([&](NVVM::CpAsyncOp copy) {
        if (LLVM::GEPOp start = startOf(copy.getSrc())) starts.insert(start);
      });
    for (LLVM::GEPOp start : starts)
      if (std::optional<Growth> growth = growthOf(start.getDynamicIndices().front())) carry(start, *growth);
    return loop;
  }

private:
  scf::ForOp loop;
  IRRewriter &b;
  Location loc;
  tile::IndexPolynomials polynomials{[this](Operation *op) { return looksInto(op); }};

  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }

  /// The first of the additions that lead to a pointer from one that the loop does not change, if its elements are
  /// counted by one number of 64 bits.
  LLVM::GEPOp startOf(Value pointer) {
    auto start = pointer.getDefiningOp<LLVM::GEPOp>();
    if (!start || isOutside(start)) return {};
    if (!isOutside(start.getBase())) return startOf(start.getBase());
    bool isPlain = start.getDynamicIndices().size() == 1 && start.getRawConstantIndices().size() == 1;
    return isPlain && start.getDynamicIndices().front().getType().isInteger(64) ? start : LLVM::GEPOp();
  }

  /// Whether an op's result is right in its type: it may be widened before as after.
  static bool isExact(Operation *op) {
    if (op->getResult(0).getType().getIntOrFloatBitWidth() == 64) return true; // which nothing widens
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return flags && flags.hasNoSignedWrap();
  }

  /// Whether an op is right whatever its operands are, and how it grows is asked.
  bool looksInto(Operation *op) {
    if (isOutside(op->getResult(0))) return false;
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, LLVM::SExtOp, LLVM::ZExtOp>(op))
      return widened(op);
    return op->getResult(0).getType().isIndex() || isExact(op);
  }

  /// How a number grows; none where that is not known, or not the same in every iteration.
  std::optional<Growth> growthOf(Value value) {
    tile::IndexPolynomial polynomial = polynomials.of(value);
    Growth growth;
    for (const auto &[product, coefficient] : polynomial.terms()) {
      SmallVector<Value> factors(llvm::map_range(product, Value::getFromOpaquePointer));
      auto *counter = llvm::find(factors, loop.getInductionVar());
      bool grows = counter != factors.end();
      if (grows) factors.erase(counter);
      if (!llvm::all_of(factors, [&](Value factor) { return isOutside(factor); })) return std::nullopt;
      if (!grows) continue;
      if (growth.constant != 0 || factors.size() > 1) return std::nullopt;
      growth = {coefficient, factors.empty() ? Value() : factors.front()};
    }
    return growth;
  }

  /// Whether a cast keeps the number. An unsigned one does if what it widens is not negative in any turn, which a
  /// counter that it widens is not, nor what says that it does not leave the unsigned numbers.
  bool widened(Operation *cast) {
    auto bits = [](Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); };
    Value from = cast->getOperand(0);
    if (bits(cast->getResult(0).getType()) < bits(from.getType())) return false;
    if (!isa<arith::IndexCastUIOp, arith::ExtUIOp, LLVM::ZExtOp>(cast) || isOutside(from)) return true;
    auto flags = from.getDefiningOp<arith::ArithIntegerOverflowFlagsInterface>();
    return from == loop.getInductionVar() || (flags && flags.hasNoUnsignedWrap());
  }

  Value wide(Value value) {
    if (value.getType().isInteger(64)) return value;
    if (value.getType().isIndex()) return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  }
  Value i64(int64_t value) { return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value)); }

  /// The pointer of the first turn: its ops again, in front of the loop.
  Value first(Value value, IRMapping &map) {
    if (isOutside(value)) return value;
    if (Value known = map.lookupOrNull(value)) return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands()) first(operand, map);
    return b.clone(*op, map)->getResult(0);
  }

  void carry(LLVM::GEPOp start, Growth growth) {
    b.setInsertionPoint(loop);
    IRMapping map;
    map.map(loop.getInductionVar(), loop.getLowerBound());
    Value initial = first(start.getResult(), map), step = wide(loop.getStep());
    if (growth.factor) step = LLVM::MulOp::create(b, loc, step, wide(growth.factor));
    auto bytes = static_cast<int64_t>(start.getElemType().getIntOrFloatBitWidth()) / 8;
    APInt turn;
    Value move = matchPattern(loop.getStep(), m_ConstantInt(&turn)) && !growth.factor
                     ? i64(turn.getSExtValue() * growth.constant * bytes)
                     : LLVM::MulOp::create(b, loc, step, i64(growth.constant * bytes)).getResult();
    auto next = [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> carried) -> SmallVector<Value> {
      return {LLVM::GEPOp::create(inside, loc, carried[0].getType(), inside.getI8Type(), carried[0], ValueRange{move})};
    };
    auto made = loop.replaceWithAdditionalYields(b, initial, /*replaceInitOperandUsesInLoop=*/false, next);
    if (failed(made)) return;
    loop = cast<scf::ForOp>(*made);
    start.getResult().replaceAllUsesWith(loop.getRegionIterArgs().back());
  }
};

} // namespace

scf::ForOp kiln::codegen::gpu::carrySources(scf::ForOp loop, IRRewriter &b) { return Sources(loop, b).run(); }
