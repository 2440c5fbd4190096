// Graphs from .mlir text or bytecode.
#include "codegen/cpu/Contain.h"
#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

[[noreturn]] static void refuse(const std::string &origin, std::string rule, std::string expected, std::string found,
                                SourceLoc where = {}) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = origin,
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found),
               .where = std::move(where)});
}

/// The deepest nesting of brackets in MLIR text. The parser descends once for each, on the stack.
static unsigned nestingOf(StringRef text) {
  unsigned depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (StringRef("([{<").contains(text[i])) deepest = std::max(deepest, ++depth);
    bool arrow = text[i] == '>' && i && text[i - 1] == '-';
    if (StringRef(")]}>").contains(text[i]) && !arrow && depth) --depth;
  }
  return deepest;
}

/// Reads bytecode once in a context of its own. MLIR's reader trusts some of what a file says: a damaged one may crash
/// it, and what it was doing is then abandoned, context and all.
static void tryBytecode(StringRef bytes, const std::string &origin) {
  llvm::Error crash = codegen::contained([&] {
    auto *trial = new MLIRContext(MLIRContext::Threading::DISABLED);
    prepareContext(*trial);
    {
      ErrorCatcher silent(trial);
      parseSourceString<ModuleOp>(bytes, ParserConfig(trial), origin);
    }
    delete trial;
  });
  bool crashed = bool(crash);
  llvm::consumeError(std::move(crash));
  if (crashed) refuse(origin, "the bytecode is damaged", "MLIR bytecode", "bytes that crash its reader");
}

GraphImpl::GraphImpl(StringRef text, const std::string &origin, const std::string &entry)
    : context(MLIRContext::Threading::DISABLED), builder(&context) {
  prepareContext(context);
  constexpr unsigned maxNesting = 256;
  if (isBytecode(llvm::MemoryBufferRef(text, origin)))
    tryBytecode(text, origin);
  else if (unsigned nesting = nestingOf(text); nesting > maxNesting)
    refuse(origin, "brackets must not nest deeper", std::to_string(maxNesting), std::to_string(nesting));
  ErrorCatcher catcher(&context);
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context), origin);
  if (!module) catcher.raise(ErrorCode::InvalidInput, origin, "the text is not MLIR");
  if (failed(graph::verifyGraphLevel(*module, graph::OpLevel::Graph)))
    catcher.raise(ErrorCode::InvalidInput, "", "the module is not a graph");
  auto parsed = module->lookupSymbol<func::FuncOp>(entry);
  if (!parsed || parsed.isExternal())
    refuse(origin, "the entry must be a function with a body", fmt::format("func.func @{}", entry),
           parsed ? "a declaration" : "no such function");
  parsed.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.hasStaticShape() && !fitsMemory(tensor))
        refuse(origin, "a tensor must fit in memory", "at most 2^47 bytes", graph::str(type), sourceOf(op->getLoc()));
  });
  adopt(parsed, origin);
}

void GraphImpl::adopt(func::FuncOp parsed, const std::string &origin) {
  function = parsed;
  if (!llvm::hasSingleElement(function.getBody()))
    refuse(origin, "a graph is one block", "1 block", std::to_string(function.getBody().getBlocks().size()));
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() || !graph::elementBit(tensor.getElementType()) ||
        !fitsMemory(tensor))
      refuse(origin, "arguments and results must be static tensors of f32, i64, i32 or bool", "tensor<8x128xf32>",
             graph::str(type), sourceOf(function.getLoc()));
  }
  body = &function.getBody().front();
  nameArguments(origin);
  Operation *terminator = &body->back();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto named = function.getResultAttrOfType<StringAttr>(i, "graph.name");
    std::string fallback = terminator->getNumOperands() == 1 ? "y" : fmt::format("y{}", i);
    std::string name = named ? named.str() : fallback;
    for (Output &other : results)
      if (other.name == name) refuse(origin, "outputs must have different names", "a new name", name);
    results.push_back({name, value, terminator->getLoc()});
  }
  terminator->erase();
  function->removeAttr(function.getResAttrsAttrName());
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), {}));
  function.setName("main");
  builder.setInsertionPointToEnd(body);
}

/// Arguments without a graph.name are called x0, x1, … by position ("x" if there is one).
void GraphImpl::nameArguments(const std::string &origin) {
  llvm::StringSet<> seen;
  unsigned count = function.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    if (!function.getArgAttrOfType<StringAttr>(i, "graph.name"))
      function.setArgAttr(i, "graph.name", builder.getStringAttr(count == 1 ? "x" : fmt::format("x{}", i)));
    StringRef name = function.getArgAttrOfType<StringAttr>(i, "graph.name").getValue();
    if (!seen.insert(name).second)
      refuse(origin, "inputs and parameters must have different names", "a new name", name.str(),
             sourceOf(function.getArgument(i).getLoc()));
  }
}
