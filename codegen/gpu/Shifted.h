//===- Shifted.h - runs that start within a 16-byte word ----------------------------------------------------------===//
//
// Rows of an odd length start anywhere in a 16-byte word of memory. A `shifted` access moves whole words all the same:
// a thread loads the words that its run lies in, of global memory or of a shared tile, and shifts the run out of them;
// a store shifts the run into place, with what the thread before has of the first word. The words are aligned, the
// shift is the same for every run of a row.
//
// Of a warp's 256 elements of 16 bits, at 2 bytes' alignment, against accesses of one element each:
//
//                     instructions of a thread       sectors of memory
//   load   narrow     8                              16, 8 times from L1
//          shifted    2 + 15 to shift                16 or 17, twice from L1
//   store  narrow     8                              128 writes of 4 bytes
//          shifted    1 + 4 shuffles + 15 + ends     16 whole, and up to 8 at the ends
//
// The ends are what a word gets from runs of two warps, or from behind a row's end: predicated stores of elements.
// Where one warp holds the whole fragment its runs lie behind each other, and only the first and the last have an end.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_SHIFTED_H
#define KILN_CODEGEN_GPU_SHIFTED_H

#include "codegen/gpu/Masks.h"
#include "codegen/gpu/Words.h"

namespace kiln::codegen::gpu {

/// A fragment in memory whose runs are whole 16-byte words long, but start anywhere.
class ShiftedRuns {
public:
  /// Whether it can be done under a mask; where not, accesses are narrow.
  static bool takes(const RunMask &mask) { return mask.isUniform() || mask.isPrefix(); }

  /// `memory` starts at the thread's first element; `offset`: where the fragment starts, in elements, of which
  /// `aligned` are known to divide it.
  ShiftedRuns(Lowering &to, Memory &memory, const layout::Fragment &fragment, RunMask &mask, mlir::Value offset,
              int64_t aligned);

  void load(Registers &result);
  void store(Registers &value);

private:
  /// What is known of a run before the program runs.
  enum class Extent { Absent, Partly, Whole };

  Lowering &to;
  mlir::OpBuilder &b;
  const layout::Fragment &fragment;
  RunMask &mask;
  Memory &elements;  ///< starts at the thread's first element
  Memory words;      ///< starts at the 16-byte word that holds it
  int64_t aligned;   ///< elements
  int64_t bytes;     ///< of an element
  int64_t run;       ///< elements
  mlir::Value past;  ///< bytes from the word's start to the element, i32
  mlir::Value reach; ///< of a prefix: bytes from the word's start to the thread's last lane's end, i32

  int64_t column(int64_t r) const { return fragment.registerPlace(r).column; }
  bool isOneWarps() const { return fragment.threads() == 32; }
  Extent extentOf(int64_t r, int64_t more) const;
  llvm::SmallVector<mlir::Value> moved(llvm::ArrayRef<mlir::Value> from, bool up);
  llvm::SmallVector<mlir::Value, 4> loadWord(Memory &from, int64_t byte, mlir::Value predicate);
  llvm::SmallVector<mlir::Value> loadRun(Memory &last, int64_t r, Extent extent);
  mlir::Value endsOf(bool first, bool last);
  mlir::Value cutOf(int64_t r);
  void storeWords(llvm::ArrayRef<mlir::Value> shifted, int64_t r, Extent extent, bool isFirst);
  void storeElements(Registers &value, int64_t r, mlir::Value which);

  // i32 arithmetic.
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value x, int64_t y);
  mlir::Value clamp(mlir::Value x, int64_t high);
  mlir::Value below(mlir::Value x);
  mlir::Value onlyIf(mlir::Value predicate, mlir::Value more);
  mlir::Value logOf(mlir::Value bytes);
};

} // namespace kiln::codegen::gpu

#endif
