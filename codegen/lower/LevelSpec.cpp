#include "codegen/lower/LevelSpec.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

bool codegen::isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

bool codegen::isControlFlow(StringRef name) {
  return llvm::is_contained({"scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition"}, name);
}

LogicalResult codegen::verifyType(Operation *op, Type type, const TileLevel &level) {
  StringRef reason = level.whyNot(type);
  if (reason.empty()) return success();
  InFlightDiagnostic diag = op->emitOpError() << "cannot be lowered for " << level.target;
  diag.attachNote() << reason << ", found: " << type;
  return diag;
}

LogicalResult codegen::verifyTileOp(Operation *op, const TileLevel &level) {
  StringRef name = op->getName().getStringRef();
  if (!level.isKnown(name)) {
    InFlightDiagnostic diag = op->emitError() << "'" << name << "' cannot be lowered for " << level.target;
    diag.attachNote() << "no row of " << level.rows << " names it; functions are expanded by tile-expand-functions";
    return diag;
  }
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    if (arith::FastMathFlagsAttr flags = fast.getFastMathFlagsAttr())
      if (flags.getValue() != arith::FastMathFlags::none)
        return op->emitOpError() << "asks for fast maths, which changes results";
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (failed(verifyType(op, type, level))) return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyType(op, argument.getType(), level))) return failure();
  return success();
}

ArrayRef<llvm::StringLiteral> codegen::commonThreadOps() {
  static constexpr llvm::StringLiteral ops[] = {
      // Integers.
      "llvm.add", "llvm.sub", "llvm.mul", "llvm.sdiv", "llvm.udiv", "llvm.srem", "llvm.urem", "llvm.and", "llvm.or",
      "llvm.xor", "llvm.shl", "llvm.ashr", "llvm.lshr", "llvm.icmp", "llvm.intr.smax", "llvm.intr.smin",
      "llvm.intr.umax", "llvm.intr.umin",
      // Floats.
      "llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.fneg", "llvm.fcmp", "llvm.intr.fma", "llvm.intr.sqrt",
      "llvm.intr.fabs", "llvm.intr.floor", "llvm.intr.ceil", "llvm.intr.trunc", "llvm.intr.roundeven",
      "llvm.intr.copysign", "llvm.intr.maximum", "llvm.intr.minimum",
      // Casts.
      "llvm.fpext", "llvm.fptrunc", "llvm.sext", "llvm.zext", "llvm.trunc", "llvm.sitofp", "llvm.uitofp", "llvm.fptosi",
      "llvm.fptoui", "llvm.bitcast",
      // Vectors and choice.
      "llvm.extractelement", "llvm.insertelement", "llvm.shufflevector", "llvm.select", "llvm.mlir.constant",
      "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero",
      // Memory.
      "llvm.getelementptr", "llvm.load", "llvm.store", "llvm.mlir.addressof",
      // Control.
      "llvm.br", "llvm.cond_br", "llvm.return"};
  return ops;
}

LogicalResult codegen::verifyOps(LLVM::LLVMFuncOp function, const llvm::StringSet<> &accepted, StringRef where) {
  LogicalResult result = success();
  function.getBody().walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (accepted.contains(name)) return;
    op->emitError() << "'" << name << "' may not stand in a function for " << where;
    result = failure();
  });
  return result;
}
