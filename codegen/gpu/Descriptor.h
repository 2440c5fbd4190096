//===- Descriptor.h - shared tiles as warpgroup products address them ---------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_DESCRIPTOR_H
#define KILN_CODEGEN_GPU_DESCRIPTOR_H

#include "codegen/gpu/Rows.h"
#include "ir/layout/Descriptor.h"

namespace kiln::codegen::gpu {

/// An operand in shared memory. A descriptor is an address, in units of 16 bytes, beside strides; moving it is adding
/// to it, since no address in shared memory leaves the 14 bits that it has. So the descriptor of a ring's first slot is
/// made once, and those of its other slots are a product and a sum each.
class OperandDescriptor {
public:
  /// `pointer` is the tile's lowered one.
  OperandDescriptor(Lowering &to, tile::SharedType tile, mlir::Value pointer, layout::Major major);

  /// The descriptor of what starts at (mn, k), both in elements. i64.
  mlir::Value at(int64_t mn, int64_t k) const;

private:
  Lowering &to;
  layout::SharedTile tile;
  layout::Major major;
  mlir::Value first; ///< what operands of one slot share
  int64_t past = 0;  ///< units from there to the tile's first element
};

} // namespace kiln::codegen::gpu

#endif
