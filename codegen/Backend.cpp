#include "codegen/Backend.h"
#include "codegen/ptx/EmitPtx.h"
#include "codegen/ptx/PtxTranslation.h"

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

class GpuBackend final : public Backend {
public:
  GpuBackend(const GpuTarget &target, bool lines) : emitter(target, lines) {}

  llvm::Expected<KernelImage> compile(LLVM::LLVMFuncOp kernel) const override {
    llvm::Expected<CodeImage> image = emitter.emit(kernel);
    if (!image) return image.takeError();
    return std::move(*image);
  }

private:
  mutable PtxEmitter emitter; ///< lends what it makes
};

} // namespace

llvm::Expected<std::shared_ptr<const Backend>> kiln::codegen::makeBackend(const Target &target, JitEffort effort,
                                                                          CodeFor machines, bool lines) {
  if (target.gpu()) return std::make_shared<GpuBackend>(*target.gpu(), lines);
  llvm::Expected<std::shared_ptr<CpuJit>> jit = CpuJit::create(*target.cpu(), effort, machines);
  if (!jit) return jit.takeError();
  return std::make_shared<CpuBackend>(*jit);
}

void kiln::codegen::registerTranslations(DialectRegistry &registry) {
  registerCpuTranslations(registry);
  registerPtxTranslations(registry);
}
