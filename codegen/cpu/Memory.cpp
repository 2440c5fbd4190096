// Loads, stores, gathers, scatters and shared tiles.
#include "codegen/cpu/Halves.h"
#include "codegen/cpu/Rows.h"
#include "codegen/lower/Vectors.h"
#include "ir/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// How elements lie in memory: as they are held, but i1 in a byte.
struct MemoryElement {
  Type element;   ///< of values, as they are held
  Type inMemory;  ///< of memory
  unsigned bytes; ///< its size, which is also all the alignment there is

  MemoryElement(OpBuilder &b, Type element)
      : element(heldAs(element)), inMemory(ir::storageOf(element)),
        bytes(static_cast<unsigned>(tile::bytesOf(element))) {}

  /// A value's type, scalar or vector, in memory.
  Type of(Type type) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(inMemory)) : inMemory;
  }
};

/// A value as read from memory: a byte of bool is compared with 0.
Value fromMemory(Lowering &to, const MemoryElement &m, Value raw) {
  if (m.element == m.inMemory) return raw;
  Value zero = zeroOf(to.rewriter, to.loc, raw.getType());
  return arith::CmpIOp::create(to.rewriter, to.loc, arith::CmpIPredicate::ne, raw, zero);
}

Value toMemory(Lowering &to, const MemoryElement &m, Value value) {
  if (m.element == m.inMemory) return value;
  return arith::ExtUIOp::create(to.rewriter, to.loc, m.of(value.getType()), value);
}

/// base + offset, in elements; with a vector of offsets, a vector of addresses.
Value address(Lowering &to, const MemoryElement &m, Value base, Value offset) {
  OpBuilder &b = to.rewriter;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (auto vector = dyn_cast<VectorType>(offset.getType())) pointer = VectorType::get(vector.getShape(), pointer);
  if (offset.getType().isIndex()) offset = arith::IndexCastOp::create(b, to.loc, b.getI64Type(), offset);
  return LLVM::GEPOp::create(b, to.loc, pointer, m.inMemory, base, ValueRange{offset});
}

Value advance(Lowering &to, const MemoryElement &m, Value pointer, int64_t elements) {
  if (elements == 0) return pointer;
  Value offset =
      LLVM::ConstantOp::create(to.rewriter, to.loc, to.rewriter.getI64Type(), to.rewriter.getI64IntegerAttr(elements));
  return LLVM::GEPOp::create(to.rewriter, to.loc, pointer.getType(), m.inMemory, pointer, ValueRange{offset});
}

Value read(Lowering &to, const MemoryElement &m, Value pointer, Type type, Value mask) {
  OpBuilder &b = to.rewriter;
  if (!mask) return fromMemory(to, m, LLVM::LoadOp::create(b, to.loc, m.of(type), pointer, m.bytes));
  bool scalar = !isa<VectorType>(type); // a vector of one lane
  Type raw = scalar ? VectorType::get({1}, m.inMemory) : m.of(type);
  if (scalar) mask = splatOf(b, to.loc, mask, 1);
  Value loaded = LLVM::MaskedLoadOp::create(b, to.loc, raw, pointer, mask, zeroOf(b, to.loc, raw), m.bytes);
  return fromMemory(to, m, scalar ? laneOf(b, to.loc, loaded, 0) : loaded);
}

void write(Lowering &to, const MemoryElement &m, Value value, Value pointer, Value mask) {
  OpBuilder &b = to.rewriter;
  value = toMemory(to, m, value);
  if (!mask) {
    LLVM::StoreOp::create(b, to.loc, value, pointer, m.bytes);
    return;
  }
  if (!isa<VectorType>(value.getType())) {
    value = splatOf(b, to.loc, value, 1);
    mask = splatOf(b, to.loc, mask, 1);
  }
  LLVM::MaskedStoreOp::create(b, to.loc, value, pointer, mask, m.bytes);
}

/// Unit `unit` of an optional mask; null if there is none.
Value maskOf(ArrayRef<ValueRange> operands, size_t index, size_t unit) {
  return operands.size() > index ? operands[index][unit] : Value();
}

/// Where a unit lies from its fragment's first element, in elements.
int64_t offsetOf(const Unit &unit, std::optional<int64_t> rowStride) {
  return unit.row * rowStride.value_or(0) + unit.lane;
}

LogicalResult lowerLoad(tile::LoadOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  MemoryElement m(to.rewriter, tile::elementTypeOf(load.getSource().getType()));
  Value pointer = address(to, m, operands[0][0], operands[1][0]);
  SmallVector<Value> units;
  for (auto [index, unit] : llvm::enumerate(to.units(load.getType())))
    units.push_back(read(to, m, advance(to, m, pointer, offsetOf(unit, load.getRowStride())), unit.type,
                         maskOf(operands, 2, index)));
  to.rewriter.replaceOpWithMultiple(load, SmallVector<ValueRange>{units});
  return success();
}

LogicalResult lowerStore(tile::StoreOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  MemoryElement m(to.rewriter, tile::elementTypeOf(store.getTarget().getType()));
  Value pointer = address(to, m, operands[1][0], operands[2][0]);
  for (auto [index, unit] : llvm::enumerate(to.units(store.getValue().getType())))
    write(to, m, operands[0][index], advance(to, m, pointer, offsetOf(unit, store.getRowStride())),
          maskOf(operands, 3, index));
  return success();
}

/// The mask, or every lane.
Value lanesOr(Lowering &to, Value mask, Type like) {
  if (mask) return mask;
  auto type = cast<VectorType>(cast<VectorType>(like).clone(to.rewriter.getI1Type()));
  return arith::ConstantOp::create(to.rewriter, to.loc, DenseElementsAttr::get(type, true));
}

LogicalResult lowerGather(tile::GatherOp gather, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  MemoryElement m(b, tile::elementTypeOf(gather.getSource().getType()));
  SmallVector<Value> units;
  for (auto [index, unit] : llvm::enumerate(to.units(gather.getType()))) {
    Value pointers = address(to, m, operands[0][0], operands[1][index]);
    Value mask = lanesOr(to, maskOf(operands, 2, index), unit.type);
    Type raw = m.of(unit.type);
    Value zero = zeroOf(b, to.loc, raw);
    Value loaded = LLVM::masked_gather::create(b, to.loc, raw, pointers, mask, ValueRange{zero}, m.bytes);
    units.push_back(fromMemory(to, m, loaded));
  }
  to.rewriter.replaceOpWithMultiple(gather, SmallVector<ValueRange>{units});
  return success();
}

LogicalResult lowerScatter(tile::ScatterOp scatter, ArrayRef<ValueRange> operands, Lowering &to) {
  MemoryElement m(to.rewriter, tile::elementTypeOf(scatter.getTarget().getType()));
  for (auto [index, value] : llvm::enumerate(operands[0])) {
    Value pointers = address(to, m, operands[1][0], operands[2][index]);
    Value mask = lanesOr(to, maskOf(operands, 3, index), value.getType());
    LLVM::masked_scatter::create(to.rewriter, to.loc, toMemory(to, m, value), pointers, mask, m.bytes);
  }
  return success();
}

/// A shared tile is its offset into the scratch memory that the function is given.
LogicalResult lowerAlloc(tile::AllocOp alloc, ArrayRef<ValueRange>, Lowering &to) {
  Value scratch = alloc->getParentOfType<LLVM::LLVMFuncOp>().getArgument(3);
  auto offset = static_cast<int32_t>(*alloc.getOffset()); // the level spec has seen that it is there and fits
  to.rewriter.replaceOpWithNewOp<LLVM::GEPOp>(alloc, scratch.getType(), to.rewriter.getI8Type(), scratch,
                                              ArrayRef<LLVM::GEPArg>{offset});
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::memoryRows() {
  static const Row rows[] = {
      {"tile.load", typed<lowerLoad>},       {"tile.store", typed<lowerStore>}, {"tile.gather", typed<lowerGather>},
      {"tile.scatter", typed<lowerScatter>}, {"tile.alloc", typed<lowerAlloc>},
  };
  return rows;
}
