// What the interpreter computes: tensors whose elements are a value and a bound on how far a correct device may be from
// it. No MLIR in here.
//
// A float element stands for every number of its dtype in [value - bound, value + bound]; where that range crosses the
// threshold from which the dtype rounds to infinity (2^128 - 2^103 for f32) it includes the infinity. Bound 0 means one
// bit pattern only: the value is then itself of the dtype, an infinity or NaN. An infinite bound means that nothing is
// known. Where a discontinuity (a comparison, floor, a cast to integer, a choice, an index) straddles, the element is
// marked `either`: its bound then covers all sides that may be taken, so it is still sound, but weak; comparisons cap
// how many elements may be so.
#pragma once

#include <kiln/HostTensor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kiln::interp {

/// One float element: value, absolute bound (>= 0), and whether a discontinuity straddled on the way to it.
struct Element {
  double v = 0;
  double b = 0;
  bool either = false;

  bool exact() const { return b == 0 && !either; }
  /// Nothing is known of it, not even whether it is a number.
  static Element unknown() { return {0, std::numeric_limits<double>::infinity(), true}; }
  bool isUnknown() const { return std::isinf(b); }
};

/// One integer or bool element; `either` means that its value is not known.
struct Integer {
  int64_t v = 0;
  bool either = false;
};

/// A tensor of elements, dense and row-major. dtype is F32, F16, BF16, I32, I64 or Bool. Exact tensors carry no bounds.
struct OracleTensor {
  std::vector<int64_t> shape;
  DType dtype = DType::F32;
  std::vector<double> values;    ///< of floats, one per element
  std::vector<int64_t> integers; ///< of integers, and of bools as 0 or 1
  std::vector<double> bounds;    ///< of floats; empty when all are 0
  std::vector<uint8_t> either;   ///< empty when no element is
  bool zeroSigns = true; ///< whether the contract fixes the sign of exact zeros (IEEE arithmetic and moves only)

  OracleTensor() = default;
  /// A tensor of exact zeros. dtype must be one of those.
  OracleTensor(std::vector<int64_t> shape, DType dtype);

  int64_t size() const { return static_cast<int64_t>(isFloat() ? values.size() : integers.size()); }
  bool isFloat() const { return dtype == DType::F32 || isHalf(); }
  bool isHalf() const { return dtype == DType::F16 || dtype == DType::BF16; }
  bool isExact() const { return bounds.empty() && either.empty(); }

  Element at(int64_t i) const {
    return {values[i], bounds.empty() ? 0.0 : bounds[i], !either.empty() && either[i] != 0};
  }
  void set(int64_t i, Element e) {
    values[i] = e.v;
    setBound(i, e.b);
    setEither(i, e.either);
  }
  Integer integerAt(int64_t i) const { return {integers[i], !either.empty() && either[i] != 0}; }
  void setInteger(int64_t i, Integer e) {
    integers[i] = e.v;
    setEither(i, e.either);
  }

  /// The exact tensor with a host tensor's elements. Throws Error unless its dtype is one of those above.
  static OracleTensor fromHost(const HostTensor &tensor);
  /// The values, rounded to the dtype: what an ideal device returns. Bounds are dropped.
  HostTensor toHost() const;

private:
  void setBound(int64_t i, double b) {
    if (b == 0 && bounds.empty()) return;
    if (bounds.empty()) bounds.assign(values.size(), 0.0);
    bounds[i] = b;
  }
  void setEither(int64_t i, bool flag) {
    if (!flag && either.empty()) return;
    if (either.empty()) either.assign(static_cast<size_t>(size()), 0);
    either[i] = flag;
  }
};

/// `value` cut to the width of an integer dtype, as two's complement; bool keeps the lowest bit.
inline int64_t wrap(DType dtype, int64_t value) {
  if (dtype == DType::I32) return static_cast<int32_t>(static_cast<uint64_t>(value));
  return dtype == DType::Bool ? value & 1 : value;
}

} // namespace kiln::interp
