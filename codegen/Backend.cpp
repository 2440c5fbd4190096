#include "codegen/Backend.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

class CpuBackend final : public Backend {
public:
  explicit CpuBackend(std::shared_ptr<CpuJit> jit) : jit(std::move(jit)) {}

  llvm::Expected<KernelImage> compile(LLVM::LLVMFuncOp kernel) const override {
    llvm::Expected<CompiledKernel> compiled = jit->compile(kernel);
    if (!compiled) return compiled.takeError();
    return HostKernelImage{compiled->fn, compiled->keepAlive, compiled->symbol, compiled->code};
  }

private:
  std::shared_ptr<CpuJit> jit;
};

} // namespace

llvm::Expected<std::shared_ptr<const Backend>> kiln::codegen::makeBackend(const Target &target, JitEffort effort,
                                                                          CodeFor machines) {
  if (!target.cpu()) return llvm::createStringError("no code for '" + target.name() + "' yet");
  llvm::Expected<std::shared_ptr<CpuJit>> jit = CpuJit::create(*target.cpu(), effort, machines);
  if (!jit) return jit.takeError();
  return std::make_shared<CpuBackend>(*jit);
}

void kiln::codegen::registerTranslations(DialectRegistry &registry) { registerCpuTranslations(registry); }
