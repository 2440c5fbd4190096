// Tile programs called from C++.
#include "compiler/kiln/CustomKernel.h"

#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "compiler/dsl/LoneProgram.h"
#include "ir/DTypes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

/// What was caught, at the user's line.
[[noreturn]] static void refuse(const Call &call, const ErrorCatcher &catcher, const char *rule) {
  ErrorFields fields = catcher.fields();
  if (fields.where.line > 0 && fields.where.file != call.where.file_name())
    fields.found += fmt::format("{}({}:{})", fields.found.empty() ? "" : " ", fields.where.file, fields.where.line);
  fail(call, fields.rule.empty() ? rule : fields.rule, fields.expected, fields.found, fields.hint);
}

/// The program that the user means, moved into the graph's module; one that is there already is used again.
static tile::KernelOp importProgram(const Call &call, GraphImpl &graph, const CustomKernel &kernel) {
  ErrorCatcher catcher(graph.b().getContext());
  checkText(kernel.source, "tile program");
  auto parsed = parseSourceString<ModuleOp>(kernel.source, ParserConfig(graph.b().getContext()), "tile program");
  if (!parsed) refuse(call, catcher, "the tile program is not MLIR");
  SmallVector<tile::KernelOp> programs(parsed->getOps<tile::KernelOp>());
  auto named = llvm::find_if(programs, [&](tile::KernelOp p) { return p.getSymName() == kernel.name; });
  if (kernel.name.empty() && programs.size() == 1) named = programs.begin();
  if (named == programs.end()) {
    std::vector<std::string> names;
    for (tile::KernelOp p : programs) names.push_back("@" + p.getSymName().str());
    fail(call, "the text must hold the tile program", kernel.name.empty() ? "one tile.kernel" : "@" + kernel.name,
         names.empty() ? "no tile.kernel" : llvm::join(names, ", "));
  }
  ModuleOp module = graph.moduleOp();
  std::string base = named->getSymName().str();
  for (int n = 0;; ++n) {
    std::string name = n ? fmt::format("{}_{}", base, n) : base;
    named->setSymName(name);
    Operation *there = module.lookupSymbol(name);
    auto program = dyn_cast_or_null<tile::KernelOp>(there);
    if (program && OperationEquivalence::isEquivalentTo(program, *named, OperationEquivalence::IgnoreLocations))
      return program;
    if (there) continue;
    named->getOperation()->remove();
    module.getBody()->push_front(*named);
    return *named;
  }
}

/// Lets the user's function build the reference in the call's region.
static void buildReference(const Call &call, GraphImpl &graph, const std::shared_ptr<GraphImpl> &shared,
                           graph::CustomKernelOp op, const CustomKernel &kernel) {
  OpBuilder::InsertionGuard guard(graph.b());
  SmallVector<Location> places(op.getInputs().size(), op.getLoc());
  Block *block = graph.b().createBlock(&op.getReference(), {}, op.getInputs().getTypes(), places);
  std::vector<Tensor> arguments;
  for (BlockArgument argument : block->getArguments()) arguments.push_back(Access::tensor(shared, argument));
  SmallVector<Value> results;
  for (const Tensor &result : kernel.reference(arguments)) results.push_back(Access::value(call, result));
  for (Value result : results)
    if (Access::graphOf(call, Access::tensor(shared, result)) != shared || result.getParentBlock() != block)
      fail(call, "a reference must compute with the tensors that it is given", "a tensor made in the reference",
           "one of outside");
  graph.b().setInsertionPointToEnd(block);
  graph::YieldOp::create(graph.b(), op.getLoc(), results);
}

static ArrayAttr scalarsOf(const Call &call, const graph::Program &program, const CustomKernel &kernel) {
  try {
    return scalarAttributes(program, kernel.values, "customKernel");
  } catch (const Error &error) {
    fail(call, error.rule, error.expected, error.found, "a value in CustomKernel::values");
  }
}

std::vector<Tensor> kiln::customKernel(const CustomKernel &kernel, const std::vector<Tensor> &operands, Where where) {
  Call call{"customKernel", where};
  if (operands.empty()) fail(call, "a tile program takes operands", "one tensor or more", "none");
  const std::shared_ptr<GraphImpl> &shared = Access::graphOf(call, operands.front());
  SmallVector<Value> values;
  for (const Tensor &operand : operands) {
    if (Access::graphOf(call, operand) != shared)
      fail(call, "operands must be tensors of one graph", "tensors of this kiln::Graph", "one of another");
    values.push_back(Access::value(call, operand));
  }
  GraphImpl &graph = *shared;
  tile::KernelOp op = importProgram(call, graph, kernel);

  Rollback rollback(graph);
  ErrorCatcher catcher(graph.b().getContext());
  Location loc = graph.locationOf(call);
  FailureOr<graph::Program> program = graph::programOf(op, loc);
  if (failed(program)) refuse(call, catcher, "the tile program was refused");
  ValueRange range(values);
  if (values.size() != program->numInputs)
    fail(call, "there is an operand for each argument that the program reads", std::to_string(program->numInputs),
         std::to_string(values.size()));
  FailureOr<Bindings> extents = graph::bindExtents(*program, range.getTypes(), loc);
  if (failed(extents)) refuse(call, catcher, "the operands were refused");
  for (const auto &[name, value] : kernel.values) extents->emplace(name, static_cast<int64_t>(value));
  FailureOr<SmallVector<Type>> results = graph::resultTypes(*program, *extents, loc);
  if (failed(results)) refuse(call, catcher, "the results were refused");
  for (Type type : *results)
    if (!ir::fitsMemory(cast<RankedTensorType>(type)))
      fail(call, ir::kMemoryRule, ir::kMemoryLimit, graph::str(type));
  ArrayAttr scalars = scalarsOf(call, *program, kernel);
  auto made = graph::CustomKernelOp::create(graph.b(), loc, *results, FlatSymbolRefAttr::get(op.getSymNameAttr()),
                                            values, scalars.empty() ? ArrayAttr() : scalars,
                                            kernel.orderClass.empty() ? StringAttr()
                                                                      : graph.b().getStringAttr(kernel.orderClass));
  if (kernel.reference) buildReference(call, graph, shared, made, kernel);
  if (failed(graph::verifyCall(made)) || failed(verify(made))) refuse(call, catcher, "the call was refused");
  std::vector<Tensor> tensors;
  for (Value result : made.getResults()) tensors.push_back(Access::tensor(shared, result));
  return tensors;
}
