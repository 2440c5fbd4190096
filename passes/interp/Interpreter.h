// Executes graphs on the host and says, element by element, what a correct device may return: the oracle of the
// numerics contract. It runs functions before and after decomposition and fusion, and single kernels on their own
// inputs. The engine walks a block's ops in order and knows none of them: what an op computes is its row (Rows.h).
#pragma once

#include "passes/interp/Compare.h"
#include "passes/interp/Value.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::graph {
class CustomKernelOp;
class KernelOp;
} // namespace kiln::graph

namespace kiln::interp {

/// Runs a function of one block on `inputs`, one per argument, of its shape and dtype; the results are in the order of
/// func.return. A value's memory is freed after its last use. Errors (an op without a row, a type that is not a static
/// tensor of f32, f16, bf16, i32, i64 or bool, inputs that do not fit) are diagnostics on the op.
mlir::FailureOr<std::vector<OracleTensor>> interpret(mlir::func::FuncOp function, mlir::ArrayRef<OracleTensor> inputs);

/// Runs one kernel's region on its operands' values.
mlir::FailureOr<std::vector<OracleTensor>> interpretKernel(graph::KernelOp kernel, mlir::ArrayRef<OracleTensor> inputs);

/// Runs a tile program's reference, which is there, on its operands' values.
mlir::FailureOr<std::vector<OracleTensor>> interpretReference(graph::CustomKernelOp call,
                                                              mlir::ArrayRef<OracleTensor> inputs);

} // namespace kiln::interp
