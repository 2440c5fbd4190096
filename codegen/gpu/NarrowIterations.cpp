// Iterations of rings in 32 bits. A ring's slot and phase come from the low bits of an iteration, sums and products
// keep low bits, so whatever leads to an iteration and nowhere else is computed in 32 bits, however large it gets.
#include "codegen/gpu/Narrow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

namespace {

bool isIteration(OpOperand &use) {
  return (isa<tile::SlotOp>(use.getOwner()) || tile::stepOf(use.getOwner())) && use.getOperandNumber() == 1;
}

class Iterations {
public:
  explicit Iterations(tile::KernelOp kernel) : b(kernel.getContext()) {
    kernel.getBody().walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) && op->getResult(0).getType().isIndex())
        low.insert(op->getResult(0));
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop) return;
      for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
        if (argument.getType().isIndex()) {
          low.insert(argument);
          low.insert(result);
        }
    });
  }

  void run() {
    while (dropOne()) {
    }
    SmallVector<Value> values(low.begin(), low.end()); // in the order of the program: operands come first
    for (Value value : values)
      if (auto loop = value.getDefiningOp<scf::ForOp>()) narrowCarried(loop, cast<OpResult>(value).getResultNumber());
    for (Value value : values)
      if (Operation *op = value.getDefiningOp(); op && !isa<scf::ForOp>(op)) narrowOp(op);
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty()) op->erase();
  }

private:
  OpBuilder b;
  llvm::SetVector<Value> low; ///< values of which no more than the low 32 bits are asked for
  DenseMap<Value, Value> narrow;
  SmallVector<Operation *> dead;

  /// What carries a loop's value number i: all or none of them are narrow.
  bool carries(scf::ForOp loop, unsigned i) const {
    return low.contains(loop.getRegionIterArg(i)) && low.contains(loop.getResult(i));
  }

  bool asksForLowBits(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (isIteration(use)) return true;
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      unsigned bounds = loop.getNumControlOperands();
      return use.getOperandNumber() >= bounds && carries(loop, use.getOperandNumber() - bounds);
    }
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()); loop && isa<scf::YieldOp>(user))
      return carries(loop, use.getOperandNumber());
    return user->getNumResults() == 1 && low.contains(user->getResult(0)) && !isa<scf::ForOp>(user);
  }

  /// Drops the values that more is asked of; true if there were any.
  bool dropOne() {
    SmallVector<Value> wide;
    for (Value value : low) {
      bool ok = llvm::all_of(value.getUses(), [&](OpOperand &use) { return asksForLowBits(use); });
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
        ok &= carries(loop, argument.getArgNumber() - loop.getNumInductionVars());
      } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
        ok &= carries(loop, cast<OpResult>(value).getResultNumber());
      }
      if (!ok) wide.push_back(value);
    }
    for (Value value : wide) low.remove(value);
    return !wide.empty();
  }

  /// The value in 32 bits; cut where it is not computed so.
  Value narrowOf(Value wide) {
    Value &made = narrow[wide];
    if (made) return made;
    b.setInsertionPointAfterValue(wide);
    APInt constant;
    if (matchPattern(wide, m_ConstantInt(&constant)))
      return made = arith::ConstantOp::create(b, wide.getLoc(),
                                              b.getI32IntegerAttr(static_cast<int32_t>(constant.getSExtValue())));
    return made = arith::IndexCastOp::create(b, wide.getLoc(), b.getI32Type(), wide);
  }

  /// Uses `value`, i32, for `wide`.
  void replace(Value wide, Value value, llvm::function_ref<void()> retype) {
    retype();
    b.setInsertionPointAfterValue(value);
    Value widened = arith::IndexCastUIOp::create(b, value.getLoc(), b.getIndexType(), value);
    wide.replaceAllUsesExcept(widened, widened.getDefiningOp());
    narrow[widened] = value;
  }

  void narrowCarried(scf::ForOp loop, unsigned i) {
    OpOperand &init = loop.getInitArgsMutable()[i];
    init.set(narrowOf(init.get()));
    Operation *yield = loop.getBody()->getTerminator();
    BlockArgument argument = loop.getRegionIterArg(i);
    OpResult result = loop->getResult(i);
    replace(argument, argument, [&] { argument.setType(b.getI32Type()); });
    replace(result, result, [&] { result.setType(b.getI32Type()); });
    yield->setOperand(i, narrowOf(yield->getOperand(i)));
  }

  void narrowOp(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) operands.push_back(narrowOf(operand));
    b.setInsertionPoint(op);
    OperationState state(op->getLoc(), op->getName(), operands, b.getI32Type());
    Operation *made = b.create(state);
    Value wide = op->getResult(0);
    if (Value cut = narrow.lookup(wide)) { // made before, of the wide value
      cut.replaceAllUsesWith(made->getResult(0));
      cut.getDefiningOp()->erase();
    }
    replace(wide, made->getResult(0), [] {});
    narrow[wide] = made->getResult(0);
    dead.push_back(op);
  }
};

} // namespace

void kiln::codegen::gpu::narrowIterations(tile::KernelOp kernel) { Iterations(kernel).run(); }
