//===- Ops.h - what an element of each op costs -------------------------------------------------------------------===//
//
// One table for whoever weighs work: fusion, which weighs it against bytes, the emitter, which asks what is too dear to
// compute twice, and reports, which count float operations.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_COST_OPS_H
#define KILN_PASSES_COST_OPS_H

#include "ir/target/Target.h"

#include "mlir/IR/Operation.h"

namespace kiln::cost {

/// Of one element of an op's result; of a reduction, of its operand.
struct OpCost {
  unsigned weight; ///< work, in additions, which depends on the dtype
  bool expensive;  ///< a function or a division: never computed twice to save a few bytes
  unsigned flops;  ///< float operations, of floats: a matmul's follow from its shape and are not here
};

/// Whether an op has a row. Every op that a kernel may hold has one; the completeness test demands it.
bool hasOpCost(llvm::StringRef op);
/// The cost of an op by its row, for the dtype of its first result.
OpCost costOf(mlir::Operation *op);

/// One addition on an element takes a target as long as moving this many bytes to or from memory.
double bytesPerAddition(const Target &target);

} // namespace kiln::cost

#endif
