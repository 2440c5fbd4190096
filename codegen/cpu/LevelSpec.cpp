#include "codegen/cpu/LevelSpec.h"
#include "codegen/cpu/Halves.h"
#include "codegen/cpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// The widest vector a fragment may ask for, in bits: 128 lanes of i64 offsets, twice over. Wider ones take the backend
/// minutes.
constexpr int64_t kMaxVectorBits = 16384;
constexpr int64_t kMaxRows = 256;
/// All rows together: an accumulator far beyond any register file, yet a few hundred values.
constexpr int64_t kMaxFragmentBits = 1 << 18;
constexpr int64_t kMaxScratch = int64_t(1) << 30;

bool isComputable(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return element.isIndex() || element.isF32() || element.isF64() || isHalf(element);
}

/// Empty if a value may have this type, else what is wrong with it.
StringRef whyNot(Type type) {
  if (Type element = tile::elementTypeOf(type)) {
    auto shared = dyn_cast<tile::SharedType>(type);
    if (shared && shared.getSwizzle()) return "a shared tile on the cpu target is not swizzled";
    return isComputable(element) && !element.isIndex() ? "" : "the cpu target has no such elements in memory";
  }
  if (!tile::isFragment(type)) return isComputable(type) ? "" : "the cpu target computes with no such type";
  auto fragment = cast<RankedTensorType>(type);
  if (!isComputable(fragment.getElementType())) return "the cpu target computes with no such elements";
  bool column = isa<tile::SimdColumnAttr>(fragment.getEncoding());
  int64_t rows = column || fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  int64_t lanes = column ? 1 : fragment.getShape().back();
  if (rows > kMaxRows) return "a fragment has at most 256 rows";
  int64_t rowBits = lanes * 8 * tile::bytesOf(fragment.getElementType());
  if (rowBits > kMaxVectorBits) return "a fragment's row takes at most 16384 bits";
  return rows * rowBits > kMaxFragmentBits ? "a fragment takes at most 262144 bits" : "";
}

LogicalResult verifyType(Operation *op, Type type) {
  StringRef reason = whyNot(type);
  if (reason.empty()) return success();
  InFlightDiagnostic diag = op->emitOpError() << "cannot be lowered for the cpu target";
  diag.attachNote() << reason << ", found: " << type;
  return diag;
}

LogicalResult verifyAlloc(tile::AllocOp alloc) {
  std::optional<int64_t> offset = alloc.getOffset();
  if (!offset) return alloc.emitOpError("has no offset; tile-assign-shared sets it");
  int64_t alignment = tile::bytesOf(alloc.getTile().getType().getElementType());
  if (*offset >= 0 && *offset <= kMaxScratch && *offset % alignment == 0) return success();
  InFlightDiagnostic diag = alloc.emitOpError("cannot lie at this offset");
  diag.attachNote() << "expected: a multiple of " << alignment << " from 0 to " << kMaxScratch
                    << ", found: " << *offset;
  return diag;
}

LogicalResult verifyTileOp(Operation *op) {
  static const llvm::StringSet<> structure = {"tile.return", "tile.cta_id", "scf.for",      "scf.if",
                                              "scf.while",   "scf.yield",   "scf.condition"};
  StringRef name = op->getName().getStringRef();
  if (!structure.contains(name) && !cpuRows().contains(name)) {
    InFlightDiagnostic diag = op->emitError() << "'" << name << "' cannot be lowered for the cpu target";
    diag.attachNote() << "no row of codegen/cpu names it; functions are expanded by tile-expand-functions";
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
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) return verifyAlloc(alloc);
  return success();
}

} // namespace

LogicalResult kiln::codegen::verifyTileLevel(tile::KernelOp kernel) {
  for (Type type : kernel.getArgumentTypes())
    if (failed(verifyType(kernel, type))) return failure();
  LogicalResult result = success();
  kernel.getBody().walk([&](Operation *op) {
    if (failed(verifyTileOp(op))) result = failure();
  });
  return result;
}

LogicalResult kiln::codegen::verifyThreadLevel(LLVM::LLVMFuncOp function) {
  static const llvm::StringSet<> accepted = [] {
    llvm::StringSet<> names;
    for (StringRef name :
         {// Integers.
          "add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "shl", "ashr", "lshr", "icmp",
          "intr.smax", "intr.smin", "intr.umax", "intr.umin",
          // Floats.
          "fadd", "fsub", "fmul", "fdiv", "fneg", "fcmp", "intr.fma", "intr.sqrt", "intr.fabs", "intr.floor",
          "intr.ceil", "intr.trunc", "intr.roundeven", "intr.copysign", "intr.maximum", "intr.minimum",
          // Casts.
          "fpext", "fptrunc", "sext", "zext", "trunc", "sitofp", "uitofp", "fptosi", "fptoui", "bitcast",
          // Vectors and choice.
          "extractelement", "insertelement", "shufflevector", "select", "mlir.constant", "mlir.poison", "mlir.undef",
          "mlir.zero", "mlir.addressof",
          // Memory.
          "getelementptr", "load", "store", "intr.masked.load", "intr.masked.store", "intr.masked.gather",
          "intr.masked.scatter",
          // Control.
          "br", "cond_br", "return"})
      names.insert(name);
    return names;
  }();
  LogicalResult result = success();
  function.getBody().walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name.consume_front("llvm.") && accepted.contains(name)) return;
    op->emitError() << "'" << op->getName().getStringRef() << "' may not stand in a function for the host";
    result = failure();
  });
  return result;
}
