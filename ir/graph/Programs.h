//===- Programs.h - tile programs as graphs see them --------------------------------------------------------------===//
//
// What a tile.kernel is to a graph that calls it: which arguments are operands and which are results, what they are
// called, and which extents the tensors bind.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_GRAPH_PROGRAMS_H
#define KILN_IR_GRAPH_PROGRAMS_H

#include "ir/graph/Graph.h"
#include "ir/tile/Tile.h"
#include "runtime/Expr.h"

namespace kiln::graph {

/// One `!tile.global` argument of a tile program.
struct ProgramTensor {
  std::string name; ///< of `tile.name`, else "arg0", "arg1", … by position
  tile::GlobalType type;
  llvm::SmallVector<llvm::StringRef> dims; ///< the name of each dimension; empty where it has none
  int64_t aligned = 1;                     ///< elements: rows start at multiples of it
};

/// One scalar argument.
struct ProgramScalar {
  std::string name; ///< as a tensor's
  mlir::Type type;
};

struct Program {
  tile::KernelOp op;
  llvm::SmallVector<ProgramTensor> tensors; ///< operands, then results
  unsigned numInputs = 0;                   ///< how many of them are operands
  llvm::SmallVector<ProgramScalar> scalars; ///< the arguments behind them
  bool isForGpu() const;                    ///< a CTA is many threads
};

/// Whether some op of the program writes the argument, which is memory.
bool isWritten(mlir::BlockArgument argument);

/// Reads a tile program. Fails, with a diagnostic on `loc`, where an argument that is only read comes behind one that
/// is written.
mlir::FailureOr<Program> programOf(tile::KernelOp op, mlir::Location loc);

/// The program that a symbol names, seen from `from`; null if there is none.
tile::KernelOp findProgram(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

/// What the shapes of the first tensors of a program bind: `types` are those of its operands, and perhaps results.
/// Checks them against the program, (C2) to (C5) of graph.custom_kernel; a diagnostic on `loc` says what does not fit.
mlir::FailureOr<Bindings> bindExtents(const Program &program, mlir::TypeRange types, mlir::Location loc);

/// The types of a program's results for these extents; fails, with a diagnostic on `loc`, where one is not bound.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> resultTypes(const Program &program, const Bindings &extents,
                                                           mlir::Location loc);

/// Everything that graph.custom_kernel asks of its program: what the op's verifier asks where it is in a module.
llvm::LogicalResult verifyCall(CustomKernelOp op);

} // namespace kiln::graph

#endif
