#include "codegen/cpu/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;

/// The function with an empty entry block. Neither the slots nor the scratch memory overlaps anything else.
static LLVM::LLVMFuncOp createFunction(OpBuilder &b, tile::KernelOp kernel) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, pointer});
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), type);
  for (unsigned argument : {0, 3}) function.setArgAttr(argument, "llvm.noalias", b.getUnitAttr());
  function.setArgAttr(0, "llvm.readonly", b.getUnitAttr());
  function.setNoUnwind(true);
  function.addEntryBlock(b);
  return function;
}

LLVM::LLVMFuncOp kiln::codegen::outlineKernel(tile::KernelOp kernel) {
  IRRewriter b(kernel);
  Location loc = kernel.getLoc();
  LLVM::LLVMFuncOp function = createFunction(b, kernel);
  Block &entry = function.getBody().front();
  b.setInsertionPointToStart(&entry);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Value> arguments;
  for (auto [slot, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Value where = LLVM::GEPOp::create(b, loc, pointer, pointer, entry.getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
    Value base = LLVM::LoadOp::create(b, loc, pointer, where, /*alignment=*/8, /*isVolatile=*/false,
                                      /*isNonTemporal=*/false, /*isInvariant=*/true);
    arguments.push_back(UnrealizedConversionCastOp::create(b, loc, type, base).getResult(0));
  }
  Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  auto loop = scf::ForOp::create(b, loc, entry.getArgument(1), entry.getArgument(2), one);
  LLVM::ReturnOp::create(b, loc, ValueRange{});

  b.setInsertionPointToStart(loop.getBody());
  Value id = arith::IndexCastOp::create(b, loc, b.getIndexType(), loop.getInductionVar());
  Block &body = kernel.getBody().front();
  b.eraseOp(body.getTerminator());
  b.inlineBlockBefore(&body, loop.getBody()->getTerminator(), arguments);
  loop.getBody()->walk([&](tile::CtaIdOp op) { b.replaceOp(op, id); });
  b.eraseOp(kernel);
  return function;
}
