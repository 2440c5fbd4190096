#include "codegen/ptx/EmitPtx.h"
#include "codegen/ptx/PtxTranslation.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

/// Makes the backend known, once per process; shared memory gets 32-bit pointers, which LLVM takes as an option alone.
static void registerBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto option = options.find("nvptx-short-ptr"); option != options.end())
      static_cast<llvm::cl::opt<bool> *>(option->second)->setValue(true);
  });
}

static std::unique_ptr<llvm::TargetMachine> makeMachine(const GpuTarget &target, std::string &error) {
  registerBackend();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // a mul and an add stay two roundings
  return std::unique_ptr<llvm::TargetMachine>(
      backend->createTargetMachine(triple, target.name, fmt::format("+ptx{}", target.ptxVersion), options,
                                   llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

PtxEmitter::Chip::Chip(const GpuTarget &target)
    : target(target), machines([&target](std::string &error) { return makeMachine(target, error); }) {}

PtxEmitter::PtxEmitter(const GpuTarget &target, bool lines)
    : exact(target), plain(plainGpuTarget(target)), lines(lines) {}

/// The first op of a kernel that only "a" targets have, or null.
static Operation *archSpecificOp(LLVM::LLVMFuncOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (!isArchSpecific(op->getName().getStringRef())) return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

PtxEmitter::Chip &PtxEmitter::chipFor(LLVM::LLVMFuncOp kernel) { return archSpecificOp(kernel) ? exact : plain; }

// No IR passes: code arrives in the order that needs few registers, and the code generator has what it needs itself.
llvm::Expected<std::string> PtxEmitter::print(LLVM::LLVMFuncOp kernel, GpuText what) {
  if (Operation *op = archSpecificOp(kernel); op && !exact.target.exactOnly)
    return llvm::createStringError(fmt::format("kernel {}: '{}' is of targets like sm_90a alone, not of {}",
                                               kernel.getSymName().str(), op->getName().getStringRef().str(),
                                               exact.target.name));
  llvm::SmallVector<char, 0> bytes;
  llvm::Error error = compileKernel(
      kernel, chipFor(kernel).machines,
      [&](Compilation &c) {
        llvm::raw_svector_ostream os(bytes);
        if (what == GpuText::LlvmIr) {
          c.module->print(os, nullptr);
          return true;
        }
        llvm::legacy::PassManager passes;
        if (c.machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile)) return false;
        passes.run(*c.module);
        return true;
      },
      lines);
  if (error) return error;
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<CodeImage> PtxEmitter::emit(LLVM::LLVMFuncOp kernel) {
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName());
  auto sharedBytes = kernel->getAttrOfType<IntegerAttr>(ptx::kSharedBytes);
  if (!threads || threads.size() != 3 || !sharedBytes)
    return llvm::createStringError("kernel " + kernel.getSymName().str() + ": not as gpu-lower leaves it");
  llvm::Expected<std::string> text = print(kernel, GpuText::Ptx);
  if (!text) return text.takeError();
  CodeImage image{.symbol = kernel.getSymName().str(), .target = chipFor(kernel).target.name};
  image.format = CodeImage::Format::Ptx;
  image.code.assign(text->begin(), text->end());
  image.threads = threads[0];
  image.sharedBytes = sharedBytes.getInt();
  return image;
}

llvm::Expected<CodeImage> kiln::codegen::emitPtx(LLVM::LLVMFuncOp kernel, const GpuTarget &target) {
  return PtxEmitter(target).emit(kernel);
}
