//===- RowAlignment.h - what to do about a kernel's rows that do not start at 16 bytes ----------------------------===//
//
// For graph-align: the operands and results of a kernel without a matmul that start anywhere, with the times of what
// can be done about each.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_ROWALIGNMENT_H
#define KILN_PASSES_GRAPH_ROWALIGNMENT_H

#include "ir/target/Gpu.h"
#include "passes/kernel/KernelForm.h"

namespace kiln::graph {

/// Strides of a tensor whose rows start at whole lines of memory; of short rows, at 16 bytes.
llvm::SmallVector<int64_t> paddedStrides(mlir::RankedTensorType type);

/// One operand or result of a kernel whose rows do not start at 16 bytes.
struct UnalignedRows {
  unsigned index; ///< of the kernel's operands, or of its results
  bool isResult;
  double narrowSeconds; ///< of the kernel with narrow accesses
  double bestSeconds;   ///< of the kernel as its schedule will have it
  bool shifted;         ///< what the schedule does about these rows
  double paddedSeconds; ///< of the kernel, this operand's rows being padded; of a result, the same as bestSeconds
};

/// Those of a kernel, each once; none where the kernel has no rows to speak of.
llvm::SmallVector<UnalignedRows> unalignedRows(KernelOp kernel, const KernelForm &form, const GpuTarget &target);

} // namespace kiln::graph

#endif
