//===- Loops.h - what skeletons share: loops, index arithmetic, iteration spaces ----------------------------------===//
#ifndef KILN_PASSES_TILING_LOOPS_H
#define KILN_PASSES_TILING_LOOPS_H

#include "passes/tiling/Skeleton.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::tiling {

/// Index arithmetic at a builder's insertion point.
struct IndexBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value l, mlir::Value r);
  mlir::Value sub(mlir::Value l, mlir::Value r);
  mlir::Value mul(mlir::Value l, int64_t r);
  mlir::Value div(mlir::Value l, int64_t r); ///< of a value that is not negative
  mlir::Value rem(mlir::Value l, int64_t r); ///< of a value that is not negative
  mlir::Value min(mlir::Value l, mlir::Value r);
};

/// `scf.for` from `low` to `high` by `step`; `body` gets the index and the carried values and returns their next ones.
/// Fails as the body does.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
forLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange init,
        llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::Value, mlir::ValueRange)> body);
/// The same, with nothing carried.
mlir::LogicalResult forLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low, mlir::Value high, int64_t step,
                            llvm::function_ref<mlir::LogicalResult(mlir::Value)> body);

/// Iteration dimensions `dims` seen as one: expressions for each from the linear index `linear`, row-major.
void delinearize(mlir::AffineExpr linear, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> extents,
                 llvm::SmallVectorImpl<mlir::AffineExpr> &results);

/// first, first + 1, …, last - 1.
llvm::SmallVector<int64_t> sequence(int64_t first, int64_t last);

/// Stores, where they belong, every output that has an element per point (or, `perRow`, per row), at the emitter's
/// point. All are emitted first: an output may share memory with an operand.
mlir::LogicalResult storeOutputs(SkeletonContext &context, Emitter &emitter, bool perRow);

/// Outputs, an element per point, of several points. All are emitted before any is stored, so that their loads are in
/// flight together.
class OutputsOfPoints {
public:
  explicit OutputsOfPoints(SkeletonContext &context) : context(context) {}
  /// Emits the outputs of the emitter's point.
  mlir::LogicalResult emit(Emitter emitter);
  /// Stores all that were emitted.
  mlir::LogicalResult store();

private:
  SkeletonContext &context;
  llvm::SmallVector<std::pair<Emitter, llvm::SmallVector<mlir::Value>>, 0> emitted;
};

/// One shared tile of `count` elements.
mlir::Value allocShared(SkeletonContext &context, llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace kiln::tiling

#endif
