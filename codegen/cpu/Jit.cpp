#include "codegen/cpu/Jit.h"
#include "codegen/cpu/MachineCode.h"


#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using llvm::orc::ExecutorAddr;

namespace {

/// What code for old processors calls where newer ones have an instruction, and what LLVM may call anywhere. All of
/// these are exact, so results do not depend on which it was.
struct RuntimeSymbol {
  llvm::StringRef name;
  void *address;
};

template <typename Fn> void *addressOf(Fn *function) { return reinterpret_cast<void *>(function); }

llvm::ArrayRef<RuntimeSymbol> runtimeSymbols() {
  using F1 = float(float);
  using D1 = double(double);
  static const RuntimeSymbol rows[] = {
      {"fmaf", addressOf<float(float, float, float)>(::fmaf)},
      {"fma", addressOf<double(double, double, double)>(::fma)},
      {"floorf", addressOf<F1>(::floorf)},
      {"floor", addressOf<D1>(::floor)},
      {"ceilf", addressOf<F1>(::ceilf)},
      {"ceil", addressOf<D1>(::ceil)},
      {"truncf", addressOf<F1>(::truncf)},
      {"trunc", addressOf<D1>(::trunc)},
      {"roundevenf", addressOf<F1>(::rintf)}, // the rounding mode is to nearest even
      {"roundeven", addressOf<D1>(::rint)},
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(::memcpy)},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(::memmove)},
      {"memset", addressOf<void *(void *, int, size_t)>(::memset)},
  };
  return rows;
}

llvm::Error defineRuntime(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol &row : runtimeSymbols())
    symbols[jit.mangleAndIntern(row.name)] = {ExecutorAddr::fromPtr(row.address), llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

/// Frees one kernel's code; the JIT it lies in stays until the last one is gone.
class KernelCode {
public:
  KernelCode(std::shared_ptr<llvm::orc::LLJIT> jit, llvm::orc::JITDylib &library)
      : jit(std::move(jit)), library(library) {}
  ~KernelCode() { llvm::consumeError(jit->getExecutionSession().removeJITDylib(library)); }
  KernelCode(const KernelCode &) = delete;
  KernelCode &operator=(const KernelCode &) = delete;

private:
  std::shared_ptr<llvm::orc::LLJIT> jit;
  llvm::orc::JITDylib &library;
};

/// A name no other kernel of this process has, so that equal symbols can be compiled twice.
std::string libraryName(llvm::StringRef symbol) {
  static std::atomic<uint64_t> count{0};
  return (symbol + "#" + llvm::Twine(count++)).str();
}

} // namespace

CpuJit::CpuJit(std::unique_ptr<MachinePool> machines, CpuTarget target, std::shared_ptr<llvm::orc::LLJIT> jit)
    : machines(std::move(machines)), target(std::move(target)), jit(std::move(jit)) {}
CpuJit::~CpuJit() = default;

llvm::Expected<std::shared_ptr<CpuJit>> CpuJit::create(const CpuTarget &target, JitEffort effort) {
  CpuMachine machine = machineFor(target);
  if (!machine.isHost) return llvm::createStringError("this machine cannot run code for cpu target " + target.name);
  registerHostBackend();
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(machine.triple)};
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(builder))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit) return jit.takeError();
  if (llvm::Error error = defineRuntime(**jit)) return error;
  auto machines = std::make_unique<MachinePool>(std::move(machine), effort);
  return std::shared_ptr<CpuJit>(new CpuJit(std::move(machines), target, std::move(*jit)));
}

llvm::Expected<CompiledKernel> CpuJit::compile(LLVM::LLVMFuncOp kernel) const {
  auto start = std::chrono::steady_clock::now();
  std::string symbol = kernel.getSymName().str();
  auto object = makeCode(kernel, *machines, target, CodeForm::Object);
  if (!object) return object.takeError();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy({object->data(), object->size()}, symbol);

  auto library = jit->createJITDylib(libraryName(symbol));
  if (!library) return library.takeError();
  auto code = std::make_shared<KernelCode>(jit, *library);
  library->addToLinkOrder(jit->getMainJITDylib());
  if (llvm::Error error = jit->addObjectFile(*library, std::move(buffer))) return error;
  auto address = jit->lookup(*library, symbol);
  if (!address) return address.takeError();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return CompiledKernel{symbol, address->toPtr<HostKernelFn>(), std::move(code), seconds.count()};
}

llvm::Expected<std::string> kiln::codegen::printCode(LLVM::LLVMFuncOp kernel, const CpuTarget &target, CodeText what,
                                                     JitEffort effort) {
  auto form = what == CodeText::LlvmIr ? CodeForm::LlvmIr : CodeForm::Assembly;
  MachinePool machines(machineFor(target), effort);
  auto bytes = makeCode(kernel, machines, target, form);
  if (!bytes) return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}
