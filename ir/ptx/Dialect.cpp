// The ptx dialect's registration and constraints.
#include "ir/Violation.h"
#include "ir/ptx/Ptx.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::ptx;
using kiln::ir::Violation;

#include "ir/ptx/PtxDialect.cpp.inc"
#include "ir/ptx/PtxEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ptx/PtxAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/ptx/Ptx.cpp.inc"

void PtxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/ptx/Ptx.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/ptx/PtxAttrs.cpp.inc"
      >();
}

static LogicalResult violate(Operation *op, const Violation &violation) {
  return kiln::ir::violate(op->getLoc(), op->getName().getStringRef(), violation);
}

static std::string spell(TypeRange types) {
  std::string text;
  for (Type type : types) text += (text.empty() ? "" : ", ") + llvm::formatv("{0}", type).str();
  return text.empty() ? "none" : text;
}

/// (C1) to (C3) of both accesses.
static LogicalResult verifyAccess(Operation *op, TypeRange registers, Type pointer, int64_t offset) {
  size_t count = registers.size();
  bool uniform = count > 0 && llvm::all_equal(registers);
  unsigned bits = uniform ? registers[0].getIntOrFloatBitWidth() : 0;
  if (!uniform || !llvm::is_contained({1u, 2u, 4u}, count) || bits * count > 128 || (count > 1 && bits < 32))
    return violate(op, {"C1", "an access has few registers of one type",
                        "1, 2 or 4 of one type, 16 bytes at most, several of 32 or 64 bits", spell(registers)});
  unsigned space = cast<LLVM::LLVMPointerType>(pointer).getAddressSpace();
  if (space != Global && space != Shared)
    return violate(op, {"C2", "the pointer must say which memory", "!llvm.ptr<1> or !llvm.ptr<3>", spell(pointer)});
  if (!llvm::isInt<32>(offset))
    return violate(op, {"C3", "the offset must fit the instruction", "32 bits", std::to_string(offset)});
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, getValues().getTypes(), getPointer().getType(), getOffset()))) return failure();
  if (!getReadOnly() || cast<LLVM::LLVMPointerType>(getPointer().getType()).getAddressSpace() == Global)
    return success();
  return violate(*this, {"C4", "shared memory has no read-only path", "a pointer to global memory",
                         spell(getPointer().getType()), "drop `read_only`"});
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getValues().getTypes(), getPointer().getType(), getOffset());
}
