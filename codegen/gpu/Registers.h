//===- Registers.h - the elements that a thread holds of a fragment -----------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_REGISTERS_H
#define KILN_CODEGEN_GPU_REGISTERS_H

#include "mlir/IR/Builders.h"

namespace kiln::codegen::gpu {

/// A fragment's units, taken apart and put together element by element or pair by pair.
class Registers {
public:
  /// `count` elements, to be set.
  Registers(mlir::OpBuilder &b, mlir::Location loc, int64_t count)
      : b(&b), loc(loc), elements(count), pairs(count / 2) {}
  /// Those of a fragment.
  Registers(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange units);

  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  bool inPairs() const { return elements.size() % 2 == 0; }
  /// Element r.
  mlir::Value get(int64_t r);
  void set(int64_t r, mlir::Value value);
  /// Elements r and r + 1 as a vector; r is even.
  mlir::Value pair(int64_t r);
  void setPair(int64_t r, mlir::Value value) { pairs[r / 2] = value; }
  /// The units, every element having been set.
  llvm::SmallVector<mlir::Value> units();

private:
  mlir::OpBuilder *b;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> elements; ///< null where only the pair is there
  llvm::SmallVector<mlir::Value> pairs;    ///< null where only the elements are there
};

} // namespace kiln::codegen::gpu

#endif
