// Arithmetic, casts, vectors and constants, component by component for 32 threads.
#include "tests/numeric/threads/Machine.h"

#include "ir/ptx/Ptx.h"
#include "kiln/FloatFormat.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;
using namespace kiln::numeric::threads;
using tiles::asSigned, tiles::decode, tiles::encode, tiles::masked;

namespace {

using U = uint64_t;

unsigned widthOf(Type type) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type)) return pointer.getAddressSpace() == ptx::Shared ? 32 : 64;
  return tiles::widthOf(type);
}

/// result = fn(operands…) for each component of each thread; a scalar operand serves all components.
template <typename F> void each(Warp &w, const Instruction &i, F fn) {
  const Slot &result = i.results[0];
  for (unsigned c = 0; c < result.components; ++c) {
    const U *x[3] = {};
    for (size_t k = 0; k < std::min<size_t>(i.operands.size(), 3); ++k)
      x[k] = w.of(i.operands[k], i.operands[k].components == 1 ? 0 : c);
    U *out = w.of(result, c);
    for (int l = 0; l < kLanes; ++l) out[l] = fn(x[0] ? x[0][l] : 0, x[1] ? x[1][l] : 0, x[2] ? x[2][l] : 0);
  }
}

//===- Integers ---------------------------------------------------------------------------------------------------===//

template <U (*fn)(U, U, unsigned)> void integer(Machine &, Warp &w, const Instruction &i) {
  unsigned width = widthOf(i.results[0].element);
  each(w, i, [&](U a, U b, U) { return masked(fn(a, b, width), width); });
}

/// The same, and what the op says of overflow holds: in 64 bits the result of narrower operands is exact.
template <U (*fn)(U, U, unsigned)> void exact(Machine &m, Warp &w, const Instruction &i) {
  auto flags = cast<LLVM::IntegerOverflowFlagsInterface>(i.op);
  unsigned width = widthOf(i.results[0].element);
  bool isSigned = flags.hasNoSignedWrap(), isUnsigned = flags.hasNoUnsignedWrap();
  if (width <= 32 && (isSigned || isUnsigned))
    each(w, i, [&](U a, U b, U) {
      U signedResult = fn(static_cast<U>(asSigned(a, width)), static_cast<U>(asSigned(b, width)), 64);
      bool fits = asSigned(masked(signedResult, width), width) == static_cast<int64_t>(signedResult);
      U result = fn(a, b, 64);
      if ((isSigned && !fits) || (isUnsigned && masked(result, width) != result))
        throw Fault(fmt::format("{} overflows on {:#x} and {:#x}", i.op->getName().getStringRef().str(), a, b));
      return masked(result, width);
    });
  else
    integer<fn>(m, w, i);
}

U add(U a, U b, unsigned) { return a + b; }
U sub(U a, U b, unsigned) { return a - b; }
U mul(U a, U b, unsigned) { return a * b; }
U conj(U a, U b, unsigned) { return a & b; }
U disj(U a, U b, unsigned) { return a | b; }
U parity(U a, U b, unsigned) { return a ^ b; }
U shl(U a, U b, unsigned w) { return b >= w ? 0 : a << b; }
U lshr(U a, U b, unsigned w) { return b >= w ? 0 : a >> b; }
U ashr(U a, U b, unsigned w) { return static_cast<U>(asSigned(a, w) >> std::min<U>(b, w - 1)); }
U smax(U a, U b, unsigned w) { return asSigned(a, w) > asSigned(b, w) ? a : b; }
U smin(U a, U b, unsigned w) { return asSigned(a, w) < asSigned(b, w) ? a : b; }
U umax(U a, U b, unsigned) { return std::max(a, b); }
U umin(U a, U b, unsigned) { return std::min(a, b); }
// Behind guards: what a division by 0 gives is not used.
U udiv(U a, U b, unsigned) { return b == 0 ? ~U(0) : a / b; }
U urem(U a, U b, unsigned) { return b == 0 ? a : a % b; }
U sdiv(U a, U b, unsigned w) {
  int64_t x = asSigned(a, w), y = asSigned(b, w);
  return y == 0 ? ~U(0) : y == -1 ? U(0) - static_cast<U>(x) : static_cast<U>(x / y);
}
U srem(U a, U b, unsigned w) {
  int64_t x = asSigned(a, w), y = asSigned(b, w);
  return y == 0 || y == -1 ? 0 : static_cast<U>(x % y);
}

/// A 32-bit window of high:low, moved by a part of a word.
void funnel(Machine &, Warp &w, const Instruction &i) {
  if (widthOf(i.results[0].element) != 32) throw Fault("a funnel shift of other than 32 bits");
  bool left = isa<LLVM::FshlOp>(i.op);
  each(w, i, [&](U high, U low, U by) {
    U pair = high << 32 | low;
    return masked(left ? pair << by % 32 >> 32 : pair >> by % 32, 32);
  });
}

void icmp(Machine &, Warp &w, const Instruction &i) {
  using P = LLVM::ICmpPredicate;
  P predicate = cast<LLVM::ICmpOp>(i.op).getPredicate();
  unsigned width = widthOf(i.operands[0].element);
  each(w, i, [&](U a, U b, U) -> U {
    int64_t x = asSigned(a, width), y = asSigned(b, width);
    switch (predicate) {
    case P::eq:
      return a == b;
    case P::ne:
      return a != b;
    case P::slt:
      return x < y;
    case P::sle:
      return x <= y;
    case P::sgt:
      return x > y;
    case P::sge:
      return x >= y;
    case P::ult:
      return a < b;
    case P::ule:
      return a <= b;
    case P::ugt:
      return a > b;
    case P::uge:
      return a >= b;
    }
    return 0;
  });
}

//===- Floats -----------------------------------------------------------------------------------------------------===//

double fadd(double a, double b) { return a + b; }
double fsub(double a, double b) { return a - b; }
double fmul(double a, double b) { return a * b; }
double fdiv(double a, double b) { return a / b; }
double root(double a) { return std::sqrt(a); }
double toLower(double a) { return std::floor(a); }
double toUpper(double a) { return std::ceil(a); }
double toZero(double a) { return std::trunc(a); }
double toEven(double a) { return std::nearbyint(a); }

template <double (*fn)(double, double)> void floatBinary(Machine &, Warp &w, const Instruction &i) {
  Type type = i.results[0].element;
  each(w, i, [&](U a, U b, U) { return encode(type, fn(decode(type, a), decode(type, b))); });
}
template <double (*fn)(double)> void floatUnary(Machine &, Warp &w, const Instruction &i) {
  Type type = i.results[0].element;
  each(w, i, [&](U a, U, U) { return encode(type, fn(decode(type, a))); });
}

void fma(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U b, U c) { return tiles::fusedMultiplyAdd(i.results[0].element, a, b, c); });
}

U signOf(const Instruction &i) { return U(1) << (widthOf(i.results[0].element) - 1); }
void fneg(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [sign = signOf(i)](U a, U, U) { return a ^ sign; });
}
void fabs(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [sign = signOf(i)](U a, U, U) { return a & ~sign; });
}
void copySign(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [sign = signOf(i)](U a, U b, U) { return (a & ~sign) | (b & sign); });
}

void fcmp(Machine &, Warp &w, const Instruction &i) {
  using P = LLVM::FCmpPredicate;
  // Sets of outcomes: 1 equal, 2 greater, 4 less, 8 unordered.
  static const std::map<P, unsigned> outcomes = {{P::_false, 0}, {P::oeq, 1},  {P::ogt, 2},  {P::oge, 3},
                                                 {P::olt, 4},    {P::ole, 5},  {P::one, 6},  {P::ord, 7},
                                                 {P::ueq, 9},    {P::ugt, 10}, {P::uge, 11}, {P::ult, 12},
                                                 {P::ule, 13},   {P::une, 14}, {P::uno, 8},  {P::_true, 15}};
  unsigned wanted = outcomes.at(cast<LLVM::FCmpOp>(i.op).getPredicate());
  Type type = i.operands[0].element;
  each(w, i, [&](U a, U b, U) -> U {
    double x = decode(type, a), y = decode(type, b);
    return (wanted & (std::isnan(x) || std::isnan(y) ? 8 : x < y ? 4 : x > y ? 2 : 1)) != 0;
  });
}

//===- Casts ------------------------------------------------------------------------------------------------------===//

void refloat(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U, U) { return encode(i.results[0].element, decode(i.operands[0].element, a)); });
}
DType byteFloatOf(Type type) { return isa<Float8E4M3FNType>(type) ? f8E4M3FN : f8E5M2; }
/// Two to bytes, the second operand first; beyond the largest finite value there is only that.
void toByteFloats(Machine &, Warp &w, const Instruction &i) {
  DType dtype = byteFloatOf(cast<NVVM::ConvertF32x2ToF8x2Op>(i.op).getDstTy());
  double largest = dtype == f8E4M3FN ? 448 : 57344;
  for (unsigned c : {0u, 1u})
    for (int l = 0; l < kLanes; ++l) {
      double x = decode(i.operands[1 - c].element, w.of(i.operands[1 - c])[l]);
      w.of(i.results[0], c)[l] = encodeFloat(dtype, std::isnan(x) ? x : std::clamp(x, -largest, largest));
    }
}
void fromByteFloats(Machine &, Warp &w, const Instruction &i) {
  DType dtype = byteFloatOf(cast<NVVM::ConvertF8x2ToF16x2Op>(i.op).getSrcType());
  each(w, i, [&](U a, U, U) { return encode(i.results[0].element, decodeFloat(dtype, a)); });
}
void unsignedCast(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [width = widthOf(i.results[0].element)](U a, U, U) { return masked(a, width); });
}
void signedCast(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U, U) {
    return masked(static_cast<U>(asSigned(a, widthOf(i.operands[0].element))), widthOf(i.results[0].element));
  });
}
/// Rounded once: what f32 cannot hold a double does not hold either, so it goes straight there.
U fromInteger(Type type, int64_t x) {
  return type.isF32() ? std::bit_cast<uint32_t>(static_cast<float>(x)) : encode(type, static_cast<double>(x));
}
void fromSigned(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U, U) { return fromInteger(i.results[0].element, asSigned(a, widthOf(i.operands[0].element))); });
}
void fromUnsigned(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U, U) {
    return i.operands[0].element.isInteger(64) ? std::bit_cast<uint32_t>(static_cast<float>(a))
                                               : fromInteger(i.results[0].element, static_cast<int64_t>(a));
  });
}
/// Behind a clamp: what does not fit is not used.
void toInteger(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [&](U a, U, U) -> U {
    double x = decode(i.operands[0].element, a);
    if (!(std::abs(x) < 0x1p63)) return U(1) << 63;
    return masked(static_cast<U>(static_cast<int64_t>(x)), widthOf(i.results[0].element));
  });
}

/// The bits, low components first, cut anew.
void bitcast(Machine &, Warp &w, const Instruction &i) {
  const Slot &from = i.operands[0], &to = i.results[0];
  unsigned in = widthOf(from.element), out = widthOf(to.element);
  for (int l = 0; l < kLanes; ++l) {
    U bits[2] = {}; // 128
    for (unsigned c = 0; c < from.components; ++c) bits[c * in / 64] |= w.of(from, c)[l] << (c * in % 64);
    for (unsigned c = 0; c < to.components; ++c) w.of(to, c)[l] = masked(bits[c * out / 64] >> (c * out % 64), out);
  }
}

//===- Vectors and constants --------------------------------------------------------------------------------------===//

U rawOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) return number.getValue().bitcastToAPInt().getZExtValue();
  auto integer = cast<IntegerAttr>(value);
  return integer.getValue().getZExtValue();
}

void constant(Machine &, Warp &w, const Instruction &i) {
  Attribute value = cast<LLVM::ConstantOp>(i.op).getValue();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  for (unsigned c = 0; c < i.results[0].components; ++c) {
    U raw =
        rawOf(dense ? dense.isSplat() ? dense.getSplatValue<Attribute>() : *(dense.getValues<Attribute>().begin() + c)
                    : value);
    std::fill_n(w.of(i.results[0], c), kLanes, masked(raw, widthOf(i.results[0].element)));
  }
}
void undefined(Machine &, Warp &w, const Instruction &i) {
  for (unsigned c = 0; c < i.results[0].components; ++c)
    std::fill_n(w.of(i.results[0], c), kLanes, masked(0x7FC5A5A57FC5A5A5, widthOf(i.results[0].element)));
}
void zero(Machine &, Warp &w, const Instruction &i) {
  std::fill_n(w.of(i.results[0]), kLanes * i.results[0].components, 0);
}

unsigned componentAt(Warp &w, const Slot &index) { return static_cast<unsigned>(w.of(index)[0]); }
void extractElement(Machine &, Warp &w, const Instruction &i) {
  std::copy_n(w.of(i.operands[0], componentAt(w, i.operands[1])), kLanes, w.of(i.results[0]));
}
void insertElement(Machine &, Warp &w, const Instruction &i) { // vector, value, position
  std::copy_n(w.of(i.operands[0]), kLanes * i.operands[0].components, w.of(i.results[0]));
  std::copy_n(w.of(i.operands[1]), kLanes, w.of(i.results[0], componentAt(w, i.operands[2])));
}
void shuffle(Machine &, Warp &w, const Instruction &i) {
  for (auto [c, from] : llvm::enumerate(cast<LLVM::ShuffleVectorOp>(i.op).getMask())) {
    auto n = static_cast<unsigned>(std::max(from, 0));
    unsigned first = i.operands[0].components;
    std::copy_n(n < first ? w.of(i.operands[0], n) : w.of(i.operands[1], n - first), kLanes,
                w.of(i.results[0], static_cast<unsigned>(c)));
  }
}
void extractValue(Machine &, Warp &w, const Instruction &i) {
  auto field = static_cast<unsigned>(cast<LLVM::ExtractValueOp>(i.op).getPosition()[0]);
  std::copy_n(w.of(i.operands[0], field), kLanes, w.of(i.results[0]));
}
void select(Machine &, Warp &w, const Instruction &i) {
  each(w, i, [](U condition, U a, U b) { return condition & 1 ? a : b; });
}

void approx(Machine &, Warp &w, const Instruction &i) {
  auto kind = cast<ptx::ApproxOp>(i.op).getKind();
  Type type = i.results[0].element;
  each(w, i, [&](U a, U, U) {
    double x = decode(type, a);
    return encode(type, kind == ptx::ApproxKind::ex2   ? std::exp2(x)
                        : kind == ptx::ApproxKind::rcp ? 1 / x
                                                       : 1 / std::sqrt(x));
  });
}

} // namespace

ArrayRef<Row> kiln::numeric::threads::arithmeticRows() {
  static const Row rows[] = {
      {"llvm.add", exact<add>},
      {"llvm.sub", exact<sub>},
      {"llvm.mul", exact<mul>},
      {"llvm.sdiv", integer<sdiv>},
      {"llvm.udiv", integer<udiv>},
      {"llvm.srem", integer<srem>},
      {"llvm.urem", integer<urem>},
      {"llvm.and", integer<conj>},
      {"llvm.or", integer<disj>},
      {"llvm.xor", integer<parity>},
      {"llvm.shl", integer<shl>},
      {"llvm.ashr", integer<ashr>},
      {"llvm.lshr", integer<lshr>},
      {"llvm.intr.smax", integer<smax>},
      {"llvm.intr.smin", integer<smin>},
      {"llvm.intr.umax", integer<umax>},
      {"llvm.intr.umin", integer<umin>},
      {"llvm.intr.fshl", funnel},
      {"llvm.intr.fshr", funnel},
      {"llvm.icmp", icmp},
      {"llvm.fadd", floatBinary<fadd>},
      {"llvm.fsub", floatBinary<fsub>},
      {"llvm.fmul", floatBinary<fmul>},
      {"llvm.fdiv", floatBinary<fdiv>},
      {"llvm.intr.maximum", floatBinary<tiles::maximum>},
      {"llvm.intr.minimum", floatBinary<tiles::minimum>},
      {"llvm.intr.sqrt", floatUnary<root>},
      {"llvm.intr.floor", floatUnary<toLower>},
      {"llvm.intr.ceil", floatUnary<toUpper>},
      {"llvm.intr.trunc", floatUnary<toZero>},
      {"llvm.intr.roundeven", floatUnary<toEven>},
      {"llvm.intr.fma", fma},
      {"llvm.fneg", fneg},
      {"llvm.intr.fabs", fabs},
      {"llvm.intr.copysign", copySign},
      {"llvm.fcmp", fcmp},
      {"llvm.fpext", refloat},
      {"llvm.fptrunc", refloat},
      {"nvvm.convert.f32x2.to.f8x2", toByteFloats},
      {"nvvm.convert.f8x2.to.f16x2", fromByteFloats},
      {"llvm.zext", unsignedCast},
      {"llvm.trunc", unsignedCast},
      {"llvm.sext", signedCast},
      {"llvm.sitofp", fromSigned},
      {"llvm.uitofp", fromUnsigned},
      {"llvm.fptosi", toInteger},
      {"llvm.fptoui", toInteger},
      {"llvm.bitcast", bitcast},
      {"llvm.mlir.constant", constant},
      {"llvm.mlir.poison", undefined},
      {"llvm.mlir.undef", undefined},
      {"llvm.mlir.zero", zero},
      {"llvm.extractelement", extractElement},
      {"llvm.insertelement", insertElement},
      {"llvm.shufflevector", shuffle},
      {"llvm.extractvalue", extractValue},
      {"llvm.select", select},
      {"ptx.approx", approx},
  };
  return rows;
}
