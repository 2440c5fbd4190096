#include "codegen/gpu/Divisors.h"
#include "codegen/gpu/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

namespace {

/// How deep an expression is looked into: what shares parts is seen once for each way to them.
constexpr int kDepth = 10;

/// An extent is a row's length where it is the last of an argument without strides, and rows start as the argument
/// says.
int64_t divisorOf(tile::ExtentOp extent, tile::KernelOp kernel) {
  int64_t divisor = 1;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto memory = dyn_cast<tile::GlobalType>(type);
    auto aligned = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kAligned);
    if (!memory || !aligned || !memory.getStrides().empty() || memory.getShape().size() < 2) continue;
    if (tile::dimsOf(kernel, i).back() != extent.getDim()) continue;
    divisor = std::max(divisor, codegen::gpu::powerOfTwoIn(aligned.getInt()));
  }
  return divisor;
}

int64_t divisorOf(Value value, tile::KernelOp kernel, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) return codegen::gpu::powerOfTwoIn(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0) return 1;
  if (auto extent = dyn_cast<tile::ExtentOp>(op)) return divisorOf(extent, kernel);
  auto of = [&](unsigned i) { return divisorOf(op->getOperand(i), kernel, depth - 1); };
  if (isa<arith::MulIOp>(op)) return std::min<int64_t>(of(0) * of(1), 16);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return std::min(of(0), of(1));
  if (isa<arith::SelectOp>(op)) return std::min(of(1), of(2));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) return of(0);
  return 1;
}

} // namespace

int64_t kiln::codegen::gpu::knownDivisor(Value value, tile::KernelOp kernel) {
  return divisorOf(value, kernel, kDepth);
}
