// The ptx dialect's registration and constraints.
#include "ir/Violation.h"
#include "ir/ptx/Ptx.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::ptx;
using kiln::ir::spell;
using kiln::ir::violate;

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

/// (C1) to (C3) of both accesses.
static LogicalResult verifyAccess(Operation *op, TypeRange registers, Type pointer, int64_t offset) {
  size_t count = registers.size();
  bool uniform = count > 0 && llvm::all_equal(registers);
  unsigned bits = uniform ? registers[0].getIntOrFloatBitWidth() : 0;
  if (!uniform || !llvm::is_contained({1u, 2u, 4u}, count) || bits * count > 128 || (count > 1 && bits < 32))
    return violate(op, {"C1", "an access has few registers of one type",
                        "1, 2 or 4 of one type, 16 bytes at most, several of 32 or 64 bits", spell(registers)});
  unsigned space = cast<LLVM::LLVMPointerType>(pointer).getAddressSpace();
  if (space != Global && space != Shared && space != SharedCluster)
    return violate(
        op, {"C2", "the pointer must say which memory", "!llvm.ptr<1>, !llvm.ptr<3> or !llvm.ptr<7>", spell(pointer)});
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

//===- Copies -----------------------------------------------------------------------------------------------------===//

static LogicalResult verifyCoordinates(Operation *op, OperandRange coordinates) {
  if (!coordinates.empty() && coordinates.size() <= 5) return success();
  return violate(op,
                 {"C1", "a tensor map has few dimensions", "1 to 5 coordinates", std::to_string(coordinates.size())});
}

LogicalResult TmaLoadOp::verify() { return verifyCoordinates(*this, getCoordinates()); }
LogicalResult TmaStoreOp::verify() { return verifyCoordinates(*this, getCoordinates()); }

//===- Warpgroup products -----------------------------------------------------------------------------------------===//

/// Elements of sums, a and b that an instruction has.
static bool isProduct(WgmmaElement sum, WgmmaElement a, WgmmaElement b) {
  auto isByte = [](WgmmaElement e) { return e == WgmmaElement::e4m3 || e == WgmmaElement::e5m2; };
  if (isByte(a) || isByte(b)) return isByte(a) && isByte(b) && (sum == WgmmaElement::f32 || sum == WgmmaElement::f16);
  auto isInteger = [](WgmmaElement e) { return e == WgmmaElement::s8 || e == WgmmaElement::u8; };
  if (isInteger(a) || isInteger(b)) return isInteger(a) && isInteger(b) && sum == WgmmaElement::s32;
  if (a != b) return false;
  switch (a) {
  case WgmmaElement::bf16:
  case WgmmaElement::tf32:
    return sum == WgmmaElement::f32;
  case WgmmaElement::f16:
    return sum == WgmmaElement::f32 || sum == WgmmaElement::f16;
  default:
    return false;
  }
}

LogicalResult WgmmaOp::verify() {
  if (getA() ? !getARegisters().empty() : getARegisters().size() != 4)
    return violate(*this,
                   {"C1", "a lies in shared memory or in registers", "a descriptor or 4 registers",
                    fmt::format("{} and {} registers", getA() ? "a descriptor" : "none", getARegisters().size())});
  bool floats = getSumElement() == WgmmaElement::f32;
  bool fits = llvm::all_of(getSums().getTypes(), [&](Type type) { return type.isF32() == floats; });
  if (!fits || getSums().empty() || getColumns() % 8 != 0 || getColumns() > 256)
    return violate(
        *this, {"C2", "sums are a thread's part of 64xN", "N/2 f32, N/2 i32 (s32) or N/4 i32 (f16), N up to 256",
                fmt::format("{} of {}", getSums().size(), getSums().empty() ? "none" : spell(getSums()[0].getType()))});
  if (!isProduct(getSumElement(), getAElement(), getBElement()))
    return violate(
        *this, {"C3", "there is no such product", "sums of f32, f16 or s32 and elements as wgmma has them",
                fmt::format("{} of {} and {}", stringifyWgmmaElement(getSumElement()).str(),
                            stringifyWgmmaElement(getAElement()).str(), stringifyWgmmaElement(getBElement()).str())});
  bool halves = getAElement() == WgmmaElement::bf16 || getAElement() == WgmmaElement::f16;
  if ((getTransposeA() && (!halves || !getA())) || (getTransposeB() && !halves))
    return violate(*this, {"C4", "what may be transposed", "16-bit elements in shared memory",
                           getA() ? stringifyWgmmaElement(getAElement()).str() : "registers"});
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  auto pending = static_cast<int64_t>(getPending());
  if (pending >= 0 && pending <= 7) return success();
  return violate(*this, {"C1", "groups in flight are few", "0 to 7", std::to_string(pending)});
}
