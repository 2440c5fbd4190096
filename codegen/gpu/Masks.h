//===- Masks.h - which lanes of a thread take part ----------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_MASKS_H
#define KILN_CODEGEN_GPU_MASKS_H

#include "codegen/gpu/Access.h"
#include "codegen/gpu/Registers.h"

namespace kiln::codegen::gpu {

/// Elements of a thread that a lane mask of this fragment leaves: its element at column c (of thread 0) takes part
/// where c is less. i32.
mlir::Value lanesLeft(tile::LaneMaskOp mask, Lowering &to);

/// A mask as memory accesses see it: where whole runs are in or out, they say so.
class RunMask {
public:
  /// No mask where `mask` is null. `units` are its units.
  RunMask(mlir::Value mask, mlir::ValueRange units, Lowering &to);

  bool exists() const { return kind != Kind::None; }
  /// The most elements that are in or out together; 16 where all are.
  int64_t granule() const;
  /// Whether the mask is a number of first lanes, so that what follows an absent lane is absent.
  bool isPrefix() const { return kind == Kind::Prefix; }
  /// Whether all lanes are in or out together.
  bool isUniform() const { return kind == Kind::None || kind == Kind::Uniform; }
  /// Of a prefix: as `lanesLeft`.
  mlir::Value left() const { return value; }
  /// Of a prefix: how many lanes, where that is a constant.
  std::optional<int64_t> count() const { return constant; }

  /// Whether the element in register r, at column c of thread 0, takes part.
  mlir::Value at(int64_t r, int64_t column);

private:
  enum class Kind { None, Uniform, Prefix, General };
  Kind kind = Kind::None;
  Lowering &to;
  int64_t aligned = 1;             ///< of a prefix
  std::optional<int64_t> constant; ///< lanes of a prefix
  mlir::Value value;               ///< the condition of a uniform mask, the lanes left of a prefix
  mlir::ValueRange units;
};

/// Makes those of `count` registers from r on zero that do not take part.
void zeroWhereAbsent(Registers &registers, int64_t r, int64_t count, RunMask &mask, const layout::Fragment &fragment,
                     Lowering &to);

} // namespace kiln::codegen::gpu

#endif
