#include "codegen/machine/Compile.h"
#include "codegen/machine/Contain.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

std::unique_ptr<llvm::TargetMachine> TargetMachines::take(std::string &error) {
  {
    std::lock_guard guard(lock);
    if (!idle.empty()) {
      auto machine = std::move(idle.back());
      idle.pop_back();
      return machine;
    }
  }
  return make(error);
}

void TargetMachines::give(std::unique_ptr<llvm::TargetMachine> machine) {
  std::lock_guard guard(lock);
  idle.push_back(std::move(machine));
}

namespace {

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

/// A module of the kernel alone, and the globals whose addresses it takes.
OwningOpRef<ModuleOp> isolate(LLVM::LLVMFuncOp kernel) {
  OwningOpRef<ModuleOp> holder = ModuleOp::create(kernel.getLoc());
  auto module = kernel->getParentOfType<ModuleOp>();
  llvm::SmallDenseSet<StringRef> taken;
  kernel.walk([&](LLVM::AddressOfOp use) {
    if (!taken.insert(use.getGlobalName()).second) return;
    if (auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName()))
      holder->getBody()->push_back(global->clone());
  });
  holder->getBody()->push_back(kernel->clone());
  return holder;
}

/// Gives functions what locations need to get through LLVM.
LogicalResult addLines(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass({.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly}));
  return pm.run(module);
}

} // namespace

llvm::Error kiln::codegen::compileKernel(LLVM::LLVMFuncOp kernel, TargetMachines &machines,
                                         llvm::function_ref<bool(Compilation &)> finish, bool lines) {
  auto c = std::make_unique<Compilation>();
  c->context.setDiagnosticHandler(std::make_unique<CollectErrors>(c->errors));
  bool done = false;
  llvm::Error fatal = contained([&] {
    c->machine = machines.take(c->errors);
    if (!c->machine) return;
    OwningOpRef<ModuleOp> holder = isolate(kernel);
    if (lines && failed(addLines(*holder))) return;
    c->module = translateModuleToLLVMIR(*holder, c->context, kernel.getSymName());
    if (!c->module) return;
    c->module->setTargetTriple(c->machine->getTargetTriple());
    c->module->setDataLayout(c->machine->createDataLayout());
    done = finish(*c);
  });
  std::string name = kernel.getSymName().str();
  if (fatal) {
    (void)c.release(); // in whatever state it is, its machine included
    return llvm::createStringError("kernel " + name + ": " + llvm::toString(std::move(fatal)));
  }
  if (c->machine) machines.give(std::move(c->machine));
  if (done && c->errors.empty()) return llvm::Error::success();
  return llvm::createStringError("kernel " + name + ": " +
                                 (c->errors.empty() ? "cannot be translated to LLVM IR" : c->errors));
}
