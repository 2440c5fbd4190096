//===- GraphImpl.h - what stands behind a kiln::Graph ------------------------------------------------------------===//
//
// The module a DSL program builds, and the one way in which it makes ops: generically, by name, with the result type
// the op itself infers, verified at once. What the op's rules in ir/ report becomes a kiln::Error at the user's line,
// so that the DSL knows no shape rule but its own conveniences (broadcasting, negative axes, scalars).
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_DSL_GRAPHIMPL_H
#define KILN_COMPILER_DSL_GRAPHIMPL_H

#include "compiler/kiln/Graph.h"

#include "kiln/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <mutex>

namespace kiln::dsl {

/// One call of a DSL function: its name as the user spells it, and the user's line.
struct Call {
  llvm::StringRef op;
  Where where;
};

/// Facts of a broken DSL rule, thrown as an Error (invalid input) at the call's line.
[[noreturn]] void fail(const Call &call, std::string rule, std::string expected = {}, std::string found = {},
                       std::string hint = {});

/// The context options, dialects and printing every graph and compiler uses.
void prepareContext(mlir::MLIRContext &context);

/// Refuses text that would exhaust the stack of MLIR's parser.
void checkText(llvm::StringRef text, const std::string &origin);

/// The rule that a name of an input, a parameter or an output breaks, in words; empty if it breaks none.
std::string brokenNameRule(llvm::StringRef name);
/// A name in quotation marks, with what cannot be printed escaped.
std::string quoted(llvm::StringRef name);

/// The dtype of a tensor or an element type; throws Error (internal) for a type that no tensor of a graph has.
DType dtypeOf(mlir::Type type);
/// What users are told of a tensor of that type.
TensorInfo infoOf(std::string name, mlir::Type type, bool parameter);

class GraphImpl {
public:
  /// An empty graph.
  GraphImpl();
  /// Takes over the function `entry` of parsed text; throws Error.
  GraphImpl(llvm::StringRef text, const std::string &origin, const std::string &entry, const ProgramBindings &bindings);

  /// Makes the op `name` at the end of the graph; its results. `types` may be empty where it infers them. Throws Error.
  mlir::ValueRange buildAll(const Call &call, llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::TypeRange types = {});
  /// The same of an op of one result, whose type may be null.
  mlir::Value build(const Call &call, llvm::StringRef name, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::Type type = {}) {
    return buildAll(call, name, operands, attributes, type ? mlir::TypeRange(type) : mlir::TypeRange()).front();
  }
  /// A splat (or dense) constant.
  mlir::Value constant(const Call &call, mlir::DenseElementsAttr value);

  mlir::Value addInput(const Call &call, const std::string &name, const Shape &shape, DType dtype, bool parameter);
  void addOutput(const Call &call, const std::string &name, mlir::Value value);

  /// `tensor<shape x dtype>`; throws on a dtype or an extent no tensor has.
  mlir::RankedTensorType tensorType(const Call &call, const Shape &shape, DType dtype);

  /// A copy of the whole graph as a module in this graph's context: func.func @main with named arguments and results.
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  /// That module as MLIR bytecode, which another context reads. May be called from several threads.
  std::string bytecode();

  /// Kept since they were added: reading them touches nothing of MLIR's.
  const std::vector<TensorInfo> &inputs() const { return inputInfos; }
  const std::vector<TensorInfo> &outputs() const { return outputInfos; }
  mlir::OpBuilder &b() { return builder; }
  /// Holds the function, and the tile programs that it calls.
  mlir::ModuleOp moduleOp() { return *module; }
  mlir::Location locationOf(const Call &call);
  /// The text was a tile program alone, of CTAs of threads.
  bool isGpuProgram() const { return gpuProgram; }
  /// Held while the graph is read through its context, which has no locks of its own: any number of threads may compile
  /// or print one graph. Building it is for one thread at a time.
  std::mutex lock;

private:
  friend class Rollback;
  struct Output {
    std::string name;
    mlir::Value value;
    mlir::Location loc;
  };
  void adopt(mlir::func::FuncOp parsed, const std::string &origin);
  void nameArguments(const std::string &origin);
  void checkName(const Call &call, const std::string &name, bool output);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::Block *body = nullptr;
  bool gpuProgram = false;
  mlir::OpBuilder builder;
  std::vector<Output> results;
  std::vector<TensorInfo> inputInfos, outputInfos;
};

/// Takes back every op made since its construction if the scope is left by an exception: a refused call leaves the
/// graph as it was.
class Rollback {
public:
  explicit Rollback(GraphImpl &graph);
  ~Rollback();

private:
  GraphImpl &graph;
  mlir::Operation *last;
  int exceptions;
};

/// The way between handles and MLIR values.
struct Access {
  static GraphImpl &impl(const Graph &graph) { return *graph.impl; }
  static const std::shared_ptr<GraphImpl> &shared(const Graph &graph) { return graph.impl; }
  static Tensor tensor(std::shared_ptr<GraphImpl> graph, mlir::Value value);
  /// Throws Error (usage) for an empty handle.
  static mlir::Value value(const Call &call, const Tensor &tensor);
  static const std::shared_ptr<GraphImpl> &graphOf(const Call &call, const Tensor &tensor);
};

} // namespace kiln::dsl

#endif
