// Medians with their intervals.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace kiln::bench {

struct Median {
  double value = 0, low = 0, high = 0; ///< the 95 % interval, by order statistics
};

/// Of at least one sample. The interval's ends are the samples n/2 -+ 0.98 sqrt(n) in order (the normal approximation
/// of the binomial distribution).
inline Median medianOf(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  double n = static_cast<double>(samples.size()), half = 0.98 * std::sqrt(n);
  auto at = [&](double rank) { return samples[static_cast<size_t>(std::clamp(rank, 0.0, n - 1))]; };
  return {(at((n - 1) / 2) + at(n / 2)) / 2, at(std::floor(n / 2 - half)), at(std::ceil(n / 2 + half))};
}

} // namespace kiln::bench
