// One row per op of the ptx dialect: its text and its registers.
#include "codegen/ptx/PtxTranslation.h"
#include "codegen/ptx/Assembly.h"
#include "ir/Typed.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// ".b32", ".v4.b32": registers of a memory access.
std::string accessOf(Type type, size_t count) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return (count == 1 ? "" : fmt::format(".v{}", count)) + fmt::format(".b{}", bits);
}

StringRef spaceOf(Value pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()) {
  case ptx::Shared:
    return "shared";
  case ptx::SharedCluster:
    return "shared::cluster";
  default:
    return "global";
  }
}

std::string translateLoad(ptx::LoadOp load, Assembly &assembly) {
  Type type = load.getValues()[0].getType();
  std::string text = "{";
  for (Value value : load.getValues())
    text +=
        fmt::format(" mov.b{} ${}, 0;", std::max(16u, type.getIntOrFloatBitWidth()), assembly.output(value.getType()));
  unsigned pointer = assembly.input(load.getPointer()), predicate = assembly.input(load.getPredicate());
  size_t count = load.getValues().size();
  text += fmt::format(" @${} ld.{}{}{} {}, [${}+{}]; }}", predicate, spaceOf(load.getPointer()).str(),
                      load.getReadOnly() ? ".nc" : "", accessOf(type, count), registerList(0, count), pointer,
                      static_cast<int64_t>(load.getOffset()));
  return text;
}

std::string translateStore(ptx::StoreOp store, Assembly &assembly) {
  for (Value value : store.getValues()) assembly.input(value);
  unsigned pointer = assembly.input(store.getPointer()), predicate = assembly.input(store.getPredicate());
  size_t count = store.getValues().size();
  return fmt::format("@${} st.{}{} [${}+{}], {};", predicate, spaceOf(store.getPointer()).str(),
                     accessOf(store.getValues()[0].getType(), count), pointer, static_cast<int64_t>(store.getOffset()),
                     registerList(0, count));
}

std::string translateApprox(ptx::ApproxOp approx, Assembly &assembly) {
  assembly.output(approx.getType());
  assembly.input(approx.getX());
  return fmt::format("{}.approx.ftz.f32 $0, $1;", ptx::stringifyApproxKind(approx.getKind()).str());
}

/// The text of a row that has one.
std::string textOf(const PtxRow &row, Operation *op, Assembly &assembly) {
  OperandRange inputs = op->getOperands();
  bool isTied = op->getNumResults() > 0, isGuarded = !inputs.empty() && inputs.back().getType().isInteger(1);
  if (isTied) assembly.tied(inputs);
  for (Value input : inputs.drop_back(isTied ? inputs.size() : isGuarded)) assembly.input(input);
  return (isGuarded ? assembly.guard(inputs.back()) : "") + row.text.str();
}

/// Ops of nvvm that only "a" targets have, by the start of their names.
constexpr StringRef kArchSpecificNvvm[] = {"nvvm.wgmma.", "nvvm.setmaxregister", "nvvm.tcgen05."};

constexpr PtxRow kAccessRows[] = {
    {.op = "ptx.load", .textOf = ir::typed<translateLoad>, .effect = Effect::Memory},
    {.op = "ptx.store", .textOf = ir::typed<translateStore>, .effect = Effect::Memory},
    {.op = "ptx.approx", .textOf = ir::typed<translateApprox>, .effect = Effect::None},
};

const llvm::StringMap<PtxRow> &ptxRows() {
  static const llvm::StringMap<PtxRow> table = [] {
    llvm::StringMap<PtxRow> rows;
    for (ArrayRef<PtxRow> family : {ArrayRef<PtxRow>(kAccessRows), asyncPtxRows(), wgmmaPtxRows()})
      for (const PtxRow &row : family) rows[row.op] = row;
    return rows;
  }();
  return table;
}

class PtxTranslation final : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult convertOperation(Operation *op, llvm::IRBuilderBase &b,
                                 LLVM::ModuleTranslation &translation) const override {
    if (auto found = ptxRows().find(op->getName().getStringRef()); found != ptxRows().end()) {
      const PtxRow &row = found->second;
      Assembly assembly(b, translation);
      assembly.emit(row.textOf ? row.textOf(op, assembly) : textOf(row, op, assembly), op->getResults(), row.effect);
      return success();
    }
    return op->emitError() << "'" << op->getName().getStringRef() << "' has no row in codegen/ptx";
  }
};

} // namespace

void kiln::codegen::registerPtxTranslations(DialectRegistry &registry) {
  registerNVVMDialectTranslation(registry);
  registry.insert<ptx::PtxDialect>();
  registry.addExtension(+[](MLIRContext *, ptx::PtxDialect *dialect) { dialect->addInterfaces<PtxTranslation>(); });
}

bool kiln::codegen::isArchSpecific(StringRef op) {
  auto row = ptxRows().find(op);
  return (row != ptxRows().end() && row->second.isArchSpecific) ||
         llvm::any_of(kArchSpecificNvvm, [&](StringRef start) { return op.starts_with(start); });
}

ArrayRef<StringRef> kiln::codegen::translatedPtxOps() {
  static const SmallVector<StringRef> ops(ptxRows().keys());
  return ops;
}
