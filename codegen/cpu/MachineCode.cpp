#include "codegen/cpu/MachineCode.h"
#include "codegen/cpu/MaskedStores.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

void kiln::codegen::registerCpuTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void kiln::codegen::registerHostBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

static std::unique_ptr<llvm::TargetMachine> makeMachine(const CpuMachine &machine, JitEffort effort,
                                                        std::string &error) {
  registerHostBackend();
  llvm::Triple triple(machine.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // a mul and an add stay two roundings
  auto level = effort == JitEffort::Full ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, machine.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level, /*JIT=*/true));
}

MachinePool::MachinePool(CpuMachine machine, JitEffort effort)
    : TargetMachines([machine, effort](std::string &error) { return makeMachine(machine, effort, error); }),
      machine(std::move(machine)), effort(effort) {}

namespace {

/// Tells the backend to use whole vector registers.
void preferVectors(Compilation &c, const CpuTarget &target) {
  for (llvm::Function &function : *c.module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr("min-legal-vector-width", std::to_string(target.vectorBits));
  }
}

/// What is left to do on code whose vectors and unrolling are decided: fold, hoist, tidy the control flow.
void optimize(Compilation &c) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(c.machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager inLoops;
  inLoops.addPass(llvm::LoopRotatePass());
  inLoops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(inLoops), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : *c.module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

bool emit(Compilation &c, CodeForm form, llvm::SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream os(bytes);
  if (form == CodeForm::LlvmIr) {
    c.module->print(os, nullptr);
    return true;
  }
  llvm::legacy::PassManager passes;
  auto file = form == CodeForm::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (c.machine->addPassesToEmitFile(passes, os, nullptr, file)) return false;
  passes.run(*c.module);
  return true;
}

} // namespace

llvm::Expected<llvm::SmallVector<char, 0>> kiln::codegen::makeCode(LLVM::LLVMFuncOp kernel, MachinePool &machines,
                                                                   const CpuTarget &target, CodeForm form) {
  llvm::SmallVector<char, 0> bytes;
  llvm::Error error = compileKernel(kernel, machines, [&](Compilation &c) {
    preferVectors(c, target);
    if (machines.effort == JitEffort::Full) optimize(c);
    for (llvm::Function &function : *c.module) resolveMaskedStores(function);
    return emit(c, form, bytes);
  });
  if (error) return error;
  return bytes;
}
