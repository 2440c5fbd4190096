#include "codegen/gpu/Frame.h"
#include "ir/ptx/Ptx.h"
#include "ir/tile/Arguments.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;
using tile::KernelArgument;

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

/// What the function takes, one type per kernel argument.
SmallVector<Type> parameterTypes(OpBuilder &b, tile::KernelOp kernel, ArrayRef<KernelArgument> arguments) {
  return SmallVector<Type>(llvm::map_range(arguments, [&](const KernelArgument &argument) -> Type {
    switch (argument.kind) {
    case KernelArgument::Kind::Buffer:
      return LLVM::LLVMPointerType::get(b.getContext(), ptx::Global);
    case KernelArgument::Kind::Extent:
    case KernelArgument::Kind::Stride:
      return b.getI64Type();
    case KernelArgument::Kind::Scalar: {
      Type type = kernel.getArgumentTypes()[argument.argument];
      return type.isIndex() ? b.getI64Type() : type;
    }
    case KernelArgument::Kind::Map:
      return LLVM::LLVMPointerType::get(b.getContext());
    }
    return {};
  }));
}

/// Buffers start at multiples of 16 bytes; tensor maps are passed by value and stay in the launch's memory.
void describeParameters(OpBuilder &b, LLVM::LLVMFuncOp function, ArrayRef<KernelArgument> arguments) {
  constexpr int64_t kMapBytes = 128, kMapAlignment = 64;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto n = static_cast<unsigned>(i);
    if (argument.kind == KernelArgument::Kind::Buffer) function.setArgAttr(n, "llvm.align", b.getI64IntegerAttr(16));
    if (argument.kind == KernelArgument::Kind::Map) {
      function.setArgAttr(n, "llvm.byval", TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), kMapBytes)));
      function.setArgAttr(n, "llvm.align", b.getI64IntegerAttr(kMapAlignment));
      function.setArgAttr(n, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
  }
  function->setAttr(ptx::kArguments, tile::toAttribute(arguments, b.getContext()));
}

LLVM::LLVMFuncOp createFunction(OpBuilder &b, tile::KernelOp kernel, ArrayRef<KernelArgument> arguments,
                                const Frame &frame) {
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), parameterTypes(b, kernel, arguments));
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), type);
  describeParameters(b, function, arguments);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  auto threads = static_cast<int32_t>(*kernel.getThreads());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({threads, 1, 1}));
  if (frame.ctasPerSm > 0)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(static_cast<int32_t>(frame.ctasPerSm)));
  if (kernel.getCluster()) {
    auto ctas = static_cast<int32_t>(frame.cluster);
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), b.getDenseI32ArrayAttr({ctas, 1, 1}));
    function->setAttr(ptx::kCluster, b.getI64IntegerAttr(frame.cluster));
  }
  function->setAttr(ptx::kSharedBytes, b.getI64IntegerAttr(kernel.getSharedBytes().value_or(0)));
  function.setNoUnwind(true);
  function.addEntryBlock(b);
  return function;
}

template <typename OpTy> Value readRegister(OpBuilder &b, Location loc, int64_t count) {
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, 0), APInt(32, count));
  return OpTy::create(b, loc, b.getI32Type(), count < (int64_t(1) << 31) ? range : LLVM::ConstantRangeAttr());
}

/// Which warp a thread is of, as a value that the assembler knows to be the same in the whole warp where that matters:
/// what depends on it then lies in uniform registers.
Value warpOf(OpBuilder &b, Location loc, Value thread, bool uniform) {
  auto i32 = [&](int32_t v) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(v)); };
  Value warp = LLVM::LShrOp::create(b, loc, thread, i32(5));
  if (!uniform) return warp;
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), warp, i32(0), i32(31), NVVM::ShflKind::idx, UnitAttr());
}

void makeValues(OpBuilder &b, tile::KernelOp kernel, Frame &frame) {
  Location loc = kernel.getLoc();
  auto i32 = [&](int32_t v) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(v)); };
  auto masked = [&](Value x, int32_t mask) -> Value { return LLVM::AndOp::create(b, loc, x, i32(mask)); };
  frame.threads = *kernel.getThreads();
  frame.cta = readRegister<NVVM::BlockIdXOp>(b, loc, std::max<int64_t>(kernel.getGrid().value_or(INT32_MAX), 1));
  frame.thread = readRegister<NVVM::ThreadIdXOp>(b, loc, frame.threads);
  frame.lane = frame.threads == 32 ? frame.thread : masked(frame.thread, 31);
  frame.warp = warpOf(b, loc, frame.thread, frame.warpgroups);
  frame.groupThread = frame.threads <= kWarpgroup ? frame.thread : masked(frame.thread, kWarpgroup - 1);
  frame.groupWarp = frame.threads <= kWarpgroup ? frame.warp : masked(frame.warp, 3);
  frame.warpgroup = LLVM::LShrOp::create(b, loc, frame.warp, i32(2));
  frame.consumer = LLVM::SubOp::create(b, loc, frame.warpgroup, i32(1));
  if (kernel.getSharedBytes().value_or(0) > 0)
    frame.shared = LLVM::AddressOfOp::create(b, loc, sharedMemory(b, kernel->getParentOfType<ModuleOp>()));
}

//===- What the launch says ---------------------------------------------------------------------------------------===//

/// Finds parameters by what they are.
class Parameters {
public:
  Parameters(OpBuilder &b, tile::KernelOp kernel, ArrayRef<KernelArgument> arguments, Block &entry)
      : b(b), kernel(kernel), arguments(arguments), entry(entry) {}

  Value find(const KernelArgument &wanted) const {
    for (auto [argument, value] : llvm::zip_equal(arguments, entry.getArguments()))
      if (argument == wanted) return value;
    return {};
  }
  Value extentOf(StringRef name) {
    if (std::optional<int64_t> known = tile::knownExtent(kernel, name)) return constant(*known);
    return find({.kind = KernelArgument::Kind::Extent, .name = name.str()});
  }
  Value strideOf(unsigned argument, unsigned dim) {
    tile::StrideSource source = tile::strideOf(kernel, argument, dim);
    if (source.isParameter) return find({.kind = KernelArgument::Kind::Stride, .argument = argument, .dim = dim});
    Value stride = constant(source.factor);
    for (StringRef name : source.extents) stride = LLVM::MulOp::create(b, kernel.getLoc(), stride, extentOf(name));
    return stride;
  }
  Value mapOf(const tile::MapRecipe &recipe) {
    return find({.kind = KernelArgument::Kind::Map, .argument = recipe.argument, .map = recipe});
  }

private:
  OpBuilder &b;
  tile::KernelOp kernel;
  ArrayRef<KernelArgument> arguments;
  Block &entry;

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, kernel.getLoc(), b.getI64Type(), b.getI64IntegerAttr(value));
  }
};

void bindLaunchValues(tile::KernelOp kernel, Parameters &parameters, Frame &frame) {
  kernel.walk([&](Operation *op) {
    auto strideOf = [&](Value memory, int64_t dim) {
      return parameters.strideOf(cast<BlockArgument>(memory).getArgNumber(), static_cast<unsigned>(dim));
    };
    if (auto extent = dyn_cast<tile::ExtentOp>(op))
      frame.launchValues[op] = parameters.extentOf(extent.getDim());
    else if (auto stride = dyn_cast<tile::StrideOp>(op))
      frame.launchValues[op] = strideOf(stride.getMemory(), static_cast<int64_t>(stride.getDim()));
    else if (auto load = dyn_cast<tile::TmaLoadOp>(op))
      frame.launchValues[op] = parameters.mapOf(tile::mapOf(load));
    else if (auto store = dyn_cast<tile::TmaStoreOp>(op))
      frame.launchValues[op] = parameters.mapOf(tile::mapOf(store));
  });
}

/// Only loads and copies read the argument; nothing else sees it.
bool isReadOnly(BlockArgument argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto reads = [&](const tile::MemoryAccess &access) { return !access.writes && access.memory == use.get(); };
    return isa<tile::StrideOp>(use.getOwner()) || llvm::any_of(tile::accessesOf(use.getOwner()), reads);
  });
}

} // namespace

LLVM::LLVMFuncOp kiln::codegen::gpu::outlineKernel(tile::KernelOp kernel, Frame &frame) {
  IRRewriter b(kernel);
  static_cast<ProgramFacts &>(frame) = ProgramFacts(kernel);
  frame.cluster = static_cast<int64_t>(kernel.getCluster().value_or(1));
  SmallVector<KernelArgument> arguments = tile::argumentsOf(kernel);
  LLVM::LLVMFuncOp function = createFunction(b, kernel, arguments, frame);
  Block &entry = function.getBody().front(), &body = kernel.getBody().front();
  b.setInsertionPointToStart(&entry);
  makeValues(b, kernel, frame);
  Parameters parameters(b, kernel, arguments, entry);
  bindLaunchValues(kernel, parameters, frame);
  // Memory that the launch before still writes is not constant, though nothing here writes it.
  bool dependent = kernel.walk([](tile::GridWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  SmallVector<Value> values;
  for (BlockArgument argument : body.getArguments()) {
    bool isMemory = isa<tile::GlobalType>(argument.getType());
    Value parameter = parameters.find({.kind = isMemory ? KernelArgument::Kind::Buffer : KernelArgument::Kind::Scalar,
                                       .argument = argument.getArgNumber()});
    if (parameter.getType() != argument.getType())
      parameter = UnrealizedConversionCastOp::create(b, kernel.getLoc(), argument.getType(), parameter).getResult(0);
    values.push_back(parameter);
    if (!dependent && isReadOnly(argument)) frame.readOnly.insert(parameter);
  }
  auto end = LLVM::ReturnOp::create(b, kernel.getLoc(), ValueRange{});
  b.eraseOp(body.getTerminator());
  b.inlineBlockBefore(&body, end, values);
  b.eraseOp(kernel);
  return function;
}
