// Inputs for numeric cases: fresh, reproducible, and of the kinds that find faults.
#pragma once

#include <kiln/Graph.h>
#include <kiln/HostTensor.h>

#include <cstdint>
#include <vector>

namespace kiln::numeric {

/// Normal: standard normal floats, small integers. Special: NaN, infinities, both zeros, subnormals, the largest and
/// smallest numbers and random bits; INT_MIN, INT_MAX and their like. Huge: floats of 2^60 (f16: 2^8) and more,
/// integers of random bits. Tiny: floats of 2^-100 (f16: 2^-10) and less, subnormals among them; integers -1, 0, 1.
enum class Flavour { Normal, Special, Huge, Tiny };
inline constexpr Flavour kFlavours[] = {Flavour::Normal, Flavour::Special, Flavour::Huge, Flavour::Tiny};

/// Elements for one tensor; a pure function of its arguments.
HostTensor makeInput(const std::vector<int64_t> &shape, DType dtype, Flavour flavour, uint64_t seed);

/// One run's inputs.
struct InputSet {
  std::vector<HostTensor> tensors; ///< in the graph's order
  bool wild = false;               ///< Special or Huge: overflows and NaN may leave the oracle without an opinion
};

/// Elements for every input of a graph.
InputSet makeInputs(const Graph &graph, Flavour flavour, uint64_t seed);

} // namespace kiln::numeric
