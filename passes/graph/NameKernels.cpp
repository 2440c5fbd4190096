// graph-name-kernels: equal kernels get equal symbols.
#include "ir/graph/Programs.h"
#include "passes/graph/Passes.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln::graph {
#define GEN_PASS_DEF_NAMEKERNELS
#include "passes/graph/Passes.h.inc"

namespace {

/// Writes what a kernel computes as text that is the same in every process: ops, attributes and types printed, values
/// numbered by position. Locations, names of values, and what the operands are outside do not appear.
class Structure {
public:
  std::string of(KernelOp kernel) {
    text.clear();
    numbers.clear();
    if (CustomKernelOp call = kernel.getCustom()) return ofProgram(call);
    attribute(kernel.getKindAttr());
    attribute(kernel.getScheduleAttr());
    attribute(kernel.getInputLayoutsAttr());
    attribute(kernel.getResultLayoutsAttr());
    for (BlockArgument argument : kernel.getBody().getArguments()) define(argument);
    for (Operation &op : kernel.getBody().front()) add(op);
    return text;
  }

private:
  /// A program is the same code for all tensors that it takes.
  std::string ofProgram(CustomKernelOp call) {
    tile::KernelOp program = findProgram(call, call.getProgramAttr());
    llvm::raw_string_ostream os(text);
    program->print(os, OpPrintingFlags().useLocalScope());
    return text;
  }

  std::string text;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Attribute, std::string> attributes; ///< printed once per run
  llvm::DenseMap<Type, std::string> types;

  template <typename T> static std::string print(T printed) {
    std::string out;
    llvm::raw_string_ostream os(out);
    printed.print(os);
    return out;
  }
  void attribute(Attribute value) {
    if (!value) return void(text += "-;");
    auto [it, isNew] = attributes.try_emplace(value);
    if (isNew) it->second = print(value);
    text += it->second + ";";
  }
  void define(Value value) {
    numbers[value] = numbers.size();
    auto [it, isNew] = types.try_emplace(value.getType());
    if (isNew) it->second = print(value.getType());
    text += ":" + it->second;
  }
  void add(Operation &op) {
    text += "\n" + op.getName().getStringRef().str();
    for (Value operand : op.getOperands()) text += fmt::format(" {}", numbers.lookup(operand));
    attribute(op.getAttrDictionary());
    for (Value result : op.getResults()) define(result);
  }
};

/// What assemblers take of a program's name.
std::string symbolPrefix(StringRef name) {
  std::string prefix = "custom_";
  for (char c : name) prefix += llvm::isAlnum(c) ? c : '_';
  return prefix;
}

struct NameKernels : impl::NameKernelsBase<NameKernels> {
  using NameKernelsBase::NameKernelsBase;

  void runOnOperation() override {
    Structure structure;
    getOperation().walk([&](KernelOp kernel) {
      uint64_t hash = llvm::xxh3_64bits(structure.of(kernel));
      CustomKernelOp call = kernel.getCustom();
      std::string prefix = call ? symbolPrefix(call.getProgram()) : kernel.getKind().str();
      kernel.setSymbol(fmt::format("{}_{:016x}", prefix, hash));
      return WalkResult::skip();
    });
    markAnalysesPreserved<DominanceInfo>();
  }
};
} // namespace
} // namespace kiln::graph
