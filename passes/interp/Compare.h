// Judges what a device returned by what the interpreter says it may return.
#pragma once

#include "passes/interp/Value.h"

namespace kiln::interp {

struct CompareOptions {
  /// Accept -0 for +0 and the reverse even where the contract fixes the sign (OracleTensor::zeroSigns, exact elements).
  bool ignoreZeroSigns = false;
};

/// The verdict on one tensor.
struct Comparison {
  double worstErrorOverBound = 0; ///< over finite elements with a finite bound; infinite where a bound of 0 is missed
  int64_t mismatches = 0;         ///< elements outside their bounds
  int64_t eitherCount = 0;        ///< elements at a discontinuity, whose bound is weak
  int64_t elements = 0;
  std::string firstMismatch; ///< "element [3, 5]: expected 1.5 +- 1e-07, found 1.6 (8.4e+05 bounds off)"; empty if none

  /// At most this many elements may be at a discontinuity: max(1, 1 %).
  int64_t eitherLimit() const { return elements < 200 ? 1 : elements / 100; }
  bool passed() const { return mismatches == 0 && eitherCount <= eitherLimit(); }
  /// One line for people: the verdict, the worst error over bound, the first mismatch.
  std::string summary() const;
};

/// Compares element by element. A tensor of another dtype or shape is one mismatch per element (at least one). NaN must
/// meet NaN, an infinity the same infinity, unless the bound crosses the threshold of overflow.
Comparison compare(const OracleTensor &expected, const HostTensor &actual, const CompareOptions &options = {});

} // namespace kiln::interp
