#include "codegen/cpu/Halves.h"
#include "ir/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

/// `type` with another element type.
Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Arithmetic on scalars or vectors, one op a call.
struct Bits {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, uint64_t value) {
    APInt bits(getElementTypeOrSelf(type).getIntOrFloatBitWidth(), value);
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), bits);
    if (auto vector = dyn_cast<VectorType>(type)) attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value add(Value x, uint64_t c) { return arith::AddIOp::create(b, loc, x, constant(x.getType(), c)); }
  Value conj(Value x, uint64_t c) { return arith::AndIOp::create(b, loc, x, constant(x.getType(), c)); }
  Value disj(Value x, uint64_t c) { return arith::OrIOp::create(b, loc, x, constant(x.getType(), c)); }
  Value shl(Value x, uint64_t n) { return arith::ShLIOp::create(b, loc, x, constant(x.getType(), n)); }
  Value shr(Value x, uint64_t n) { return arith::ShRUIOp::create(b, loc, x, constant(x.getType(), n)); }
  /// Unsigned.
  Value above(Value x, uint64_t c) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, x, constant(x.getType(), c));
  }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, loc, c, x, y); }
  Value cast(Value x, Type element) { return arith::BitcastOp::create(b, loc, withElement(x.getType(), element), x); }
  Value integers(Value floats) {
    unsigned width = getElementTypeOrSelf(floats).getIntOrFloatBitWidth();
    return cast(floats, b.getIntegerType(width));
  }
  Value floats(Value integers) { return cast(integers, b.getF32Type()); }
  Value extend(Value i16) { return arith::ExtUIOp::create(b, loc, withElement(i16.getType(), b.getI32Type()), i16); }
  Value truncate(Value i32) { return arith::TruncIOp::create(b, loc, withElement(i32.getType(), b.getI16Type()), i32); }
  /// x in the last place kept when `shift` bits are dropped.
  Value roundEven(Value x, unsigned shift) {
    Value odd = conj(shr(x, shift), 1);
    return shr(arith::AddIOp::create(b, loc, add(x, (1u << (shift - 1)) - 1), odd), shift);
  }
};

constexpr uint64_t kInfinity = 0x7f800000, kMagnitude = 0x7fffffff;

Value bf16FromF32(Bits b, Value x) {
  Value bits = b.integers(x);
  Value isNan = b.above(b.conj(bits, kMagnitude), kInfinity);
  Value quiet = b.disj(b.shr(bits, 16), 0x40);
  return b.truncate(b.select(isNan, quiet, b.roundEven(bits, 16)));
}

/// An exponent and mantissa of f16, moved to where those of f32 are, is 2^-112 times the value, subnormals too.
Value f16ToF32(Bits b, Value stored) {
  Value bits = b.extend(stored);
  Value magnitude = b.shl(b.conj(bits, 0x7fff), 13);
  Value power = b.floats(b.constant(magnitude.getType(), (127 + 112) << 23));
  Value value = b.integers(arith::MulFOp::create(b.b, b.loc, b.floats(magnitude), power));
  Value special = b.above(magnitude, (0x7c00 << 13) - 1); // infinity or NaN: the exponent is all ones in f32, too
  value = b.select(special, b.disj(magnitude, kInfinity), value);
  Value sign = b.shl(b.conj(bits, 0x8000), 16);
  return b.floats(arith::OrIOp::create(b.b, b.loc, value, sign));
}

Value f16FromF32(Bits b, Value x) {
  Value bits = b.integers(x);
  Value magnitude = b.conj(bits, kMagnitude);
  // Below 2^-14 an f16 is a multiple of 2^-24, the last place of 1/2, which the sum rounds to.
  constexpr uint64_t half = 0x3f000000;
  Value sum = arith::AddFOp::create(b.b, b.loc, b.floats(magnitude), b.floats(b.constant(bits.getType(), half)));
  Value subnormal = b.add(b.integers(sum), uint32_t(-half));
  Value normal = b.roundEven(b.add(magnitude, uint32_t(-(112 << 23))), 13);
  Value finite = b.select(b.above(magnitude, 0x387fffff), normal, subnormal);
  Value infinite = b.constant(bits.getType(), 0x7c00);
  Value result = b.select(b.above(magnitude, 0x477fffff), infinite, finite); // from 2^16 on; less may round up to it
  Value nan = b.disj(b.conj(b.shr(magnitude, 13), 0x3ff), 0x7e00);
  result = b.select(b.above(magnitude, kInfinity), nan, result);
  Value sign = b.conj(b.shr(bits, 16), 0x8000);
  return b.truncate(arith::OrIOp::create(b.b, b.loc, result, sign));
}

} // namespace

namespace kiln::codegen {

Type heldAs(Type element) { return ir::isWidened(element) ? ir::storageOf(element) : element; }

Attribute storedAttr(Attribute element) {
  auto number = dyn_cast<FloatAttr>(element);
  if (!number || !ir::isWidened(number.getType())) return element;
  return IntegerAttr::get(heldAs(number.getType()), number.getValue().bitcastToAPInt());
}

Value widen(OpBuilder &b, Location loc, Value stored, Type element) {
  Bits bits{b, loc};
  return element.isBF16() ? bits.floats(bits.shl(bits.extend(stored), 16)) : f16ToF32(bits, stored);
}

Value narrow(OpBuilder &b, Location loc, Value wide, Type element) {
  return element.isBF16() ? bf16FromF32({b, loc}, wide) : f16FromF32({b, loc}, wide);
}

/// The product is exact in f64, and the sum's error is an f64 (Knuth's two-sum). The sum rounded to f32 with what it
/// lost kept in its last bit (rounding to odd) has enough bits that rounding it again is rounding once.
Value fusedMultiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value z, Type element) {
  Type f64 = withElement(x.getType(), b.getF64Type());
  auto wide = [&](Value v) -> Value { return arith::ExtFOp::create(b, loc, f64, v); };
  auto add = [&](Value l, Value r) -> Value { return arith::AddFOp::create(b, loc, l, r); };
  auto sub = [&](Value l, Value r) -> Value { return arith::SubFOp::create(b, loc, l, r); };
  Value product = arith::MulFOp::create(b, loc, wide(x), wide(y)), addend = wide(z);
  Value sum = add(product, addend);
  Value part = sub(sum, product);
  Value lost = add(sub(product, sub(sum, part)), sub(addend, part));
  Value nearest = arith::TruncFOp::create(b, loc, x.getType(), sum);
  lost = add(sub(sum, wide(nearest)), lost); // NaN where the sum is infinite or NaN
  Bits bits{b, loc};
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(f64)));
  auto compare = [&](arith::CmpFPredicate predicate, Value l) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, l, zero);
  };
  // Away from zero the next f32 has the next bits, towards zero the previous; either is odd if this one is even.
  Value raw = bits.integers(nearest);
  Value away = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, compare(arith::CmpFPredicate::OGT, lost),
                                     compare(arith::CmpFPredicate::OGT, sum));
  Value step = bits.select(away, bits.constant(raw.getType(), 1), bits.constant(raw.getType(), uint32_t(-1)));
  Value odd = bits.conj(raw, 1);
  Value isEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, odd, bits.constant(raw.getType(), 0));
  Value moves = arith::AndIOp::create(b, loc, compare(arith::CmpFPredicate::ONE, lost), isEven);
  Value moved = bits.select(moves, arith::AddIOp::create(b, loc, raw, step), raw);
  return narrow(b, loc, bits.floats(moved), element);
}

} // namespace kiln::codegen
