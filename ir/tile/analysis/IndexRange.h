//===- IndexRange.h - which numbers index values are --------------------------------------------------------------===//
//
// Bounds that hold for all numbers that a value takes, and numbers that it is known to take.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_ANALYSIS_INDEXRANGE_H
#define KILN_IR_TILE_ANALYSIS_INDEXRANGE_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace kiln::tile {

/// Bounds of the integers of one kernel, and of the elements of fragments of them, by upstream's analysis of ranges.
class IndexRanges {
public:
  /// Analyses what is in `kernel`; asked once, before all else.
  llvm::LogicalResult analyse(mlir::Operation *kernel);
  /// Null where nothing is known of a value, or it was made later.
  const mlir::ConstantIntRanges *of(mlir::Value value) const;

private:
  mlir::DataFlowSolver solver;
};

/// Some of the numbers that `value` takes when `op` runs, the least and the largest among them; none if that is not
/// known. It is where a value is made of constants, of variables of loops whose iterations are known, and of consumers'
/// and CTAs' numbers.
llvm::SmallVector<int64_t> numbersTaken(mlir::Operation *op, mlir::Value value);

} // namespace kiln::tile

#endif
