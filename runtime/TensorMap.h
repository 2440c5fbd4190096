// A tensor map's recipe with its numbers: what a device encodes into the 128 bytes that its tensor memory accelerator
// reads, and the rules of that hardware, each with what it expects and what was found.
#pragma once

#include "kiln/DType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The 128 bytes of a hardware tensor map, passed to kernels by value.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes;
};

/// How boxes of a tensor come into shared memory. `TF32` says that f32 elements are rounded to it on the way.
struct TensorMapRecipe {
  DType dtype = DType::F32;
  std::vector<int64_t> extents; ///< elements, innermost last
  std::vector<int64_t> strides; ///< elements, innermost last
  std::vector<int32_t> box;     ///< elements per copy, innermost last
  int32_t swizzleBytes = 0;     ///< 0, 32, 64 or 128
  int32_t l2Bytes = 0;          ///< how much the L2 cache fetches at once: 0, 64, 128 or 256

  bool operator==(const TensorMapRecipe &) const = default;
};

/// A rule that a recipe breaks.
struct TensorMapFault {
  std::string rule, expected, found;
  /// "rule; expected: …; found: …".
  std::string toString() const;
};

/// What is wrong with a recipe's form, whatever the tensor's numbers are: the element type, the number of dimensions
/// (1 to 5), the box (each side 1 to 256 elements, rows of a multiple of 16 bytes, no longer than the swizzle), the
/// swizzle, the L2 fetch.
std::optional<TensorMapFault> faultOfForm(const TensorMapRecipe &recipe);

/// What is wrong with a tensor of these numbers that begins at `base`, an address or an offset from an aligned one: the
/// base and every stride but the last, where there is a second element along it, a multiple of 16 bytes, below 2^40
/// bytes, the last stride 1, extents 1 to 2^32.
/// The form is right.
std::optional<TensorMapFault> faultOfTensor(const TensorMapRecipe &recipe, uint64_t base);

} // namespace kiln
