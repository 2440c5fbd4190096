// One row per op of the ptx dialect: its text and its registers.
#include "codegen/ptx/PtxTranslation.h"
#include "codegen/ptx/Assembly.h"
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

LogicalResult translateLoad(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto load = cast<ptx::LoadOp>(op);
  Assembly assembly(b, translation);
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
  assembly.emit(text, load->getResults(), Effect::Memory);
  return success();
}

LogicalResult translateStore(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto store = cast<ptx::StoreOp>(op);
  Assembly assembly(b, translation);
  for (Value value : store.getValues()) assembly.input(value);
  unsigned pointer = assembly.input(store.getPointer()), predicate = assembly.input(store.getPredicate());
  size_t count = store.getValues().size();
  assembly.emit(fmt::format("@${} st.{}{} [${}+{}], {};", predicate, spaceOf(store.getPointer()).str(),
                            accessOf(store.getValues()[0].getType(), count), pointer,
                            static_cast<int64_t>(store.getOffset()), registerList(0, count)),
                store->getResults(), Effect::Memory);
  return success();
}

LogicalResult translateApprox(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto approx = cast<ptx::ApproxOp>(op);
  Assembly assembly(b, translation);
  assembly.output(approx.getType());
  assembly.input(approx.getX());
  assembly.emit(fmt::format("{}.approx.ftz.f32 $0, $1;", ptx::stringifyApproxKind(approx.getKind()).str()),
                op->getResults(), Effect::None);
  return success();
}

LogicalResult translateText(Operation *op, StringRef text, llvm::IRBuilderBase &b,
                            LLVM::ModuleTranslation &translation) {
  Assembly assembly(b, translation);
  OperandRange inputs = op->getOperands();
  bool isTied = op->getNumResults() > 0, isGuarded = !inputs.empty() && inputs.back().getType().isInteger(1);
  if (isTied) assembly.tied(inputs);
  for (Value input : inputs.drop_back(isTied ? inputs.size() : isGuarded)) assembly.input(input);
  std::string guard = isGuarded ? assembly.guard(inputs.back()) : "";
  assembly.emit(guard + text.str(), op->getResults(), Effect::Threads);
  return success();
}

/// Ops of nvvm that only "a" targets have, by the start of their names.
constexpr StringRef kArchSpecificNvvm[] = {"nvvm.wgmma.", "nvvm.setmaxregister", "nvvm.tcgen05."};

constexpr PtxRow kAccessRows[] = {
    {"ptx.load", "", translateLoad}, {"ptx.store", "", translateStore}, {"ptx.approx", "", translateApprox}};

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
      return row.translate ? row.translate(op, b, translation) : translateText(op, row.text, b, translation);
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
