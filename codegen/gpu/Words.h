//===- Words.h - elements as the registers of one memory access ---------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_WORDS_H
#define KILN_CODEGEN_GPU_WORDS_H

#include "codegen/gpu/Access.h"
#include "codegen/gpu/Registers.h"

namespace kiln::codegen::gpu {

/// Reads and writes runs of elements. 16-bit elements travel two by two and bytes four by four in 32-bit words, others
/// as they are; bool is a byte, 0 or 1.
class Words {
public:
  Words(Lowering &to, Memory &memory) : to(to), memory(memory) {}

  /// Most elements of one access.
  int64_t most() const { return 16 / memory.bytes; }

  /// Reads `count` elements from `elements` past the memory's start into registers r, r + 1, …; with a predicate, they
  /// are zero where it does not hold.
  void load(Registers &registers, int64_t r, int64_t elements, int64_t count, mlir::Value predicate);
  /// The other way.
  void store(Registers &registers, int64_t r, int64_t elements, int64_t count, mlir::Value predicate);

  /// What one word of `count` elements is: of elements of four bytes and more, one of them.
  mlir::Type wordType(int64_t count) const;
  /// Splits words into elements r … r + count - 1.
  void unpack(Registers &registers, int64_t r, int64_t count, llvm::ArrayRef<mlir::Value> words);
  /// The other way.
  llvm::SmallVector<mlir::Value> pack(Registers &registers, int64_t r, int64_t count);

private:
  Lowering &to;
  Memory &memory;

  int64_t wordCount(int64_t count) const { return std::max<int64_t>(count * memory.bytes / 4, 1); }
};

} // namespace kiln::codegen::gpu

#endif
