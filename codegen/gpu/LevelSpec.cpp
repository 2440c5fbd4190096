#include "codegen/gpu/LevelSpec.h"
#include "codegen/gpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

constexpr int64_t kMostRegisters = 255; ///< of a thread, 32 bits each
constexpr int64_t kMostCtas = std::numeric_limits<int32_t>::max();

bool isComputable(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

/// Registers that a thread needs for a fragment: two 16-bit elements share one.
int64_t registersOf(const layout::Fragment &fragment, Type element) {
  int64_t elements = fragment.registers(), bytes = tile::bytesOf(element);
  return bytes == 2 ? llvm::divideCeil(elements, 2) : elements * std::max<int64_t>(bytes / 4, 1);
}

/// Empty if a value may have this type, else what is wrong with it.
StringRef whyNot(Type type) {
  if (Type element = tile::elementTypeOf(type)) return isComputable(element) ? "" : "no such elements in memory";
  if (auto ring = dyn_cast<tile::RingType>(type)) return whyNot(ring.getTile());
  if (type.isIndex() || isComputable(type)) return "";
  auto fragment = tile::distributionOf(type);
  if (!fragment) return tile::isFragment(type) ? "its layout is of one thread" : "no such type is computed with";
  Type element = cast<RankedTensorType>(type).getElementType();
  if (!isComputable(element)) return "no such elements are computed with";
  return registersOf(*fragment, element) > kMostRegisters ? "a thread has 255 registers for a fragment" : "";
}

LogicalResult verifyType(Operation *op, Type type) {
  StringRef reason = whyNot(type);
  if (reason.empty()) return success();
  InFlightDiagnostic diag = op->emitOpError() << "cannot be lowered for a gpu";
  diag.attachNote() << reason << ", found: " << type;
  return diag;
}

/// A tile's offset and bytes, and where it may start.
LogicalResult verifyPlace(Operation *op, std::optional<int64_t> offset, tile::SharedType tile, int64_t stages,
                          int64_t sharedBytes) {
  if (!offset) return op->emitOpError("has no offset; tile-assign-shared sets it");
  constexpr int64_t kAlignment = 16;
  __int128 end = static_cast<__int128>(stages) * tile::bytesOf(tile.getElementType());
  for (int64_t extent : tile.getShape()) end *= extent;
  if (*offset >= 0 && *offset % kAlignment == 0 && end + *offset <= sharedBytes) return success();
  InFlightDiagnostic diag = op->emitOpError("cannot lie at this offset");
  diag.attachNote() << "expected: a multiple of " << kAlignment << ", the tile's end at most " << sharedBytes;
  diag.attachNote() << "found: " << *offset;
  return diag;
}

LogicalResult verifyTileOp(Operation *op, int64_t sharedBytes) {
  static const llvm::StringSet<> structure = {"tile.return", "scf.for",   "scf.if",
                                              "scf.while",   "scf.yield", "scf.condition"};
  StringRef name = op->getName().getStringRef();
  if (!structure.contains(name) && !gpuRows().contains(name)) {
    InFlightDiagnostic diag = op->emitError() << "'" << name << "' cannot be lowered for a gpu";
    diag.attachNote() << "no row of codegen/gpu names it; functions are expanded by tile-expand-functions";
    return diag;
  }
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    if (arith::FastMathFlagsAttr flags = fast.getFastMathFlagsAttr())
      if (flags.getValue() != arith::FastMathFlags::none)
        return op->emitOpError() << "asks for fast maths, which changes results";
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (failed(verifyType(op, type))) return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyType(op, argument.getType()))) return failure();
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return verifyPlace(op, alloc.getOffset(), alloc.getTile().getType(), 1, sharedBytes);
  if (auto alloc = dyn_cast<tile::AllocRingOp>(op)) {
    tile::RingType ring = alloc.getRing().getType();
    return verifyPlace(op, alloc.getOffset(), ring.getTile(), ring.getStages(), sharedBytes);
  }
  return success();
}

LogicalResult verifyKernel(tile::KernelOp kernel, const GpuTarget &target) {
  if (!kernel.getThreads()) return kernel.emitOpError("has no threads; on a gpu a CTA has them");
  if (static_cast<int64_t>(kernel.getGrid()) > kMostCtas) {
    InFlightDiagnostic diag = kernel.emitOpError("has too many CTAs");
    diag.attachNote() << "expected: at most " << kMostCtas;
    diag.attachNote() << "found: " << static_cast<int64_t>(kernel.getGrid());
    return diag;
  }
  if (int64_t bytes = kernel.getSharedBytes().value_or(0); bytes > target.sharedBytes) {
    InFlightDiagnostic diag = kernel.emitOpError("needs more shared memory than a CTA has");
    diag.attachNote() << "expected: at most " << target.sharedBytes << " bytes on " << target.name;
    diag.attachNote() << "found: " << bytes;
    return diag;
  }
  for (Type type : kernel.getArgumentTypes())
    if (failed(verifyType(kernel, type))) return failure();
  return success();
}

} // namespace

LogicalResult kiln::codegen::gpu::verifyTileLevel(tile::KernelOp kernel, const GpuTarget &target) {
  if (failed(verifyKernel(kernel, target))) return failure();
  LogicalResult result = success();
  int64_t sharedBytes = kernel.getSharedBytes().value_or(0);
  kernel.getBody().walk([&](Operation *op) {
    if (failed(verifyTileOp(op, sharedBytes))) result = failure();
  });
  return result;
}

LogicalResult kiln::codegen::gpu::verifyThreadLevel(LLVM::LLVMFuncOp function) {
  static const llvm::StringSet<> accepted = {
      // Integers.
      "llvm.add", "llvm.sub", "llvm.mul", "llvm.sdiv", "llvm.udiv", "llvm.srem", "llvm.urem", "llvm.and", "llvm.or",
      "llvm.xor", "llvm.shl", "llvm.ashr", "llvm.lshr", "llvm.icmp", "llvm.intr.smax", "llvm.intr.smin",
      "llvm.intr.umax", "llvm.intr.umin",
      // Floats.
      "llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.fneg", "llvm.fcmp", "llvm.intr.fma", "llvm.intr.sqrt",
      "llvm.intr.fabs", "llvm.intr.floor", "llvm.intr.ceil", "llvm.intr.trunc", "llvm.intr.roundeven",
      "llvm.intr.copysign", "llvm.intr.maximum", "llvm.intr.minimum", "ptx.approx",
      // Casts.
      "llvm.fpext", "llvm.fptrunc", "llvm.sext", "llvm.zext", "llvm.trunc", "llvm.sitofp", "llvm.uitofp",
      "llvm.fptosi", "llvm.fptoui", "llvm.bitcast",
      // Vectors, structs and choice.
      "llvm.extractelement", "llvm.insertelement", "llvm.shufflevector", "llvm.extractvalue", "llvm.select",
      "llvm.mlir.constant", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero",
      // Memory.
      "llvm.getelementptr", "llvm.load", "llvm.store", "llvm.mlir.addressof", "ptx.load", "ptx.store",
      "nvvm.cp.async.shared.global", "nvvm.cp.async.commit.group", "nvvm.cp.async.wait.group", "nvvm.ldmatrix",
      // Threads.
      "nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.ctaid.x", "nvvm.barrier0", "nvvm.bar.warp.sync",
      "nvvm.shfl.sync", "nvvm.mma.sync",
      // Control.
      "llvm.br", "llvm.cond_br", "llvm.return"};
  LogicalResult result = success();
  function.getBody().walk([&](Operation *op) {
    if (accepted.contains(op->getName().getStringRef())) return;
    op->emitError() << "'" << op->getName().getStringRef() << "' may not stand in a function for a gpu";
    result = failure();
  });
  return result;
}
