// Does what a caller brings fit the plan? Names, dtypes, shapes and alignment of inputs, outputs and parameters, with
// the errors that say so; and the run-time extents that the inputs' shapes bind. Internal to the executor.
#pragma once

#include "kiln/HostTensor.h"
#include "runtime/LaunchPlan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kiln {

/// Throws Error unless `found` tensors were given where the plan has `expected` of them; `what` is "inputs", "outputs".
void checkCount(const LaunchPlan &plan, const char *what, size_t expected, size_t found);

/// Throws Error on a run-time extent that is not bound or out of its range.
void checkExtents(const LaunchPlan &plan, const Bindings &extents);

/// Throws Error unless `pointer` may be `buffer`'s memory: aligned to its element, and null only if it has no bytes.
void checkPointer(const LaunchPlan &plan, const PlanBuffer &buffer, const void *pointer, const Bindings &extents);

/// Checks dtype, rank, extents and alignment of every input and binds the run-time extents. Throws Error naming the
/// input, expected and found.
Bindings bindInputs(const LaunchPlan &plan, std::span<const HostTensor> inputs);

/// `buffer`'s shape under `extents`.
std::vector<int64_t> shapeOf(const PlanBuffer &buffer, const Bindings &extents);

/// Throws Error unless `tensor` has `buffer`'s dtype and shape under `extents` and is aligned to its element.
void checkTensor(const LaunchPlan &plan, const PlanBuffer &buffer, const HostTensor &tensor, const Bindings &extents);

/// Throws Error if an output's memory overlaps an input's or another output's, other than an output that is planned to
/// lie in a donated input and does so exactly; or if a donated input's memory overlaps another input's. `given` are the
/// addresses of all inputs, then of all outputs.
void checkOverlap(const LaunchPlan &plan, std::span<const void *const> given, const Bindings &extents);

/// `tensor`'s bytes as they lie in a buffer of `strides` (elements) and `bytes` bytes, gaps zero.
std::vector<std::byte> packStrided(const HostTensor &tensor, std::span<const int64_t> strides, size_t bytes);

} // namespace kiln
