//===- Descriptor.h - what a tensor core is told of a tile in shared memory ---------------------------------------===//
//
// wgmma's matrix descriptors (PTX ISA, "Matrix Descriptor Format"): 64 bits that say where an operand starts and how
// its core matrices follow each other. One way from a shared tile to descriptors, and the walk that the tensor core
// does from a descriptor to elements, so that both can be held to the tile's own index map.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_LAYOUT_DESCRIPTOR_H
#define KILN_IR_LAYOUT_DESCRIPTOR_H

#include "ir/layout/SharedTile.h"

#include <cstdint>

namespace kiln::layout {

/// Along which dimension of an operand neighbours in memory lie: its sum's (K), or the other one (rows of A, columns
/// of B). A row-major A and a transposed B are K-major.
enum class Major { K, MN };

/// The fields of a descriptor, in bytes; `start` is an address in the CTA's shared memory. The base offset field is 0:
/// 8 rows of the operand start at a period of the swizzle.
struct MatrixDescriptor {
  int64_t start = 0;
  int64_t leading = 0; ///< MN: from one swizzle's width of MN to the next. K: not read, 16
  int64_t stride = 0;  ///< from 8 rows (K: of MN, MN: of k) to the next 8
  int64_t swizzle = 0; ///< 0, 32, 64 or 128

  bool operator==(const MatrixDescriptor &) const = default;
};

/// Bytes of k that one MMA atom has: 16 elements of 16 bits, 32 of 8, 8 of tf32.
inline constexpr int64_t kAtomDepthBytes = 32;

/// The 64 bits. Fields hold multiples of 16 bytes and 14 bits of them; higher bits of an address, such as the CTA's
/// rank in its cluster, are left out, since they would run into the next field.
uint64_t encode(const MatrixDescriptor &descriptor);
/// The fields of 64 bits, `start` without its higher bits.
MatrixDescriptor decode(uint64_t bits);

/// Whether a tensor core can read the tile: it has a swizzle and its rows, or its panels', are as long as it; along MN,
/// elements have 16 bits.
bool isOperand(const SharedTile &tile, Major major);

/// The descriptor of the atoms whose first element is (mn, k) of an operand, `start` counted from the tile's first
/// byte. K-major tiles have MN rows and k columns: k is a multiple of 32 bytes, mn of 8. MN-major tiles have k rows and
/// MN columns: k is a multiple of 8, mn of a panel. The tile is an operand (isOperand).
MatrixDescriptor descriptorOf(const SharedTile &tile, Major major, int64_t mn, int64_t k);

/// Byte address of element (mn, k) of an atom as the tensor core finds it: through core matrices of 8 rows by their
/// strides, then the swizzle on the bits of the address. k is below an atom's.
int64_t elementAddress(const MatrixDescriptor &descriptor, Major major, int64_t elementBytes, int64_t mn, int64_t k);

} // namespace kiln::layout

#endif
