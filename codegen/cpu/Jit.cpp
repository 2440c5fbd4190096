#include "codegen/cpu/Jit.h"
#include "codegen/cpu/Flatten.h"
#include "codegen/cpu/MachineCode.h"
#include "kiln/Error.h"
#include "runtime/host/HostCode.h"

#include <chrono>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

CpuJit::CpuJit(std::unique_ptr<MachinePool> machines, CpuTarget target)
    : machines(std::move(machines)), target(std::move(target)) {}
CpuJit::~CpuJit() = default;

llvm::Expected<std::shared_ptr<CpuJit>> CpuJit::create(const CpuTarget &target, JitEffort effort, CodeFor machines) {
  CpuMachine machine = machineFor(target, machines);
  if (!machine.isHost) return llvm::createStringError("this machine cannot run code for cpu target " + target.name);
  return std::shared_ptr<CpuJit>(new CpuJit(std::make_unique<MachinePool>(std::move(machine), effort), target));
}

llvm::Expected<CompiledKernel> CpuJit::compile(LLVM::LLVMFuncOp kernel) const {
  auto start = std::chrono::steady_clock::now();
  std::string symbol = kernel.getSymName().str();
  auto object = makeCode(kernel, *machines, target, CodeForm::Object);
  if (!object) return object.takeError();
  auto code = flatten(*object, symbol);
  if (!code) return code.takeError();
  code->target = target.name;
  CompiledKernel result{.symbol = symbol};
  try {
    HostKernelImage loaded = loadHostCode(*code);
    result.fn = loaded.fn;
    result.keepAlive = std::move(loaded.keepAlive);
  } catch (const Error &error) {
    return llvm::createStringError(error.what());
  }
  result.code = std::make_shared<HostCodeImage>(std::move(*code));
  result.compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

llvm::Expected<std::string> kiln::codegen::printCode(LLVM::LLVMFuncOp kernel, const CpuTarget &target, CodeText what,
                                                     JitEffort effort) {
  auto form = what == CodeText::LlvmIr ? CodeForm::LlvmIr : CodeForm::Assembly;
  MachinePool machines(machineFor(target), effort);
  auto bytes = makeCode(kernel, machines, target, form);
  if (!bytes) return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}
