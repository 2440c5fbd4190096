// One row per op of the ptx dialect: its text and its registers. What touches memory has side effects; none waits for
// other threads, which would have to be convergent.
#include "codegen/ptx/PtxTranslation.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// Builds one piece of assembly.
class Assembly {
public:
  Assembly(llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) : b(b), translation(translation) {}

  /// A register that the text writes, before it has read the inputs; its number.
  unsigned output(Type type) {
    llvm::Type *held = heldAs(translation.convertType(type));
    outputs.push_back(held);
    constraints += (constraints.empty() ? "=&" : ",=&") + letterOf(held);
    return count++;
  }
  /// A register that the text reads; outputs come first.
  unsigned input(Value value) {
    llvm::Value *v = translation.lookupValue(value);
    llvm::Type *held = heldAs(v->getType());
    if (held != v->getType()) v = v->getType()->isIntegerTy(8) ? b.CreateZExt(v, held) : b.CreateBitCast(v, held);
    inputs.push_back(v);
    constraints += (constraints.empty() ? "" : ",") + letterOf(held);
    return count++;
  }

  /// Makes the call; `results` are the outputs, in order. What touches memory is neither dropped nor moved past others.
  void emit(const std::string &text, ResultRange results, bool touchesMemory = true) {
    llvm::Type *type = outputs.empty()       ? b.getVoidTy()
                       : outputs.size() == 1 ? outputs[0]
                                             : llvm::StructType::get(b.getContext(), outputs);
    SmallVector<llvm::Type *> types;
    for (llvm::Value *v : inputs) types.push_back(v->getType());
    auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, false), text,
                                          constraints + (touchesMemory ? ",~{memory}" : ""), touchesMemory);
    llvm::CallInst *call = b.CreateCall(assembly, inputs);
    for (auto [i, result] : llvm::enumerate(results)) {
      llvm::Value *v = outputs.size() == 1 ? call : b.CreateExtractValue(call, static_cast<unsigned>(i));
      llvm::Type *wanted = translation.convertType(result.getType());
      if (wanted != v->getType()) v = wanted->isIntegerTy(8) ? b.CreateTrunc(v, wanted) : b.CreateBitCast(v, wanted);
      translation.mapValue(result, v);
    }
  }

private:
  llvm::IRBuilderBase &b;
  LLVM::ModuleTranslation &translation;
  std::string constraints;
  SmallVector<llvm::Type *> outputs;
  SmallVector<llvm::Value *> inputs;
  unsigned count = 0;

  /// There are no registers of 8 bits, and those of 16 hold integers.
  llvm::Type *heldAs(llvm::Type *type) {
    return type->isPointerTy() || type->isIntegerTy(1) || type->getScalarSizeInBits() > 16 ? type : b.getInt16Ty();
  }

  std::string letterOf(llvm::Type *type) {
    if (type->isPointerTy()) return type->getPointerAddressSpace() == ptx::Shared ? "r" : "l";
    if (type->isFloatTy()) return "f";
    if (type->isDoubleTy()) return "d";
    switch (type->getIntegerBitWidth()) {
    case 1:
      return "b";
    case 16:
      return "h";
    case 32:
      return "r";
    default:
      return "l";
    }
  }
};

/// ".b32", ".v4.b32": registers of a memory access.
std::string accessOf(Type type, size_t count) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return (count == 1 ? "" : fmt::format(".v{}", count)) + fmt::format(".b{}", bits);
}

/// "{$0, $1}", or "$0" alone.
std::string registerList(unsigned first, size_t count) {
  std::string text = fmt::format("${}", first);
  for (size_t i = 1; i < count; ++i) text += fmt::format(", ${}", first + i);
  return count == 1 ? text : "{" + text + "}";
}

StringRef spaceOf(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ptx::Shared ? "shared" : "global";
}

using TranslateFn = LogicalResult (*)(Operation *, llvm::IRBuilderBase &, LLVM::ModuleTranslation &);
struct PtxRow {
  StringRef op;
  TranslateFn translate;
  bool isArchSpecific = false; ///< only "a" targets have its instruction
};

LogicalResult translateLoad(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto load = cast<ptx::LoadOp>(op);
  Assembly assembly(b, translation);
  Type type = load.getValues()[0].getType();
  std::string text = "{";
  for (Value value : load.getValues())
    text += fmt::format(" mov.b{} ${}, 0;", std::max(16u, type.getIntOrFloatBitWidth()), assembly.output(value.getType()));
  unsigned pointer = assembly.input(load.getPointer()), predicate = assembly.input(load.getPredicate());
  size_t count = load.getValues().size();
  text += fmt::format(" @${} ld.{}{}{} {}, [${}+{}]; }}", predicate, spaceOf(load.getPointer()).str(),
                      load.getReadOnly() ? ".nc" : "", accessOf(type, count), registerList(0, count), pointer,
                      static_cast<int64_t>(load.getOffset()));
  assembly.emit(text, load->getResults());
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
                            static_cast<int64_t>(store.getOffset()),
                            registerList(0, count)),
                store->getResults());
  return success();
}

LogicalResult translateApprox(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto approx = cast<ptx::ApproxOp>(op);
  Assembly assembly(b, translation);
  assembly.output(approx.getType());
  assembly.input(approx.getX());
  assembly.emit(fmt::format("{}.approx.ftz.f32 $0, $1;", ptx::stringifyApproxKind(approx.getKind()).str()),
                op->getResults(), /*touchesMemory=*/false);
  return success();
}

/// Ops of nvvm that only "a" targets have, by the start of their names.
constexpr StringRef kArchSpecificNvvm[] = {"nvvm.wgmma.", "nvvm.setmaxregister", "nvvm.tcgen05."};

constexpr PtxRow kRows[] = {
    {"ptx.load", translateLoad}, {"ptx.store", translateStore}, {"ptx.approx", translateApprox}};

class PtxTranslation final : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult convertOperation(Operation *op, llvm::IRBuilderBase &b,
                                 LLVM::ModuleTranslation &translation) const override {
    for (const PtxRow &row : kRows)
      if (row.op == op->getName().getStringRef()) return row.translate(op, b, translation);
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
  return llvm::any_of(kRows, [&](const PtxRow &row) { return row.isArchSpecific && row.op == op; }) ||
         llvm::any_of(kArchSpecificNvvm, [&](StringRef start) { return op.starts_with(start); });
}

ArrayRef<StringRef> kiln::codegen::translatedPtxOps() {
  static const SmallVector<StringRef> ops(llvm::map_range(kRows, [](const PtxRow &row) { return row.op; }));
  return ops;
}
