#include "codegen/cpu/MaskedStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// The lanes that a mask is known to hold; nothing if one of them is not known.
static std::optional<SmallVector<unsigned>> knownLanes(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type) return std::nullopt;
  SmallVector<unsigned> lanes;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit) return std::nullopt;
    if (bit->isOne()) lanes.push_back(lane);
  }
  return lanes;
}

static void resolve(IntrinsicInst *store) {
  Value *value = store->getArgOperand(0), *address = store->getArgOperand(1);
  std::optional<SmallVector<unsigned>> lanes = knownLanes(store->getArgOperand(2));
  if (!lanes) return;
  unsigned count = cast<FixedVectorType>(value->getType())->getNumElements();
  if (lanes->size() > 1 && lanes->size() < count) return;
  IRBuilder<> b(store);
  Align alignment = store->getParamAlign(1).valueOrOne();
  if (lanes->size() == count) {
    b.CreateAlignedStore(value, address, alignment);
  } else if (lanes->size() == 1) {
    Value *element = b.CreateExtractElement(value, lanes->front());
    address = b.CreateConstGEP1_64(element->getType(), address, lanes->front());
    uint64_t bytes = store->getDataLayout().getTypeStoreSize(element->getType());
    b.CreateAlignedStore(element, address, commonAlignment(alignment, bytes));
  }
  store->eraseFromParent();
}

void kiln::codegen::resolveMaskedStores(Function &function) {
  SmallVector<IntrinsicInst *> stores;
  SimplifyQuery query(function.getDataLayout());
  for (Instruction &instruction : instructions(function)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_store) stores.push_back(intrinsic);
    // A mask is made of what comes before it; whatever of that is known is a constant by now.
    Value *known = simplifyInstruction(&instruction, query);
    if (known && known != &instruction) instruction.replaceAllUsesWith(known);
  }
  for (IntrinsicInst *store : stores) resolve(store);
}
