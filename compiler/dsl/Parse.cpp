// Graphs from .mlir text or bytecode.
#include "codegen/machine/Contain.h"
#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "compiler/dsl/LoneProgram.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"
#include "runtime/Nearest.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

[[noreturn]] static void refuse(const std::string &origin, std::string rule, std::string expected, std::string found,
                                SourceLoc where = {}, std::string hint = {}) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = origin,
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found),
               .hint = std::move(hint),
               .where = std::move(where)});
}

namespace {
/// What MLIR's parser descends for on the stack, once for each.
struct Depths {
  unsigned brackets = 0;  ///< the deepest nesting of brackets
  unsigned operators = 0; ///< the most operators in a row that could be one affine expression
};
} // namespace

/// The end of the comment or string that begins at `text[i]`; `i` if none does.
static size_t skipQuiet(StringRef text, size_t i) {
  if (text.substr(i).starts_with("//")) return std::min(text.find_first_of("\n\r", i), text.size());
  if (text[i] != '"') return i;
  for (size_t end = i + 1; end < text.size(); ++end) {
    if (text[end] == '\\')
      ++end;
    else if (text[end] == '"' || text[end] == '\n')
      return end + 1;
  }
  return text.size();
}

static Depths depthsOf(StringRef text) {
  Depths deepest, now;
  for (size_t i = 0; i < text.size(); ++i) {
    if (size_t end = skipQuiet(text, i); end != i) {
      i = end - 1;
      continue;
    }
    char c = text[i];
    bool arrow = c == '>' && i && text[i - 1] == '-', arrowNext = c == '-' && text.substr(i + 1).starts_with(">");
    if (StringRef("([{<").contains(c)) deepest.brackets = std::max(deepest.brackets, ++now.brackets);
    if (StringRef(")]}>").contains(c) && !arrow && now.brackets) --now.brackets;
    bool word = llvm::isAlnum(c) || c == '_', wordBefore = i && (llvm::isAlnum(text[i - 1]) || text[i - 1] == '_');
    StringRef name =
        word && !wordBefore ? text.substr(i).take_while([](char w) { return llvm::isAlnum(w) || w == '_'; }) : "";
    bool isOperator =
        (StringRef("+-*").contains(c) && !arrowNext) || name == "mod" || name == "floordiv" || name == "ceildiv";
    if (isOperator)
      deepest.operators = std::max(deepest.operators, ++now.operators);
    else if (!word && !llvm::isSpace(c) && c != '\0' && c != '(' && c != ')')
      now.operators = 0;
  }
  return deepest;
}

void kiln::dsl::checkText(StringRef text, const std::string &origin) {
  constexpr unsigned maxBrackets = 256, maxOperators = 1024;
  Depths found = depthsOf(text);
  if (found.brackets > maxBrackets)
    refuse(origin, "brackets must not nest deeper", std::to_string(maxBrackets), std::to_string(found.brackets));
  if (found.operators > maxOperators)
    refuse(origin, "an affine expression must not have more operators", std::to_string(maxOperators),
           std::to_string(found.operators));
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

GraphImpl::GraphImpl(StringRef text, const std::string &origin, const std::string &given,
                     const ProgramBindings &bindings)
    : context(MLIRContext::Threading::DISABLED), builder(&context) {
  prepareContext(context);
  if (isBytecode(llvm::MemoryBufferRef(text, origin)))
    tryBytecode(text, origin);
  else
    checkText(text, origin);
  ErrorCatcher catcher(&context);
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context), origin);
  if (!module) // what is said of no op is about the text
    catcher.raise(ErrorCode::InvalidInput, catcher.fields().op.empty() ? origin : "", "the text is not MLIR");
  std::string entry = given;
  if (holdsProgramsAlone(*module)) {
    FailureOr<func::FuncOp> wrapped = wrapProgram(*module, given, bindings, origin);
    if (failed(wrapped)) catcher.raise(ErrorCode::InvalidInput, "", "the program cannot be called");
    wrapped->walk([&](graph::CustomKernelOp call) {
      gpuProgram = bool(graph::findProgram(call, call.getProgramAttr()).getThreads());
    });
    entry = wrapped->getName().str();
  } else if (!bindings.values.empty()) {
    refuse(origin, "only the extents of a tile program are bound", "a file of tile programs alone", "a graph");
  }
  if (failed(graph::verifyGraphLevel(*module, graph::OpLevel::Graph)))
    catcher.raise(ErrorCode::InvalidInput, "", "the module is not a graph");
  auto parsed = module->lookupSymbol<func::FuncOp>(entry);
  if (!parsed || parsed.isExternal())
    refuse(origin, "the entry must be a function with a body", fmt::format("func.func @{}", entry),
           parsed ? "a declaration" : "no such function");
  adopt(parsed, origin);
}

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Of an argument or result: the graph dialect's attributes must be `known` ones, and of their kind.
static void checkAttributes(DictionaryAttr attributes, const std::vector<std::string> &known, const SourceLoc &where) {
  if (!attributes) return;
  for (NamedAttribute attribute : attributes) {
    std::string name = attribute.getName().str(), value = textOf(attribute.getValue());
    if (!StringRef(name).starts_with("graph.")) continue;
    if (!llvm::is_contained(known, name))
      refuse(name, "there is no such attribute here", llvm::join(known, " or "), name, where, nearestName(name, known));
    if (name == "graph.name" && !isa<StringAttr>(attribute.getValue()))
      refuse(name, "a name is a string", "a string", value, where, "graph.name = \"x\"");
    if (name == "graph.param" && !isa<UnitAttr>(attribute.getValue()))
      refuse(name, "the attribute takes no value", "graph.param", "graph.param = " + value, where, "graph.param");
  }
}

void GraphImpl::adopt(func::FuncOp parsed, const std::string &origin) {
  function = parsed;
  if (!llvm::hasSingleElement(function.getBody()))
    refuse(origin, "a graph is one block", "1 block", std::to_string(function.getBody().getBlocks().size()));
  body = &function.getBody().front();
  nameArguments(origin);
  Operation *terminator = &body->back();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto named = function.getResultAttrOfType<StringAttr>(i, "graph.name");
    std::string fallback = terminator->getNumOperands() == 1 ? "y" : fmt::format("y{}", i);
    std::string name = named ? named.str() : fallback;
    SourceLoc where = sourceOf(terminator->getLoc());
    checkAttributes(function.getResultAttrDict(i), {"graph.name"}, where);
    if (std::string rule = brokenNameRule(name); !rule.empty())
      refuse("graph.name", rule, "a name such as \"y\"", quoted(name), where);
    for (Output &other : results)
      if (other.name == name) refuse(origin, "outputs must have different names", "a new name", name);
    results.push_back({name, value, terminator->getLoc()});
    outputInfos.push_back(infoOf(name, value.getType(), false));
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
    SourceLoc where = sourceOf(function.getArgument(i).getLoc());
    checkAttributes(function.getArgAttrDict(i), {"graph.name", "graph.param"}, where);
    if (!function.getArgAttr(i, "graph.name"))
      function.setArgAttr(i, "graph.name", builder.getStringAttr(count == 1 ? "x" : fmt::format("x{}", i)));
    StringRef name = function.getArgAttrOfType<StringAttr>(i, "graph.name").getValue();
    if (std::string rule = brokenNameRule(name); !rule.empty())
      refuse("graph.name", rule, "a name such as \"x\"", quoted(name), where);
    if (!seen.insert(name).second)
      refuse(origin, "inputs and parameters must have different names", "a new name", name.str(), where);
    inputInfos.push_back(
        infoOf(name.str(), function.getArgument(i).getType(), bool(function.getArgAttr(i, "graph.param"))));
  }
}
