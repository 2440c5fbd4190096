//===- AlignedMemory.h - host memory that every kernel may be given -----------------------------------------------===//
#ifndef KILN_RUNTIME_ALIGNEDMEMORY_H
#define KILN_RUNTIME_ALIGNEDMEMORY_H

#include "kiln/HostTensor.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace kiln {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, FreeMemory>;

/// At least `bytes` bytes at a multiple of kBufferAlignment, of one even where `bytes` is 0; null if there are none.
inline AlignedMemory allocateAligned(size_t bytes) {
  // aligned_alloc wants a multiple of the alignment.
  size_t rounded = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  if (rounded < bytes) return nullptr;
  return AlignedMemory(std::aligned_alloc(kBufferAlignment, std::max(rounded, kBufferAlignment)));
}

} // namespace kiln

#endif
