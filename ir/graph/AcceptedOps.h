//===- AcceptedOps.h - which ops may stand in a graph ------------------------------------------------------------===//
//
// One table of every op a graph may hold, with the dtypes it takes. Rooms keep their own rows keyed by op name
// (interpreter, emission, decomposition, …); the completeness test joins them with this table.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_GRAPH_ACCEPTEDOPS_H
#define KILN_IR_GRAPH_ACCEPTEDOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class ModuleOp;
class Operation;
class Type;
} // namespace mlir
namespace llvm {
struct LogicalResult;
}

namespace kiln::graph {

/// A set of element types, one bit each.
using Elements = unsigned;
enum : Elements {
  kF32 = 1,
  kI32 = 2,
  kI64 = 4,
  kBool = 8,
  kF16 = 16,
  kBF16 = 32,
  kF8E4M3FN = 64,
  kF8E5M2 = 128,
  kI8 = 256,
  kNarrow = kF8E4M3FN | kF8E5M2 | kI8, ///< what tile programs alone take
  kHalves = kF16 | kBF16,              ///< the 16-bit floats
  kFloats = kF32 | kHalves,
  kInts = kI32 | kI64,
  kAll = kFloats | kInts | kBool
};

/// One element type that some op takes.
struct ElementRow {
  Elements bit;
  llvm::StringRef name; ///< as Kiln spells it: "f32", "bool"
};
/// Every element type that some op takes, floats first.
llvm::ArrayRef<ElementRow> elementRows();
/// The names of a set, in the order of elementRows(): "f32, f16".
std::string elementNames(Elements elements, llvm::StringRef separator = ", ");

/// The bit of an element type; 0 for one that no op takes yet.
Elements elementBit(mlir::Type element);

/// How an op's value is computed from its operands, which is what fusion and emission ask.
enum class OpClass { Elementwise, View, Index, Reduction, Matmul, Composite, Program, Structure };

/// When an op may stand in a graph: in what users write, or only after `graph-decompose`.
enum class OpLevel { Graph, Decomposed, Both };

struct AcceptedOp {
  llvm::StringRef name;    ///< "arith.addf"
  OpClass opClass;         ///< how its value is computed
  OpLevel level;           ///< when it may stand in a graph
  Elements operands;       ///< element types its tensor operands may have
  Elements results;        ///< element types its results may have
  llvm::StringRef summary; ///< for ops of other dialects, whose own documentation says more than applies here
  /// Those of `operands` and `results` that remain after graph-decompose, which spells the others in other ops.
  Elements lateOperands = kAll, lateResults = kAll;

  Elements operandsAt(OpLevel at) const { return at == OpLevel::Decomposed ? operands & lateOperands : operands; }
  Elements resultsAt(OpLevel at) const { return at == OpLevel::Decomposed ? results & lateResults : results; }
};

/// Every row.
llvm::ArrayRef<AcceptedOp> acceptedOps();
/// The row of an op; null when the graph level does not accept it.
const AcceptedOp *findAcceptedOp(llvm::StringRef name);

/// Checks one op against the table: accepted at `level` (Graph or Decomposed), on static tensors without encodings,
/// with dtypes it takes, without flags that promise or allow anything (fastmath, overflow, exact), and with
/// constants that are `dense<...>`. The error has notes with what was expected and found.
llvm::LogicalResult verifyAcceptedOp(mlir::Operation *op, OpLevel level);

/// Checks every function of a module that has a body: its arguments and results are tensors that ops take, and
/// verifyAcceptedOp accepts every op inside. Reports each offender.
llvm::LogicalResult verifyGraphLevel(mlir::ModuleOp module, OpLevel level);

} // namespace kiln::graph

#endif
