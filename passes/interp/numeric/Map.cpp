// Elementwise functions over whole tensors.
#include "passes/interp/numeric/Map.h"

#include "passes/interp/numeric/ElementOps.h"

namespace kiln::interp {

namespace {
/// Element i of a float tensor, as f32.
Element operand(const OracleTensor &x, int64_t i) { return widened(x.at(i), formatOf(x.dtype)); }
} // namespace

void map(Element (*f)(Element), const OracleTensor &x, OracleTensor &result) {
  const Format &format = formatOf(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, roundedTo(f(operand(x, i)), format));
}

void map(Element (*f)(Element, Element), const OracleTensor &x, const OracleTensor &y, OracleTensor &result) {
  const Format &format = formatOf(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, roundedTo(f(operand(x, i), operand(y, i)), format));
}

void map(Element (*f)(Element, const Format &), const OracleTensor &x, OracleTensor &result) {
  const Format &format = formatOf(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, roundedTo(f(operand(x, i), format), format));
}

void map(Element (*f)(Element, Element, Element, const Format &), const OracleTensor &x, const OracleTensor &y,
         const OracleTensor &z, OracleTensor &result) {
  const Format &format = formatOf(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, roundedTo(f(operand(x, i), operand(y, i), operand(z, i), format), format));
}

void map(int64_t (*f)(int64_t), const OracleTensor &x, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) {
    Integer a = x.integerAt(i);
    result.setInteger(i, {wrap(result.dtype, f(a.v)), a.either});
  }
}

void map(int64_t (*f)(int64_t, int64_t), const OracleTensor &x, const OracleTensor &y, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) {
    Integer a = x.integerAt(i), b = y.integerAt(i);
    result.setInteger(i, {wrap(result.dtype, f(a.v, b.v)), a.either || b.either});
  }
}

void mapToFloat(Element (*f)(Integer, const Format &), const OracleTensor &x, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, f(x.integerAt(i), formatOf(result.dtype)));
}

void mapToInteger(Integer (*f)(Element, DType), const OracleTensor &x, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) result.setInteger(i, f(operand(x, i), result.dtype));
}

void compareFloats(unsigned wanted, const OracleTensor &x, const OracleTensor &y, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) {
    // A mark on an operand does not matter where its bound, which covers both sides, settles the answer.
    result.setInteger(i, holds(relations(operand(x, i), operand(y, i)), wanted));
  }
}

void choose(const OracleTensor &condition, const OracleTensor &x, const OracleTensor &y, OracleTensor &result) {
  for (int64_t i = 0; i < result.size(); ++i) {
    Integer c = condition.integerAt(i);
    if (x.isFloat()) {
      result.set(i, select(c, x.at(i), y.at(i)));
      continue;
    }
    Integer a = x.integerAt(i), b = y.integerAt(i);
    Integer chosen = c.v ? a : b;
    bool same = a.v == b.v && !a.either && !b.either;
    result.setInteger(i, {chosen.v, c.either ? !same : chosen.either});
  }
}

} // namespace kiln::interp
