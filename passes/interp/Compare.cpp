// Comparison of a device's tensor with the oracle's.
#include "passes/interp/Compare.h"

#include "passes/interp/numeric/Rounding.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln::interp {
namespace {

struct Verdict {
  bool good;
  double ratio; ///< error over bound; 0 where there is no distance to speak of
};

Verdict good(bool value) { return {value, 0}; }

Verdict judge(const Element &want, double found, bool zeroSigns, const Format &format) {
  if (want.isUnknown()) return good(true);
  if (std::isnan(want.v)) return good(std::isnan(found));
  if (std::isinf(want.v)) return good(found == want.v);
  if (std::isnan(found)) return good(false);
  if (std::isinf(found)) return good((found > 0 ? want.v : -want.v) + want.b >= format.overflow);
  if (want.exact() && want.v == 0 && found == 0) return good(!zeroSigns || std::signbit(want.v) == std::signbit(found));
  double error = std::fabs(found - want.v);
  if (error == 0) return good(true);
  double ratio = want.b == 0 ? std::numeric_limits<double>::infinity() : error / want.b;
  return {ratio <= 1, ratio};
}

std::string indexString(std::span<const int64_t> shape, int64_t linear) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d]) index[d] = linear % shape[d];
  return shapeString(index);
}

void compareFloats(const OracleTensor &expected, const HostTensor &actual, bool zeroSigns, Comparison &result) {
  const Format &format = formatOf(expected.dtype);
  const float *floats = expected.isHalf() ? nullptr : actual.data<float>();
  for (int64_t i = 0; i < expected.size(); ++i) {
    Element want = expected.at(i);
    result.eitherCount += want.either;
    double found = floats ? floats[i] : actual.get(i);
    Verdict verdict = judge(want, found, zeroSigns, format);
    result.worstErrorOverBound = std::max(result.worstErrorOverBound, verdict.ratio);
    if (verdict.good) continue;
    if (result.mismatches++ == 0)
      result.firstMismatch = fmt::format("element {}: expected {:.9g} +- {:.3g}, found {:.9g} ({:.3g} bounds off)",
                                         indexString(expected.shape, i), want.v, want.b, found, verdict.ratio);
  }
}

void compareIntegers(const OracleTensor &expected, const HostTensor &actual, Comparison &result) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    Integer want = expected.integerAt(i);
    result.eitherCount += want.either;
    // A bool is one byte holding 0 or 1: any other byte is wrong, whatever the value.
    int64_t found = actual.dtype() == DType::Bool ? actual.data<uint8_t>()[i] : actual.getInt(i);
    bool valid = actual.dtype() != DType::Bool || found <= 1;
    if (valid && (want.either || want.v == found)) continue;
    if (result.mismatches++ == 0)
      result.firstMismatch =
          fmt::format("element {}: expected {}, found {}", indexString(expected.shape, i), want.v, found);
  }
}

} // namespace

std::string Comparison::summary() const {
  std::string text = fmt::format("{}: {} elements, worst error {:.3g} of the bound",
                                 mismatches ? "wrong" : "within bounds", elements, worstErrorOverBound);
  if (eitherCount) text += fmt::format(", {} at a discontinuity, where either side is right", eitherCount);
  if (mismatches) text += fmt::format(", {} mismatches, first {}", mismatches, firstMismatch);
  return text;
}

Comparison compare(const OracleTensor &expected, const HostTensor &actual, const CompareOptions &options) {
  Comparison result;
  result.elements = expected.size();
  if (actual.dtype() != expected.dtype || actual.shape() != expected.shape) {
    result.mismatches = std::max<int64_t>(1, expected.size());
    result.firstMismatch =
        fmt::format("expected {}, found {}", typeString(expected.dtype, expected.shape), actual.typeString());
    return result;
  }
  if (expected.isFloat())
    compareFloats(expected, actual, expected.zeroSigns && !options.ignoreZeroSigns, result);
  else
    compareIntegers(expected, actual, result);
  return result;
}

} // namespace kiln::interp
