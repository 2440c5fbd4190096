#include "compiler/dsl/GraphImpl.h"

#include "compiler/dsl/Diagnostics.h"
#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"
#include "ir/graph/Programs.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <exception>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

void kiln::dsl::fail(const Call &call, std::string rule, std::string expected, std::string found, std::string hint) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = call.op.str(),
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found),
               .hint = std::move(hint),
               .where = {call.where.file_name(), static_cast<int>(call.where.line())}});
}

void kiln::dsl::prepareContext(MLIRContext &context) {
  context.loadDialect<graph::GraphDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect, tile::TileDialect,
                      scf::SCFDialect>();
  context.printOpOnDiagnostic(false);
}

DType kiln::dsl::dtypeOf(Type type) {
  if (std::optional<DType> dtype = ir::dtypeOf(type)) return *dtype;
  throw Error({.rule = "an element type that Kiln does not know", .found = graph::str(type)});
}

std::string kiln::dsl::brokenNameRule(StringRef name) {
  if (name.empty()) return "a name must not be empty";
  if (!llvm::json::isUTF8(name)) return "a name must be UTF-8";
  if (name.contains('=')) return "a name must not hold `=`, which ends it on the command line";
  return "";
}

std::string kiln::dsl::quoted(StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
  return text;
}

GraphImpl::GraphImpl() : context(MLIRContext::Threading::DISABLED), builder(&context) {
  prepareContext(context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
}

Location GraphImpl::locationOf(const Call &call) {
  return FileLineColLoc::get(&context, call.where.file_name(), call.where.line(), call.where.column());
}

RankedTensorType GraphImpl::tensorType(const Call &call, const Shape &shape, DType dtype) {
  Type element = ir::elementType(dtype, &context);
  if (!element || !graph::elementBit(element))
    fail(call, "no op takes this dtype yet", graph::elementNames(graph::kAll), std::string(name(dtype)));
  for (int64_t extent : shape)
    if (extent < 0) fail(call, "extents must not be negative", "0 or more", shapeString(shape));
  auto type = RankedTensorType::get(shape, element);
  if (!ir::fitsMemory(type)) fail(call, ir::kMemoryRule, ir::kMemoryLimit, shapeString(shape));
  return type;
}

/// The result types that `name` infers for these operands; none, with a diagnostic, if its rules refuse.
static SmallVector<Type> inferTypes(OperationName name, Location loc, ValueRange operands, DictionaryAttr attributes) {
  auto *interface = name.getInterface<InferTypeOpInterface>();
  if (!interface) {
    emitError(loc) << "'" << name.getStringRef() << "' does not infer its result type";
    return {};
  }
  SmallVector<int64_t> storage(name.getOpPropertyByteSize() / sizeof(int64_t) + 1);
  OpaqueProperties properties(storage.data());
  name.initOpProperties(properties, OpaqueProperties(nullptr));
  SmallVector<Type> types;
  LogicalResult inferred =
      name.setOpPropertiesFromAttribute(name, properties, attributes, [&] { return emitError(loc); });
  if (succeeded(inferred))
    inferred = interface->inferReturnTypes(name.getContext(), loc, operands, attributes, properties, {}, types);
  name.destroyOpProperties(properties);
  return succeeded(inferred) ? types : SmallVector<Type>();
}

ValueRange GraphImpl::buildAll(const Call &call, StringRef name, ValueRange operands,
                               ArrayRef<NamedAttribute> attributes, TypeRange given) {
  ErrorCatcher catcher(&context);
  OperationState state(locationOf(call), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  SmallVector<Type> results(given);
  if (results.empty())
    results = inferTypes(state.name, state.location, operands, builder.getDictionaryAttr(attributes));
  if (!results.empty()) {
    state.addTypes(results);
    Operation *op = builder.create(state);
    // The table first: its words about dtypes are plainer than the constraints of ODS.
    if (succeeded(graph::verifyAcceptedOp(op, graph::OpLevel::Graph)) &&
        succeeded(verify(op, /*verifyRecursively=*/false)))
      return op->getResults();
    op->erase();
  }
  ErrorFields fields = catcher.fields();
  fail(call, fields.rule.empty() ? "the op was refused" : fields.rule, fields.expected, fields.found, fields.hint);
}

Value GraphImpl::constant(const Call &call, DenseElementsAttr value) {
  return build(call, "arith.constant", {}, builder.getNamedAttr("value", value), value.getType());
}

void GraphImpl::checkName(const Call &call, const std::string &name, bool output) {
  if (std::string rule = brokenNameRule(name); !rule.empty()) fail(call, rule, "a name such as \"x\"", quoted(name));
  for (const TensorInfo &info : output ? outputs() : inputs())
    if (info.name == name)
      fail(call, fmt::format("{} must have different names", output ? "outputs" : "inputs and parameters"),
           "a new name", fmt::format("\"{}\" twice", name));
}

Value GraphImpl::addInput(const Call &call, const std::string &name, const Shape &shape, DType dtype, bool parameter) {
  checkName(call, name, /*output=*/false);
  Type type = tensorType(call, shape, dtype);
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr("graph.name", builder.getStringAttr(name))};
  if (parameter) attributes.push_back(builder.getNamedAttr("graph.param", builder.getUnitAttr()));
  unsigned index = function.getNumArguments();
  LogicalResult inserted =
      function.insertArgument(index, type, builder.getDictionaryAttr(attributes), locationOf(call));
  if (failed(inserted)) fail(call, "the graph takes no more arguments");
  inputInfos.push_back(infoOf(name, type, parameter));
  return function.getArgument(index);
}

void GraphImpl::addOutput(const Call &call, const std::string &name, Value value) {
  checkName(call, name, /*output=*/true);
  results.push_back({name, value, locationOf(call)});
  outputInfos.push_back(infoOf(name, value.getType(), false));
}

OwningOpRef<ModuleOp> GraphImpl::finish() {
  if (results.empty())
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "graph",
                 .rule = "a graph must have an output",
                 .hint = "g.output(\"y\", y)"});
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module->getLoc());
  IRMapping mapping;
  OpBuilder top = OpBuilder::atBlockEnd(copy->getBody());
  llvm::SmallPtrSet<Operation *, 4> programs;
  function.walk([&](graph::CustomKernelOp call) {
    Operation *program = graph::findProgram(call, call.getProgramAttr());
    if (program && programs.insert(program).second) top.clone(*program);
  });
  auto clone = cast<func::FuncOp>(top.clone(*function, mapping));
  SmallVector<Value> values;
  SmallVector<Location> locs;
  SmallVector<Attribute> attributes;
  for (Output &output : results) {
    values.push_back(mapping.lookup(output.value));
    locs.push_back(output.loc);
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr("graph.name", builder.getStringAttr(output.name))));
  }
  OpBuilder end = OpBuilder::atBlockEnd(&clone.getBody().front());
  func::ReturnOp::create(end, FusedLoc::get(&context, locs), values);
  clone.setFunctionType(end.getFunctionType(clone.getArgumentTypes(), ValueRange(values).getTypes()));
  clone.setAllResultAttrs(attributes);
  return copy;
}

std::string GraphImpl::bytecode() {
  std::lock_guard guard(lock);
  OwningOpRef<ModuleOp> copy = finish();
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*copy, os))) throw Error({.rule = "the graph cannot be written as bytecode"});
  return bytes;
}

TensorInfo kiln::dsl::infoOf(std::string name, Type type, bool parameter) {
  auto tensor = cast<RankedTensorType>(type);
  return {std::move(name), dtypeOf(tensor), Shape(tensor.getShape()), parameter};
}

Rollback::Rollback(GraphImpl &graph)
    : graph(graph), last(graph.body->empty() ? nullptr : &graph.body->back()), exceptions(std::uncaught_exceptions()) {}

Rollback::~Rollback() {
  if (std::uncaught_exceptions() <= exceptions) return;
  while (!graph.body->empty() && &graph.body->back() != last) graph.body->back().erase();
}

Tensor Access::tensor(std::shared_ptr<GraphImpl> graph, Value value) {
  Tensor tensor;
  tensor.graph = std::move(graph);
  tensor.value = value.getAsOpaquePointer();
  return tensor;
}

const std::shared_ptr<GraphImpl> &Access::graphOf(const Call &call, const Tensor &tensor) {
  if (!tensor.graph) fail(call, "a tensor must come from a graph", "a value of an op or an input", "an empty Tensor");
  return tensor.graph;
}

Value Access::value(const Call &call, const Tensor &tensor) {
  graphOf(call, tensor);
  return Value::getFromOpaquePointer(tensor.value);
}
