#include "codegen/ptx/Assembly.h"
#include "ir/ptx/Ptx.h"

#include "llvm/IR/InlineAsm.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

/// There are no registers of 8 bits, and those of 16 hold integers.
static llvm::Type *heldAs(llvm::Type *type) {
  bool own = type->isPointerTy() || type->isIntegerTy(1) || type->getScalarSizeInBits() > 16;
  return own ? type : llvm::Type::getInt16Ty(type->getContext());
}

static std::string letterOf(llvm::Type *type) {
  if (type->isPointerTy()) {
    unsigned space = type->getPointerAddressSpace();
    return space == ptx::Shared || space == ptx::SharedCluster ? "r" : "l";
  }
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  switch (type->getIntegerBitWidth()) {
  case 1:
    return "b";
  case 16:
    return "h";
  case 32:
    return "r";
  default:
    return "l";
  }
}

unsigned Assembly::output(Type type, StringRef modifier) {
  llvm::Type *register_ = heldAs(translation.convertType(type));
  outputs.push_back(register_);
  constraints += (constraints.empty() ? "" : ",") + modifier.str() + letterOf(register_);
  return count++;
}

llvm::Value *Assembly::held(Value value) {
  llvm::Value *v = translation.lookupValue(value);
  llvm::Type *type = heldAs(v->getType());
  if (type == v->getType()) return v;
  return v->getType()->isIntegerTy(8) ? b.CreateZExt(v, type) : b.CreateBitCast(v, type);
}

unsigned Assembly::input(Value value) {
  inputs.push_back(held(value));
  constraints += (constraints.empty() ? "" : ",") + letterOf(inputs.back()->getType());
  return count++;
}

void Assembly::tied(ValueRange values) {
  for (Value value : values) output(value.getType(), "=");
  ties.assign(values.begin(), values.end());
}

std::string Assembly::guard(Value predicate) { return predicate ? fmt::format("@${} ", input(predicate)) : ""; }

void Assembly::emit(const std::string &text, ResultRange results, Effect effect) {
  for (auto [i, value] : llvm::enumerate(ties)) {
    inputs.push_back(held(value));
    constraints += fmt::format(",{}", i);
  }
  llvm::Type *type = outputs.empty()       ? b.getVoidTy()
                     : outputs.size() == 1 ? outputs[0]
                                           : llvm::StructType::get(b.getContext(), outputs);
  SmallVector<llvm::Type *> types;
  for (llvm::Value *v : inputs) types.push_back(v->getType());
  bool touchesMemory = effect != Effect::None;
  if (touchesMemory) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, false), text, constraints, touchesMemory);
  llvm::CallInst *call = b.CreateCall(assembly, inputs);
  if (effect == Effect::Threads) call->setConvergent();
  for (auto [i, result] : llvm::enumerate(results)) {
    llvm::Value *v = outputs.size() == 1 ? call : b.CreateExtractValue(call, static_cast<unsigned>(i));
    llvm::Type *wanted = translation.convertType(result.getType());
    if (wanted != v->getType()) v = wanted->isIntegerTy(8) ? b.CreateTrunc(v, wanted) : b.CreateBitCast(v, wanted);
    translation.mapValue(result, v);
  }
}

std::string kiln::codegen::registerList(unsigned first, size_t count, bool single) {
  std::string text = fmt::format("${}", first);
  for (size_t i = 1; i < count; ++i) text += fmt::format(", ${}", first + i);
  return count == 1 && single ? text : "{" + text + "}";
}
