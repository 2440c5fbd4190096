//===- KernelForm.h - is this one kernel, and which? --------------------------------------------------------------===//
//
// The shared question of fusion (may these ops be one kernel?) and tiling (which loops does it have, what is stored
// where?). A form names the iteration space, the anchors, and for each output the map from a point of the iteration
// space to the element stored there. Everything else in the kernel is computed on demand at the points where an output
// or an anchor needs it.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_KERNEL_KERNELFORM_H
#define KILN_PASSES_KERNEL_KERNELFORM_H

#include "ir/graph/Graph.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace kiln::graph {

enum class KernelKind { Pointwise, Row, Column, Matmul };

/// "pointwise", "row", "column", "matmul": the spelling in graph.kernel and in schedules.
llvm::StringRef kindName(KernelKind kind);

/// One stored value.
struct OutputForm {
  mlir::Value value;
  bool perRow = false;   ///< lives in the kept space of a reduction: one element per row, not per point
  mlir::AffineMap store; ///< iteration space (kept space if perRow) -> the element's index in `value`
};

struct KernelForm {
  KernelKind kind = KernelKind::Pointwise;
  /// Iteration space. Pointwise: the first output's shape. Row, column: the reduced operand's shape.
  /// Matmul: the result's shape (batch…, m, n); operands are demanded with k as one more, last, dimension.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<int64_t> reducedAxes;      ///< of a row or column kernel, ascending
  llvm::SmallVector<ReduceOp> reductions;      ///< in an order in which each may use those before it
  llvm::SmallVector<unsigned> reductionStages; ///< 0 for those that use no other, else one more than the latest used
  MatmulOp matmul;
  llvm::SmallVector<OutputForm> outputs;

  /// Iteration dimensions that a reduction keeps, ascending.
  llvm::SmallVector<int64_t> keptAxes() const;
  /// Full iteration space -> kept space.
  mlir::AffineMap keptProjection(mlir::MLIRContext *context) const;
  /// Where an output is demanded, over the full iteration space.
  mlir::AffineMap demandMap(const OutputForm &output) const;
  /// Passes over the reduced space that the reductions take.
  unsigned stageCount() const;
};

/// The form of a kernel that computes `outputs` by `ops` (in topological order; operands defined elsewhere are inputs).
/// On failure `reason` says in one sentence why these ops are not one kernel. Emits no diagnostics.
llvm::FailureOr<KernelForm> analyzeKernel(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<mlir::Value> outputs,
                                          std::string &reason);
llvm::FailureOr<KernelForm> analyzeKernel(KernelOp kernel, std::string &reason);

/// A value demanded at the points of a map, with the memory of what was asked: the walk that analysis and tiling share.
/// `visit` sees every (value, map) pair once, producers after consumers, and returns whether to go on to the operands.
/// Symbols of maps stand for indices that a gather reads, or that are too long to write out.
struct Demand {
  mlir::Value value;
  mlir::AffineMap map;
  bool operator==(const Demand &other) const { return value == other.value && map == other.map; }
};
/// The demands that `demand` places on the operands of the op that defines it (none for reduce, matmul: anchors are
/// demanded on their own). `extents` are those of the map's dimensions.
llvm::SmallVector<Demand> operandDemands(const Demand &demand, llvm::ArrayRef<int64_t> extents);
/// `knownPlace`, where given, tells for a demand on a view's result the map under which its operand is demanded, if
/// that is known without composing (null if not): simplification cannot undo every reshape.
void walkDemands(llvm::ArrayRef<Demand> roots, llvm::ArrayRef<int64_t> extents,
                 llvm::function_ref<bool(const Demand &)> visit,
                 llvm::function_ref<mlir::AffineMap(const Demand &)> knownPlace = nullptr);

/// Maps under which a matmul demands its operands, over (batch…, m, n, k).
std::pair<mlir::AffineMap, mlir::AffineMap> matmulOperandMaps(MatmulOp matmul);

} // namespace kiln::graph

#endif
