//===- ViewMaps.h - the index maps of the graph's views -----------------------------------------------------------===//
//
// A view moves elements and computes nothing. Its rows say where each of its elements comes from and, where it only
// permutes elements, where each goes.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_KERNEL_VIEWMAPS_H
#define KILN_PASSES_KERNEL_VIEWMAPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace kiln::layout {

/// Result index -> operand index of a view (broadcast, reshape, transpose, slice); null for any other op.
mlir::AffineMap viewMap(mlir::Operation *op);

/// Operand index -> result index of a view that neither drops nor repeats elements; null for any other op.
mlir::AffineMap inverseViewMap(mlir::Operation *op);

} // namespace kiln::layout

#endif
