#include "codegen/cpu/MachineCode.h"
#include "codegen/cpu/Contain.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
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

MachinePool::MachinePool(CpuMachine machine, JitEffort effort) : machine(std::move(machine)), effort(effort) {}
MachinePool::~MachinePool() = default;

std::unique_ptr<llvm::TargetMachine> MachinePool::take(std::string &error) {
  {
    std::lock_guard guard(lock);
    if (!idle.empty()) {
      auto machine = std::move(idle.back());
      idle.pop_back();
      return machine;
    }
  }
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

void MachinePool::give(std::unique_ptr<llvm::TargetMachine> machine) {
  std::lock_guard guard(lock);
  idle.push_back(std::move(machine));
}

namespace {

/// Everything made for one kernel; lives on the heap so that a fatal error abandons it as a whole.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string errors; ///< LLVM's diagnostics, one a line
};

struct CollectErrors final : llvm::DiagnosticHandler {
  explicit CollectErrors(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream os(errors);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    os << '\n';
    return true; // handled: LLVM neither prints nor exits
  }
  std::string &errors;
};

/// The kernel alone in a module, with the constants it names.
OwningOpRef<ModuleOp> isolated(LLVM::LLVMFuncOp kernel) {
  OwningOpRef<ModuleOp> holder = ModuleOp::create(kernel.getLoc());
  auto module = kernel->getParentOfType<ModuleOp>();
  llvm::StringSet<> known;
  kernel.walk([&](LLVM::AddressOfOp use) {
    if (!known.insert(use.getGlobalName()).second) return;
    if (auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName()))
      holder->getBody()->push_back(global->clone());
  });
  holder->getBody()->push_back(kernel->clone());
  return holder;
}

/// The kernel as a module of LLVM IR, told to use whole vector registers.
std::unique_ptr<llvm::Module> translate(LLVM::LLVMFuncOp kernel, const CpuTarget &target, Compilation &c) {
  OwningOpRef<ModuleOp> holder = isolated(kernel);
  auto module = translateModuleToLLVMIR(*holder, c.context, kernel.getSymName());
  if (!module) return nullptr;
  module->setTargetTriple(c.machine->getTargetTriple());
  module->setDataLayout(c.machine->createDataLayout());
  for (llvm::Function &function : *module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr("min-legal-vector-width", std::to_string(target.vectorBits));
  }
  return module;
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
  auto c = std::make_unique<Compilation>();
  c->context.setDiagnosticHandler(std::make_unique<CollectErrors>(c->errors));
  c->machine = machines.take(c->errors);
  if (!c->machine) return llvm::createStringError(c->errors);
  llvm::SmallVector<char, 0> bytes;
  bool done = false;
  llvm::Error fatal = contained([&] {
    c->module = translate(kernel, target, *c);
    if (!c->module) return;
    if (machines.effort == JitEffort::Full) optimize(*c);
    done = emit(*c, form, bytes);
  });
  std::string name = kernel.getSymName().str();
  if (fatal) {
    (void)c.release(); // in whatever state it is, its machine included
    return llvm::createStringError("kernel " + name + ": " + llvm::toString(std::move(fatal)));
  }
  machines.give(std::move(c->machine));
  if (!done || !c->errors.empty())
    return llvm::createStringError("kernel " + name + ": " +
                                   (c->errors.empty() ? "cannot be translated to LLVM IR" : c->errors));
  return bytes;
}
