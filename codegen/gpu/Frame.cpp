#include "codegen/gpu/Frame.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

constexpr StringLiteral kSharedMemory = "kiln_shared";

/// The memory that a launch gives a CTA: one symbol for all kernels of a module, since its size is the launch's.
LLVM::GlobalOp sharedMemory(OpBuilder b, ModuleOp module) {
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(kSharedMemory)) return global;
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                                LLVM::Linkage::External, kSharedMemory, Attribute(), /*alignment=*/1024,
                                /*addrSpace=*/ptx::Shared);
}

LLVM::LLVMFuncOp createFunction(OpBuilder &b, tile::KernelOp kernel) {
  SmallVector<Type> pointers(kernel.getArgumentTypes().size(), LLVM::LLVMPointerType::get(b.getContext(), ptx::Global));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), pointers);
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), type);
  for (unsigned i = 0; i < pointers.size(); ++i) function.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(16));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  auto threads = static_cast<int32_t>(*kernel.getThreads());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr(ptx::kSharedBytes, b.getI64IntegerAttr(kernel.getSharedBytes().value_or(0)));
  function.setNoUnwind(true);
  function.addEntryBlock(b);
  return function;
}

template <typename OpTy> Value readRegister(OpBuilder &b, Location loc, int64_t count) {
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, 0), APInt(32, count));
  return OpTy::create(b, loc, b.getI32Type(), count < (int64_t(1) << 31) ? range : LLVM::ConstantRangeAttr());
}

void makeValues(OpBuilder &b, tile::KernelOp kernel, Frame &frame) {
  Location loc = kernel.getLoc();
  auto i32 = [&](int32_t v) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(v)); };
  frame.threads = *kernel.getThreads();
  frame.cta = readRegister<NVVM::BlockIdXOp>(b, loc, std::max<int64_t>(kernel.getGrid().value_or(INT32_MAX), 1));
  frame.thread = readRegister<NVVM::ThreadIdXOp>(b, loc, frame.threads);
  frame.lane = frame.threads == 32 ? frame.thread : LLVM::AndOp::create(b, loc, frame.thread, i32(31)).getResult();
  frame.warp = LLVM::LShrOp::create(b, loc, frame.thread, i32(5));
  if (kernel.getSharedBytes().value_or(0) > 0)
    frame.shared = LLVM::AddressOfOp::create(b, loc, sharedMemory(b, kernel->getParentOfType<ModuleOp>()));
}

/// Only loads and copies read the argument; nothing else sees it.
bool isReadOnly(BlockArgument argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    return isa<tile::LoadOp, tile::GatherOp>(use.getOwner()) ||
           (isa<tile::AsyncCopyOp>(use.getOwner()) && use.getOperandNumber() == 0);
  });
}

} // namespace

LLVM::LLVMFuncOp kiln::codegen::gpu::outlineKernel(tile::KernelOp kernel, Frame &frame) {
  IRRewriter b(kernel);
  frame.perWarp = findPerWarpStores(kernel);
  frame.waiting = findWaitingFolds(kernel);
  LLVM::LLVMFuncOp function = createFunction(b, kernel);
  Block &entry = function.getBody().front(), &body = kernel.getBody().front();
  b.setInsertionPointToStart(&entry);
  makeValues(b, kernel, frame);
  SmallVector<Value> arguments;
  for (auto [argument, pointer] : llvm::zip_equal(body.getArguments(), entry.getArguments())) {
    auto cast = UnrealizedConversionCastOp::create(b, kernel.getLoc(), argument.getType(), pointer);
    arguments.push_back(cast.getResult(0));
    if (isReadOnly(argument)) frame.readOnly.insert(cast.getResult(0));
  }
  auto end = LLVM::ReturnOp::create(b, kernel.getLoc(), ValueRange{});
  b.eraseOp(body.getTerminator());
  b.inlineBlockBefore(&body, end, arguments);
  b.eraseOp(kernel);
  return function;
}
