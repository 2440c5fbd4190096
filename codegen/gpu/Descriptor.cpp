#include "codegen/gpu/Descriptor.h"
#include "codegen/gpu/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

constexpr int64_t kUnit = 16; ///< bytes that descriptors count in

/// A pointer as a sum: another pointer, bytes, and numbers times units.
struct Address {
  struct Term {
    Value number; ///< i32
    int64_t units;
  };
  Value from;
  int64_t bytes = 0;
  SmallVector<Term> terms;

  /// Takes apart what `Arithmetic::past` made.
  explicit Address(Value pointer) : from(pointer) {
    while (auto gep = from.getDefiningOp<LLVM::GEPOp>()) {
      if (!gep.getElemType().isInteger(8)) return;
      auto index = gep.getIndices()[0];
      auto known = dyn_cast<IntegerAttr>(index);
      if (known)
        bytes += known.getInt();
      else if (!add(cast<Value>(index)))
        return;
      from = gep.getBase();
    }
  }

private:
  /// Adds bytes, i32; false, and nothing is added, if they are not known to be whole units.
  bool add(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant))) {
      bytes += constant.getSExtValue();
      return true;
    }
    Address before = *this;
    if (auto sum = value.getDefiningOp<LLVM::AddOp>()) {
      if (add(sum.getLhs()) && add(sum.getRhs())) return true;
      *this = before;
      return false;
    }
    auto product = value.getDefiningOp<LLVM::MulOp>();
    if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&constant))) return false;
    int64_t factor = constant.getSExtValue();
    if (factor <= 0 || factor % kUnit != 0) return false;
    terms.push_back({product.getLhs(), factor / kUnit});
    return true;
  }
};

/// Whether `value` is made outside of `region`, or of nothing but such values.
bool isInvariant(Value value, Region *region, int depth = 0) {
  if (value.getParentRegion()->isProperAncestor(region)) return true;
  Operation *op = value.getDefiningOp();
  constexpr int kDepth = 8;
  return op && depth < kDepth && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, region, depth + 1); });
}

} // namespace

OperandDescriptor::OperandDescriptor(Lowering &to, tile::SharedType type, Value pointer, layout::Major major)
    : to(to), tile(tile::tileOf(type)), major(major) {
  Arithmetic a{to};
  OpBuilder &b = to.rewriter;
  Address address(pointer);
  past = address.bytes / kUnit;
  uint64_t strides = layout::encode(layout::descriptorOf(tile, major, 0, 0)); // of address 0
  auto wide = [&](Value x) -> Value { return LLVM::ZExtOp::create(b, to.loc, b.getI64Type(), x); };
  {
    // Where shared memory starts is known at the function's start, and what is made of it there stays one number.
    OpBuilder::InsertionGuard guard(b);
    if (address.from == to.frame.shared) b.setInsertionPointAfterValue(address.from);
    // The CTA's number in its cluster stands above the address.
    Value low = a.band(a.shr(a.addressOf(address.from), 4), 0x3FFF);
    first = LLVM::OrOp::create(b, to.loc, wide(low), to.i64(static_cast<int64_t>(strides)));
  }
  // What does not change in a loop is added first, outside of it.
  Region *here = b.getInsertionBlock()->getParent();
  for (bool invariant : {true, false})
    for (const Address::Term &term : address.terms) {
      if (isInvariant(term.number, here) != invariant) continue;
      Value distance = LLVM::MulOp::create(b, to.loc, wide(term.number), to.i64(term.units));
      first = LLVM::AddOp::create(b, to.loc, first, distance);
    }
}

Value OperandDescriptor::at(int64_t mn, int64_t k) const {
  int64_t distance = past + layout::descriptorOf(tile, major, mn, k).start / kUnit;
  return distance == 0 ? first : LLVM::AddOp::create(to.rewriter, to.loc, first, to.i64(distance)).getResult();
}
