//===- Operands.h - numpy's conveniences: broadcasting, scalars, negative axes ------------------------------------===//
//
// What the DSL does to operands before an op sees them. The graph level has no implicit broadcast and no scalars.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_DSL_OPERANDS_H
#define KILN_COMPILER_DSL_OPERANDS_H

#include "compiler/dsl/GraphImpl.h"

namespace kiln::dsl {

/// One call in progress: the graph its operands come from, and the operands as values.
class OpScope {
public:
  /// Finds the graph and the line; `name` is the op as the user spells it. At least one operand must be a tensor.
  OpScope(llvm::StringRef name, std::initializer_list<const Operand *> operands);
  OpScope(llvm::StringRef name, llvm::ArrayRef<Tensor> operands, Where where);

  const Call &call() const { return where; }
  mlir::Value value(const Operand &operand) const;
  mlir::Type elementOf(const Operand &operand) const { return mlir::getElementTypeOrSelf(value(operand)); }

  /// Scalars become constants of the tensors' dtype, then every operand has the shape all broadcast to. Throws where
  /// dtypes differ or shapes do not broadcast.
  llvm::SmallVector<mlir::Value> unify(llvm::ArrayRef<const Operand *> operands);
  /// A constant of `type` whose elements are the scalar in `operand`; throws if it does not fit.
  mlir::Value splat(const Operand &operand, mlir::RankedTensorType type);
  /// The same for a number.
  mlir::Value splat(double value, mlir::RankedTensorType type) { return splat(Operand(value, where.where), type); }
  /// `x` repeated to `shape` as numpy broadcasts; `x` itself if it has that shape.
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);

  mlir::Value build(llvm::StringRef op, mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                    mlir::Type result = {}) {
    return graph->build(where, op, operands, attributes, result);
  }
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) { return b().getNamedAttr(name, value); }
  mlir::OpBuilder &b() { return graph->b(); }
  Tensor tensor(mlir::Value value) const { return Access::tensor(graph, value); }

private:
  Call where;
  std::shared_ptr<GraphImpl> graph;
  std::optional<Rollback> rollback;
};

/// The scalar in `value` as an element of `type`; throws if it holds a tensor or does not fit.
mlir::Attribute scalarAttr(const Call &call, const Operand &value, mlir::RankedTensorType type);
/// Shape of a value of a graph.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
/// The shape two broadcast to; nothing if they do not.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// A negative axis counts from the last; one outside the rank stays as it is, for the op's own rule to refuse.
int64_t normalizeAxis(int64_t axis, int64_t rank);

} // namespace kiln::dsl

#endif
