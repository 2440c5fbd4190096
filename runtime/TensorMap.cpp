// The rules of tensor maps, as cuTensorMapEncodeTiled documents them; it would only say "invalid value".
#include "runtime/TensorMap.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln {
namespace {

constexpr int64_t kAlignment = 16; ///< bytes, of bases, strides and rows of a box
constexpr int64_t kMostBox = 256;  ///< elements on one side
constexpr size_t kMostDimensions = 5;
constexpr int64_t kMostExtent = int64_t(1) << 32;
constexpr int64_t kMostStride = int64_t(1) << 40; ///< bytes, exclusive

/// Elements of whole bytes.
bool hasMap(DType dtype) { return dtype != DType::I4; }

template <size_t N> bool among(int32_t value, const int32_t (&values)[N]) {
  return std::find(std::begin(values), std::end(values), value) != std::end(values);
}

} // namespace

std::string TensorMapFault::toString() const {
  return fmt::format("{}; expected: {}; found: {}", rule, expected, found);
}

std::optional<TensorMapFault> faultOfForm(const TensorMapRecipe &r) {
  if (!hasMap(r.dtype))
    return TensorMapFault{"a tensor map has elements of whole bytes", "8 bits or more", std::string(name(r.dtype))};
  size_t rank = r.extents.size();
  if (rank < 1 || rank > kMostDimensions)
    return TensorMapFault{"a tensor map has 1 to 5 dimensions", "1 to 5", std::to_string(rank)};
  if (r.strides.size() != rank || r.box.size() != rank)
    return TensorMapFault{"a tensor map has a stride and a box side for each dimension", std::to_string(rank),
                          fmt::format("{} strides, {} sides", r.strides.size(), r.box.size())};
  for (int32_t side : r.box)
    if (side < 1 || side > kMostBox)
      return TensorMapFault{"each side of a tensor map's box has 1 to 256 elements", fmt::format("1 to {}", kMostBox),
                            std::to_string(side)};
  if (!among(r.swizzleBytes, {0, 32, 64, 128}))
    return TensorMapFault{"a tensor map's swizzle is one that there is", "0, 32, 64 or 128 bytes",
                          std::to_string(r.swizzleBytes)};
  if (!among(r.l2Bytes, {0, 64, 128, 256}))
    return TensorMapFault{"the L2 cache fetches so much at once for a tensor map", "0, 64, 128 or 256 bytes",
                          std::to_string(r.l2Bytes)};
  int64_t row = int64_t(r.box.back()) * bitWidth(r.dtype) / 8;
  if (row % kAlignment != 0)
    return TensorMapFault{"rows of a tensor map's box are a multiple of 16 bytes", "a multiple of 16 bytes",
                          fmt::format("{} bytes", row)};
  if (r.swizzleBytes > 0 && row > r.swizzleBytes)
    return TensorMapFault{"rows of a tensor map's box are no longer than its swizzle",
                          fmt::format("at most {} bytes", r.swizzleBytes), fmt::format("{} bytes", row)};
  return std::nullopt;
}

std::optional<TensorMapFault> faultOfTensor(const TensorMapRecipe &r, uint64_t base) {
  if (base % kAlignment != 0)
    return TensorMapFault{"the tensor behind a tensor map begins at a multiple of 16 bytes", "a multiple of 16 bytes",
                          fmt::format("{} bytes behind one", base % kAlignment)};
  for (int64_t extent : r.extents)
    if (extent < 1 || extent > kMostExtent)
      return TensorMapFault{"a tensor map's extents are 1 to 2^32", fmt::format("1 to {}", kMostExtent),
                            std::to_string(extent)};
  if (r.strides.back() != 1)
    return TensorMapFault{"a tensor map's last dimension is dense", "a stride of 1", std::to_string(r.strides.back())};
  int64_t width = bitWidth(r.dtype) / 8;
  for (size_t d = 0; d + 1 < r.strides.size(); ++d) {
    if (r.extents[d] == 1) continue; // nobody goes along it
    int64_t bytes = 0;
    bool fits = !__builtin_mul_overflow(r.strides[d], width, &bytes) && bytes > 0 && bytes < kMostStride;
    if (!fits || bytes % kAlignment != 0)
      return TensorMapFault{"the strides of a tensor behind a tensor map are multiples of 16 bytes",
                            fmt::format("a multiple of {} elements of {}, below 2^40 bytes",
                                        std::max<int64_t>(kAlignment / width, 1), name(r.dtype)),
                            fmt::format("{} elements in dimension {}", r.strides[d], d)};
  }
  return std::nullopt;
}

} // namespace kiln
