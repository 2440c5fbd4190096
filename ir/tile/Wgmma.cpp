// Constraints of the ops in Wgmma.td: what a warpgroup's tensor core takes.
#include "ir/layout/Descriptor.h"
#include "ir/tile/Rules.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;
using kiln::layout::Major;

namespace {
/// An accumulator's element type and the operands' that it sums products of.
struct TypeRow {
  bool (*acc)(Type);
  bool (*operand)(Type);
  bool mixed; ///< a and b may be two of them
};
} // namespace

static bool isF16(Type t) { return t.isF16(); }
static bool isBF16(Type t) { return t.isBF16(); }
static bool isF32(Type t) { return t.isF32(); }
static bool isF8(Type t) { return isa<Float8E4M3FNType, Float8E5M2Type>(t); }
static bool isI8(Type t) { return t.isSignlessInteger(8); }
static bool isI32(Type t) { return t.isSignlessInteger(32); }

static constexpr TypeRow kTypes[] = {{isF32, isBF16, false}, {isF32, isF16, false}, {isF32, isF32, false},
                                     {isF32, isF8, true},    {isF16, isF16, false}, {isF16, isF8, true},
                                     {isI32, isI8, false}};

/// The fragment of an accumulator, in flight or not.
static RankedTensorType fragmentOf(Type type) {
  if (auto pending = dyn_cast<PendingType>(type)) return pending.getFragment();
  return cast<RankedTensorType>(type);
}

/// Rows and columns of an operand as the product has them; none where it is no matrix.
static SmallVector<int64_t> extentsOf(Type type, bool transposed) {
  auto tile = dyn_cast<SharedType>(type);
  ArrayRef<int64_t> shape = tile ? tile.getShape() : cast<RankedTensorType>(type).getShape();
  if (shape.size() != 2) return {};
  return transposed ? SmallVector<int64_t>{shape[1], shape[0]} : SmallVector<int64_t>{shape[0], shape[1]};
}

/// (C2) and (C3): M, N and K.
static LogicalResult checkExtents(WgmmaOp op, RankedTensorType acc, Type element) {
  SmallVector<int64_t> a = extentsOf(op.getA().getType(), op.getTransposeA());
  SmallVector<int64_t> b = extentsOf(op.getB().getType(), op.getTransposeB());
  ArrayRef<int64_t> sum = acc.getShape();
  if (a.empty() || b.empty() || a[0] != sum[0] || a[1] != b[0] || b[1] != sum[1] || fragmentOf(op.getType()) != acc)
    return violate(op, {"C2", "the extents match", "MxK by KxN into MxN, the result as what is added to",
                        spell({op.getA().getType(), op.getB().getType(), op.getAcc().getType(), op.getType()})});
  int64_t n = sum[1], depth = kiln::layout::kAtomDepthBytes / bytesOf(element);
  bool columns = n % 8 == 0 && n >= 8 && n <= 256 && (!isI8(element) || n < 32 || n % 16 == 0);
  if (sum[0] % 64 == 0 && columns && a[1] > 0 && a[1] % depth == 0) return success();
  return violate(op, {"C3", "extents are whole atoms",
                      fmt::format("M a multiple of 64, N of {} up to 256, K of {}", isI8(element) ? 16 : 8, depth),
                      fmt::format("M = {}, N = {}, K = {}", sum[0], n, a[1])});
}

/// (C4) and (C5) of a shared operand; `major` is along which dimension its rows run.
static LogicalResult checkShared(WgmmaOp op, const char *name, SharedType type, Major major) {
  if (int64_t bytes = bytesOf(type.getElementType()); major == Major::MN && bytes != 2)
    return violate(op, {"C5", fmt::format("{} must have its rows along k", name), "16 bits, or rows along k",
                        fmt::format("elements of {} bits", 8 * bytes),
                        fmt::format("{} {}", name[0] == 'a' ? "no transposed" : "a transposed", name)});
  if (isOperand(tileOf(type), major)) return success();
  return violate(
      op, {"C4", "a shared operand has rows, or panels, as long as its swizzle",
           fmt::format("panels of {} columns", type.getSwizzle() ? type.getSwizzle() / bytesOf(type.getElementType())
                                                                 : 128 / bytesOf(type.getElementType())),
           spell(type)});
}

LogicalResult WgmmaOp::verify() {
  RankedTensorType acc = fragmentOf(getAcc().getType());
  Type a = getElementTypeOrSelf(getA().getType()), b = getB().getType().getElementType();
  auto sharedA = dyn_cast<SharedType>(getA().getType());
  if (sharedA) a = sharedA.getElementType();
  bool known = llvm::any_of(kTypes, [&](const TypeRow &row) {
    return row.acc(acc.getElementType()) && row.operand(a) && row.operand(b) && (row.mixed || a == b);
  });
  if (!isa<WgmmaAttr>(acc.getEncoding()) || !known)
    return violate(*this, {"C1", "element types are those of an atom",
                           "sums in a #tile.wgmma fragment, of a row of the table", spell({a, b, Type(acc)})});
  if (failed(checkExtents(*this, acc, b))) return failure();
  if ((getUnsignedA() || getUnsignedB()) && !isI8(b))
    return violate(*this, {"C7", "only integers are `unsigned`", "i8", spell(b)});
  if (getUnsignedA() != getUnsignedB())
    return violate(*this,
                   {"C7", "a and b are `unsigned` alike", "both or none", getUnsignedA() ? "a alone" : "b alone"});
  if (!sharedA && (getTransposeA() || !isa<WgmmaAAttr>(cast<RankedTensorType>(getA().getType()).getEncoding())))
    return violate(*this, {"C6", "a in registers is a #tile.wgmma_a fragment as it is", "#tile.wgmma_a, no transpose",
                           spell(getA().getType())});
  if (sharedA && failed(checkShared(*this, "a", sharedA, getTransposeA() ? Major::MN : Major::K))) return failure();
  return checkShared(*this, "b", getB().getType(), getTransposeB() ? Major::K : Major::MN);
}

LogicalResult WgmmaWaitOp::verify() {
  constexpr int64_t kMost = 7;
  if (auto most = static_cast<int64_t>(getInFlight()); most < 0 || most > kMost)
    return violate(*this, {"C1", "groups in flight are few", "0 to 7", std::to_string(most)});
  Operation *maker = getPending().getDefiningOp<WgmmaOp>();
  bool here = maker && maker->getBlock() == (*this)->getBlock();
  bool done = isDoneBetween(*(*this)->getBlock(), here ? maker : nullptr, (*this)->getNextNode());
  Type wanted = done ? Type(getPending().getType().getFragment()) : Type(getPending().getType());
  if (getType() == wanted) return success();
  return violate(*this, {"C2", done ? "what is done is a fragment" : "what may be in flight stays pending",
                         spell(wanted), spell(getType())});
}
