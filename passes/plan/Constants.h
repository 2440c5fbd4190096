// Constant tensors of the IR as host memory.
#ifndef KILN_PASSES_PLAN_CONSTANTS_H
#define KILN_PASSES_PLAN_CONSTANTS_H

#include "kiln/HostTensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace kiln {

/// The elements of `attribute` in row-major order, bool as one byte each.
HostTensor hostTensor(mlir::DenseElementsAttr attribute, DType dtype);

} // namespace kiln

#endif
