// Tensor maps through the driver.
#pragma once

#include "runtime/TensorMap.h"
#include "runtime/cuda/driver/Context.h"

namespace kiln::cuda {

/// The map of a tensor at `base`; the recipe keeps the rules of runtime/TensorMap.h. The context must be current.
/// Throws Error: no device if the GPU or its driver has no tensor maps.
TensorMap encodeTensorMap(const Context &context, const TensorMapRecipe &recipe, const void *base);

} // namespace kiln::cuda
