#include "codegen/gpu/Words.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

Type Words::wordType(int64_t count) const {
  if (memory.bytes >= 4) return memory.element;
  return to.rewriter.getIntegerType(8 * static_cast<unsigned>(std::min<int64_t>(count * memory.bytes, 4)));
}

void Words::unpack(Registers &registers, int64_t r, int64_t count, ArrayRef<Value> words) {
  OpBuilder &b = to.rewriter;
  if (memory.bytes >= 4) {
    for (int64_t i = 0; i < count; ++i) registers.set(r + i, words[i]);
    return;
  }
  if (memory.bytes == 2) {
    Type pair = VectorType::get({2}, memory.element);
    for (int64_t i = 0; i < count; i += 2)
      if (count > 1)
        registers.setPair(r + i, LLVM::BitcastOp::create(b, to.loc, pair, words[i / 2]));
      else
        registers.set(r, memory.element.isInteger() ? words[0]
                                                    : LLVM::BitcastOp::create(b, to.loc, memory.element, words[0]));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    Value word = words[i / 4];
    Type type = word.getType();
    auto constant = [&](int64_t v) { return LLVM::ConstantOp::create(b, to.loc, type, b.getIntegerAttr(type, v)); };
    Value result;
    if (memory.element.isInteger(1)) { // any other byte than 0 is true
      Value byte =
          type.isInteger(8) ? word : LLVM::AndOp::create(b, to.loc, word, constant(int64_t(255) << (i % 4 * 8)));
      result = LLVM::ICmpOp::create(b, to.loc, LLVM::ICmpPredicate::ne, byte, constant(0));
    } else if (type.isInteger(8)) {
      result = word;
    } else {
      Value shifted = i % 4 == 0 ? word : LLVM::LShrOp::create(b, to.loc, word, constant(i % 4 * 8));
      result = LLVM::TruncOp::create(b, to.loc, b.getI8Type(), shifted);
    }
    registers.set(r + i, result);
  }
}

SmallVector<Value> Words::pack(Registers &registers, int64_t r, int64_t count) {
  OpBuilder &b = to.rewriter;
  SmallVector<Value> words;
  Type type = wordType(count);
  if (memory.bytes >= 4) {
    for (int64_t i = 0; i < count; ++i) words.push_back(registers.get(r + i));
    return words;
  }
  if (memory.bytes == 2) {
    for (int64_t i = 0; i < count; i += 2) {
      Value value = count > 1 ? registers.pair(r + i) : registers.get(r);
      words.push_back(value.getType() == type ? value : LLVM::BitcastOp::create(b, to.loc, type, value));
    }
    return words;
  }
  for (int64_t i = 0; i < count; i += 4) {
    Value word;
    for (int64_t j = i; j < std::min(i + 4, count); ++j) {
      Value byte = registers.get(r + j);
      if (byte.getType() != type) byte = LLVM::ZExtOp::create(b, to.loc, type, byte);
      if (j > i)
        byte = LLVM::ShlOp::create(b, to.loc, byte,
                                   LLVM::ConstantOp::create(b, to.loc, type, b.getIntegerAttr(type, (j - i) * 8)));
      word = word ? LLVM::OrOp::create(b, to.loc, word, byte).getResult() : byte;
    }
    words.push_back(word);
  }
  return words;
}

void Words::load(Registers &registers, int64_t r, int64_t elements, int64_t count, Value predicate) {
  OpBuilder &b = to.rewriter;
  Type word = wordType(count);
  int64_t words = memory.bytes >= 4 ? count : wordCount(count);
  Place place = memory.at(elements);
  SmallVector<Value> values;
  if (predicate) {
    auto load = ptx::LoadOp::create(b, to.loc, SmallVector<Type>(words, word), place.pointer, predicate, place.offset,
                                    memory.readOnly);
    values.assign(load.getValues().begin(), load.getValues().end());
  } else {
    auto alignment = static_cast<unsigned>(count * memory.bytes);
    Type type = words == 1 ? word : VectorType::get({words}, word);
    Value loaded = LLVM::LoadOp::create(b, to.loc, type, addressOf(to, place), alignment, /*isVolatile=*/false,
                                        /*isNonTemporal=*/false, /*isInvariant=*/memory.readOnly);
    for (int64_t i = 0; i < words; ++i) values.push_back(words == 1 ? loaded : laneOf(b, to.loc, loaded, i));
  }
  unpack(registers, r, count, values);
}

void Words::store(Registers &registers, int64_t r, int64_t elements, int64_t count, Value predicate) {
  OpBuilder &b = to.rewriter;
  SmallVector<Value> words = pack(registers, r, count);
  Place place = memory.at(elements);
  if (predicate) {
    ptx::StoreOp::create(b, to.loc, words, place.pointer, predicate, place.offset);
    return;
  }
  Value value = words.size() == 1 ? words[0] : vectorOf(b, to.loc, words);
  LLVM::StoreOp::create(b, to.loc, value, addressOf(to, place), static_cast<unsigned>(count * memory.bytes));
}
