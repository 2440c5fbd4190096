//===- Graph.h - the graph dialect ------------------------------------------------------------------------------===//
//
// C++ face of the graph dialect: its ops, attributes, enums, and the one way in which its rules are reported. The ops
// are documented in the .td files beside this one.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_GRAPH_GRAPH_H
#define KILN_IR_GRAPH_GRAPH_H

#include "ir/Violation.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/graph/GraphDialect.h.inc"
#include "ir/graph/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/graph/GraphAttrs.h.inc"
namespace kiln::graph {
class CustomKernelOp;
/// The kind of a kernel that is a tile program's call.
inline constexpr llvm::StringRef kCustomKind = "custom";
} // namespace kiln::graph
#define GET_OP_CLASSES
#include "ir/graph/Graph.h.inc"

namespace kiln::graph {

using ir::violate;
using ir::Violation;

/// `4x128xf32`-like text of a type for messages.
std::string str(mlir::Type type);
/// `[4, 128]`.
std::string str(llvm::ArrayRef<int64_t> values);

/// Shape of a ranked tensor value.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value v);

} // namespace kiln::graph

#endif
