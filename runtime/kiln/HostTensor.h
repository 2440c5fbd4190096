// A dense row-major array in host memory: what goes into and comes out of a compiled graph, what parameter files hold.
// A HostTensor is a handle: copies share their storage (clone() does not), so passing one by value is cheap.
#pragma once

#include "kiln/DType.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace kiln {

/// Kiln's own buffers start at multiples of this many bytes, on every device.
inline constexpr size_t kBufferAlignment = 256;

/// The product of `shape`. Throws Error (invalid input) on a negative extent or if the product exceeds int64, whatever
/// the order of the factors (a zero extent makes it 0 all the same).
int64_t elementCount(std::span<const int64_t> shape);

/// "[8, 128]" ("[]" for rank 0).
std::string shapeString(std::span<const int64_t> shape);

/// "f32[8, 128]", as messages name a tensor type.
std::string typeString(DType type, std::span<const int64_t> shape);

class HostTensor {
public:
  /// No tensor: f32[0] without storage.
  HostTensor() = default;

  /// A tensor of zeros. Throws Error on a shape elementCount refuses or that does not fit in memory.
  HostTensor(std::vector<int64_t> shape, DType dtype);

  /// A tensor whose elements hold anything, for somebody who writes them all.
  static HostTensor uninitialized(std::vector<int64_t> shape, DType dtype);

  /// A tensor over memory somebody else made: `storage` is kept alive and points at the first element, of at least
  /// byteSize bytes, aligned to the element. It must be writable, and null only if there are no bytes (else Error).
  HostTensor(std::vector<int64_t> shape, DType dtype, std::shared_ptr<void> storage);

  /// A tensor whose elements all are `value`, converted as by set().
  static HostTensor full(std::vector<int64_t> shape, DType dtype, double value);

  /// A tensor of the given elements in row-major order, converted as by set(); throws Error if their number is wrong.
  static HostTensor of(std::vector<int64_t> shape, DType dtype, std::span<const double> values);
  static HostTensor of(std::vector<int64_t> shape, DType dtype, std::initializer_list<double> values);

  /// Standard normal values rounded once to `dtype` (a float type, else Error); a pure function of its arguments.
  static HostTensor randomNormal(std::vector<int64_t> shape, DType dtype, uint64_t seed);

  /// Uniform integers in [low, high] (both must fit in `dtype`, an integer type or bool); a pure function of its
  /// arguments.
  static HostTensor randomInt(std::vector<int64_t> shape, DType dtype, uint64_t seed, int64_t low, int64_t high);

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  /// Number of elements.
  int64_t size() const { return elements; }
  /// Number of bytes the elements take.
  size_t byteSize() const { return byteCount; }
  /// "f32[8, 128]".
  std::string typeString() const;

  /// The elements' memory; null only if there is none. 256-byte aligned unless the storage came from outside.
  const void *raw() const { return storage.get(); }
  void *raw() { return storage.get(); }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte *>(raw()), byteCount}; }
  std::span<std::byte> bytes() { return {static_cast<std::byte *>(raw()), byteCount}; }

  /// The storage itself, to be shared.
  const std::shared_ptr<void> &sharedStorage() const { return storage; }

  /// The elements as T; throws Error (usage) unless T has the dtype's width. For 16 and 8-bit floats T is the
  /// unsigned integer of that width.
  template <typename T> const T *data() const {
    checkElement(sizeof(T));
    return static_cast<const T *>(raw());
  }
  template <typename T> T *data() {
    static_assert(std::is_trivially_copyable_v<T>);
    checkElement(sizeof(T));
    return static_cast<T *>(raw());
  }

  /// Element `index` in row-major order as a double (i64 beyond 2^53 rounds); throws Error (usage) outside.
  double get(int64_t index) const;
  /// Writes one element: floats round to nearest even (encodeFloat), integers truncate and saturate with NaN as 0, bool
  /// is value != 0.
  void set(int64_t index, double value);
  /// As get and set without the detour through double: integers saturate, bool is value != 0. Throw Error on floats.
  int64_t getInt(int64_t index) const;
  void setInt(int64_t index, int64_t value);

  /// Sets every element to `value`.
  void fill(double value);
  /// A tensor of its own storage with the same elements.
  HostTensor clone() const;
  /// The same elements, converted to `dtype` as by set().
  HostTensor cast(DType dtype) const;
  /// The same storage under another shape of the same size; throws Error otherwise.
  HostTensor reshape(std::vector<int64_t> shape) const;

private:
  void setType(std::vector<int64_t> shape, DType dtype);
  void checkElement(size_t bytes) const;
  void checkIndex(int64_t index) const;

  DType type = DType::F32;
  std::vector<int64_t> extents = {0};
  int64_t elements = 0;
  size_t byteCount = 0;
  std::shared_ptr<void> storage;
};

/// How bit comparisons treat NaN: by its bits, or as one value whatever sign and payload.
enum class NaNs { Bits, AllEqual };

/// The first element (row-major) whose bits differ, or nothing. Tensors of different dtype or shape differ at 0.
std::optional<int64_t> firstDifference(const HostTensor &a, const HostTensor &b, NaNs nans = NaNs::Bits);

/// True if dtype, shape and every element's bits agree.
inline bool bitEqual(const HostTensor &a, const HostTensor &b, NaNs nans = NaNs::Bits) {
  return !firstDifference(a, b, nans);
}

} // namespace kiln
