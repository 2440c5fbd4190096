// Numbers, and the ops that work on them element by element.
#include "tests/numeric/tiles/Agent.h"

#include "ir/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <kiln/FloatFormat.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace kiln::numeric::tiles {

static DType formatOf(Type type) {
  if (type.isBF16()) return bf16;
  return type.isF16() ? f16 : ir::dtypeOf(type).value();
}

double decode(Type type, uint64_t bits) {
  if (type.isF32()) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decodeFloat(formatOf(type), bits);
}

uint64_t encode(Type type, double value) {
  if (type.isF32()) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return encodeFloat(formatOf(type), value);
}

unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }
uint64_t masked(uint64_t bits, unsigned width) { return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1); }
int64_t asSigned(uint64_t bits, unsigned width) { return static_cast<int64_t>(bits << (64 - width)) >> (64 - width); }

/// a + b rounded to odd: what is then rounded to a narrower type is as if rounded once.
static double addToOdd(double a, double b) {
  double sum = a + b, part = sum - a;
  double rest = (a - (sum - part)) + (b - part); // exact: sum + rest = a + b
  auto bits = std::bit_cast<int64_t>(sum);
  if (rest == 0 || !std::isfinite(sum) || (bits & 1)) return sum;
  return std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

uint64_t fusedMultiplyAdd(Type type, uint64_t a, uint64_t b, uint64_t c) {
  double x = decode(type, a), y = decode(type, b), z = decode(type, c);
  if (!type.isF32()) return encode(type, addToOdd(x * y, z)); // the product is exact
  return std::bit_cast<uint32_t>(std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

} // namespace kiln::numeric::tiles

namespace {

/// Calls `each` with the operands' bits of every element of the result; what it returns are the result's.
template <typename F> void perElement(Agent &m, Operation *op, F each) {
  Value result = op->getResult(0);
  Type type = result.getType();
  Bits out(static_cast<size_t>(m.groupsOf(type) * Agent::elementsOf(type)));
  auto count = static_cast<size_t>(Agent::elementsOf(type));
  for (int64_t g = 0; g < m.groupsOf(type); ++g) {
    if (!m.isActive(type, g)) continue;
    std::span<const uint64_t> x[3];
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) x[i] = m.operand(operand, type, g);
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits[3] = {};
      for (size_t k = 0; k < op->getNumOperands(); ++k) bits[k] = x[k][x[k].size() == 1 ? 0 : i];
      out[static_cast<size_t>(g) * count + i] = each(bits);
    }
  }
  m.make(result) = std::move(out);
}

Type elementIn(Operation *op, unsigned i = 0) { return getElementTypeOrSelf(op->getOperand(i).getType()); }
Type elementOut(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()); }

// A double holds what rounds to f32 and less as if there had been no double.
double add(double a, double b) { return a + b; }
double sub(double a, double b) { return a - b; }
double mul(double a, double b) { return a * b; }
double div(double a, double b) { return a / b; }
double root(double a) { return std::sqrt(a); }
double toLower(double a) { return std::floor(a); }
double toUpper(double a) { return std::ceil(a); }
double toEven(double a) { return std::nearbyint(a); }
double toZero(double a) { return std::trunc(a); }

template <double (*fn)(double, double)> void floatBinary(Agent &m, Operation *op) {
  Type type = elementOut(op);
  perElement(m, op, [&](uint64_t *x) { return encode(type, fn(decode(type, x[0]), decode(type, x[1]))); });
}
template <double (*fn)(double)> void floatUnary(Agent &m, Operation *op) {
  Type type = elementOut(op);
  perElement(m, op, [&](uint64_t *x) { return encode(type, fn(decode(type, x[0]))); });
}

void fma(Agent &m, Operation *op) {
  Type type = elementOut(op);
  perElement(m, op, [&](uint64_t *x) { return fusedMultiplyAdd(type, x[0], x[1], x[2]); });
}

uint64_t signOf(Type type) { return uint64_t(1) << (widthOf(type) - 1); }
void negate(Agent &m, Operation *op) {
  perElement(m, op, [&](uint64_t *x) { return x[0] ^ signOf(elementOut(op)); });
}
void absolute(Agent &m, Operation *op) {
  perElement(m, op, [&](uint64_t *x) { return x[0] & ~signOf(elementOut(op)); });
}
void copySign(Agent &m, Operation *op) {
  uint64_t sign = signOf(elementOut(op));
  perElement(m, op, [&](uint64_t *x) { return (x[0] & ~sign) | (x[1] & sign); });
}

//===- Integers ---------------------------------------------------------------------------------------------------===//

template <typename F> void integers(Agent &m, Operation *op, F fn) {
  unsigned width = widthOf(elementOut(op));
  perElement(m, op, [&](uint64_t *x) { return masked(fn(x[0], x[1], width), width); });
}
using U = uint64_t;
template <U (*fn)(U, U, unsigned)> void integer(Agent &m, Operation *op) { integers(m, op, fn); }

U iadd(U a, U b, unsigned) { return a + b; }
U isub(U a, U b, unsigned) { return a - b; }
U imul(U a, U b, unsigned) { return a * b; }
U iand(U a, U b, unsigned) { return a & b; }
U ior(U a, U b, unsigned) { return a | b; }
U ixor(U a, U b, unsigned) { return a ^ b; }
U ishl(U a, U b, unsigned w) { return b < w ? a << b : 0; }
U ishru(U a, U b, unsigned w) { return b < w ? a >> b : 0; }
U ishrs(U a, U b, unsigned w) { return static_cast<U>(asSigned(a, w) >> std::min<U>(b, w - 1)); }
U nonZero(U b) {
  if (b == 0) throw Fault("an integer is divided by zero");
  return b;
}
U idivu(U a, U b, unsigned) { return a / nonZero(b); }
U iceilu(U a, U b, unsigned) { return a == 0 ? 0 : (a - 1) / nonZero(b) + 1; }
U iremu(U a, U b, unsigned) { return a % nonZero(b); }
// INT_MIN / -1 wraps.
U idivs(U a, U b, unsigned w) { return asSigned(nonZero(b), w) == -1 ? 0 - a : U(asSigned(a, w) / asSigned(b, w)); }
U irems(U a, U b, unsigned w) { return asSigned(nonZero(b), w) == -1 ? 0 : U(asSigned(a, w) % asSigned(b, w)); }
U imaxs(U a, U b, unsigned w) { return asSigned(a, w) > asSigned(b, w) ? a : b; }
U imins(U a, U b, unsigned w) { return asSigned(a, w) < asSigned(b, w) ? a : b; }
U imaxu(U a, U b, unsigned) { return std::max(a, b); }
U iminu(U a, U b, unsigned) { return std::min(a, b); }

//===- Comparisons and casts --------------------------------------------------------------------------------------===//

void compareFloats(Agent &m, Operation *op) {
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  Type type = elementIn(op);
  perElement(m, op, [&](uint64_t *x) -> uint64_t {
    return arith::applyCmpPredicate(predicate, llvm::APFloat(decode(type, x[0])), llvm::APFloat(decode(type, x[1])));
  });
}

void compareIntegers(Agent &m, Operation *op) {
  arith::CmpIPredicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  unsigned width = widthOf(elementIn(op));
  perElement(m, op, [&](uint64_t *x) -> uint64_t {
    return arith::applyCmpPredicate(predicate, llvm::APInt(width, x[0]), llvm::APInt(width, x[1]));
  });
}

void select(Agent &m, Operation *op) {
  perElement(m, op, [](uint64_t *x) { return x[0] & 1 ? x[1] : x[2]; });
}

void keepBits(Agent &m, Operation *op) {
  unsigned width = widthOf(elementOut(op));
  perElement(m, op, [&](uint64_t *x) { return masked(x[0], width); });
}
void extendSign(Agent &m, Operation *op) {
  unsigned from = widthOf(elementIn(op)), to = widthOf(elementOut(op));
  perElement(m, op, [&](uint64_t *x) { return masked(static_cast<U>(asSigned(x[0], from)), to); });
}
void castFloat(Agent &m, Operation *op) {
  Type from = elementIn(op), to = elementOut(op);
  // Floats of 8 bits saturate; that infinities do, too, only f8E5M2's format does not say.
  double most = isa<Float8E5M2Type>(to) ? 57344 : HUGE_VAL;
  perElement(m, op, [&](uint64_t *x) {
    double value = decode(from, x[0]);
    return encode(to, std::isnan(value) ? value : std::clamp(value, -most, most));
  });
}
template <bool isSigned> void toFloat(Agent &m, Operation *op) {
  unsigned width = widthOf(elementIn(op));
  Type to = elementOut(op);
  perElement(m, op, [&](uint64_t *x) -> uint64_t {
    int64_t value = isSigned ? asSigned(x[0], width) : static_cast<int64_t>(x[0]);
    if (to.isF32()) return std::bit_cast<uint32_t>(static_cast<float>(value)); // one rounding
    return encode(to, static_cast<double>(value));
  });
}
void toInteger(Agent &m, Operation *op) {
  Type from = elementIn(op);
  unsigned width = widthOf(elementOut(op));
  perElement(m, op, [&](uint64_t *x) -> uint64_t {
    double value = std::trunc(decode(from, x[0])), limit = std::ldexp(1.0, static_cast<int>(width) - 1);
    // Outside, the value is poison: a program selects something else.
    if (!(value >= -limit && value < limit)) return 0;
    return masked(static_cast<U>(static_cast<int64_t>(value)), width);
  });
}

void constant(Agent &m, Operation *op) {
  auto bitsOf = [](Attribute a) -> uint64_t {
    if (auto f = dyn_cast<FloatAttr>(a)) return f.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(a).getValue().getZExtValue();
  };
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Bits &out = m.make(op->getResult(0));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    std::fill(out.begin(), out.end(), bitsOf(value));
    return;
  }
  auto count = static_cast<size_t>(dense.getNumElements());
  size_t i = 0;
  for (Attribute element : dense.getValues<Attribute>()) {
    for (size_t g = 0; g < out.size() / count; ++g) out[g * count + i] = bitsOf(element);
    ++i;
  }
}

} // namespace

uint64_t kiln::numeric::tiles::combine(tile::CombineKind kind, Type type, uint64_t a, uint64_t b) {
  if (isa<FloatType>(type)) {
    static constexpr double (*kFloats[])(double, double) = {add, mul, maximum, minimum};
    return encode(type, kFloats[static_cast<int>(kind)](decode(type, a), decode(type, b)));
  }
  static constexpr U (*kIntegers[])(U, U, unsigned) = {iadd, imul, imaxs, imins};
  unsigned width = widthOf(type);
  return masked(kIntegers[static_cast<int>(kind)](a, b, width), width);
}

llvm::ArrayRef<Row> kiln::numeric::tiles::elementwiseRows() {
  static const Row rows[] = {
      {"arith.constant", constant},
      {"arith.addf", floatBinary<add>},
      {"arith.subf", floatBinary<sub>},
      {"arith.mulf", floatBinary<mul>},
      {"arith.divf", floatBinary<div>},
      {"arith.maximumf", floatBinary<maximum>},
      {"arith.minimumf", floatBinary<minimum>},
      {"arith.negf", negate},
      {"math.absf", absolute},
      {"math.copysign", copySign},
      {"math.sqrt", floatUnary<root>},
      {"math.floor", floatUnary<toLower>},
      {"math.ceil", floatUnary<toUpper>},
      {"math.trunc", floatUnary<toZero>},
      {"math.roundeven", floatUnary<toEven>},
      {"math.fma", fma},
      {"arith.addi", integer<iadd>},
      {"arith.subi", integer<isub>},
      {"arith.muli", integer<imul>},
      {"arith.andi", integer<iand>},
      {"arith.ori", integer<ior>},
      {"arith.xori", integer<ixor>},
      {"arith.shli", integer<ishl>},
      {"arith.shrui", integer<ishru>},
      {"arith.shrsi", integer<ishrs>},
      {"arith.divui", integer<idivu>},
      {"arith.ceildivui", integer<iceilu>},
      {"arith.remui", integer<iremu>},
      {"arith.divsi", integer<idivs>},
      {"arith.remsi", integer<irems>},
      {"arith.maxsi", integer<imaxs>},
      {"arith.minsi", integer<imins>},
      {"arith.maxui", integer<imaxu>},
      {"arith.minui", integer<iminu>},
      {"arith.cmpf", compareFloats},
      {"arith.cmpi", compareIntegers},
      {"arith.select", select},
      {"arith.extui", keepBits},
      {"arith.trunci", keepBits},
      {"arith.bitcast", keepBits},
      {"arith.index_castui", keepBits},
      {"arith.extsi", extendSign},
      {"arith.index_cast", extendSign},
      {"arith.extf", castFloat},
      {"arith.truncf", castFloat},
      {"arith.sitofp", toFloat<true>},
      {"arith.uitofp", toFloat<false>},
      {"arith.fptosi", toInteger},
  };
  return rows;
}
