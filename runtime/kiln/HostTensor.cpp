#include "kiln/HostTensor.h"
#include "kiln/Error.h"
#include "kiln/FloatFormat.h"
#include "runtime/AlignedMemory.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numbers>
#include <utility>

namespace kiln {
namespace {

[[noreturn]] void fail(ErrorCode code, std::string rule, std::string expected = {}, std::string found = {}) {
  throw Error({.code = code,
               .op = "tensor",
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found)});
}

/// The least and greatest value of an integer type.
std::pair<int64_t, int64_t> integerRange(DType type) {
  int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bitWidth(type));
  return {-high - 1, high};
}

int64_t toInteger(double value, DType type) {
  if (std::isnan(value)) return 0;
  auto [low, high] = integerRange(type);
  double truncated = std::trunc(value);
  if (truncated <= static_cast<double>(low)) return low;
  // 2^63 - 1 is no double: compare with the power of two above, which is one.
  if (truncated >= static_cast<double>(high)) return high;
  return static_cast<int64_t>(truncated);
}

/// The element's bits, in the low bits of the result.
uint64_t loadBits(const void *base, DType type, int64_t index) {
  const auto *bytes = static_cast<const unsigned char *>(base);
  int bits = bitWidth(type);
  if (bits == 4) return (bytes[index / 2] >> (index % 2 * 4)) & 0xF;
  uint64_t result = 0;
  std::memcpy(&result, bytes + index * (bits / 8), static_cast<size_t>(bits) / 8);
  return result;
}

void storeBits(void *base, DType type, int64_t index, uint64_t value) {
  auto *bytes = static_cast<unsigned char *>(base);
  int bits = bitWidth(type);
  if (bits == 4) {
    unsigned char &byte = bytes[index / 2];
    int shift = static_cast<int>(index % 2 * 4);
    byte = static_cast<unsigned char>((byte & ~(0xF << shift)) | ((value & 0xF) << shift));
    return;
  }
  std::memcpy(bytes + index * (bits / 8), &value, static_cast<size_t>(bits) / 8);
}

int64_t signExtend(uint64_t bits, int width) { return static_cast<int64_t>(bits << (64 - width)) >> (64 - width); }

uint64_t toBits(DType type, double value) {
  if (isFloat(type)) return encodeFloat(type, value);
  return type == DType::Bool ? value != 0 : static_cast<uint64_t>(toInteger(value, type));
}

/// A counter-based generator (the finaliser of splitmix64): element i of a seed is a pure function of both.
uint64_t randomBits(uint64_t seed, uint64_t counter) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1].
double uniform(uint64_t seed, uint64_t counter) {
  return static_cast<double>((randomBits(seed, counter) >> 11) + 1) * 0x1p-53;
}

} // namespace

int64_t elementCount(std::span<const int64_t> shape) {
  int64_t product = 1;
  bool empty = false, overflow = false;
  for (int64_t extent : shape) {
    if (extent < 0) fail(ErrorCode::InvalidInput, "extents are at least 0", {}, shapeString(shape));
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(product, std::max<int64_t>(extent, 1), &product);
  }
  if (empty) return 0;
  if (overflow) fail(ErrorCode::InvalidInput, "the number of elements fits in 63 bits", {}, shapeString(shape));
  return product;
}

std::string shapeString(std::span<const int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string typeString(DType type, std::span<const int64_t> shape) {
  return std::string(name(type)) + shapeString(shape);
}

void HostTensor::setType(std::vector<int64_t> shape, DType dtype) {
  int64_t count = elementCount(shape);
  std::optional<int64_t> size = kiln::byteSize(dtype, count);
  if (!size) fail(ErrorCode::InvalidInput, "the tensor's bytes fit in 63 bits", {}, kiln::typeString(dtype, shape));
  type = dtype;
  extents = std::move(shape);
  elements = count;
  byteCount = static_cast<size_t>(*size);
}

HostTensor HostTensor::uninitialized(std::vector<int64_t> shape, DType dtype) {
  HostTensor result;
  result.setType(std::move(shape), dtype);
  result.storage = allocateAligned(result.byteCount);
  if (!result.storage) fail(ErrorCode::InvalidInput, "the tensor fits in memory", {}, result.typeString());
  return result;
}

HostTensor::HostTensor(std::vector<int64_t> shape, DType dtype) : HostTensor(uninitialized(std::move(shape), dtype)) {
  std::memset(raw(), 0, byteCount);
}

HostTensor::HostTensor(std::vector<int64_t> shape, DType dtype, std::shared_ptr<void> memory) {
  setType(std::move(shape), dtype);
  storage = std::move(memory);
  if (!storage && byteCount) fail(ErrorCode::Usage, "a tensor's storage is not null", typeString(), "null");
}

HostTensor HostTensor::full(std::vector<int64_t> shape, DType dtype, double value) {
  HostTensor result(std::move(shape), dtype);
  result.fill(value);
  return result;
}

HostTensor HostTensor::of(std::vector<int64_t> shape, DType dtype, std::span<const double> values) {
  HostTensor result(std::move(shape), dtype);
  if (static_cast<int64_t>(values.size()) != result.size())
    fail(ErrorCode::Usage, "there is one value for each element", std::to_string(result.size()),
         std::to_string(values.size()));
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, values[static_cast<size_t>(i)]);
  return result;
}

HostTensor HostTensor::of(std::vector<int64_t> shape, DType dtype, std::initializer_list<double> values) {
  return of(std::move(shape), dtype, std::span<const double>(values.begin(), values.size()));
}

HostTensor HostTensor::randomNormal(std::vector<int64_t> shape, DType dtype, uint64_t seed) {
  if (!isFloat(dtype)) fail(ErrorCode::Usage, "normal values need a float type", {}, std::string(name(dtype)));
  HostTensor result(std::move(shape), dtype);
  // Box and Muller: two uniforms make two independent normals.
  for (int64_t i = 0; i < result.size(); i += 2) {
    auto counter = static_cast<uint64_t>(i);
    double radius = std::sqrt(-2 * std::log(uniform(seed, counter)));
    double angle = 2 * std::numbers::pi * uniform(seed, counter + 1);
    result.set(i, radius * std::cos(angle));
    if (i + 1 < result.size()) result.set(i + 1, radius * std::sin(angle));
  }
  return result;
}

HostTensor HostTensor::randomInt(std::vector<int64_t> shape, DType dtype, uint64_t seed, int64_t low, int64_t high) {
  if (isFloat(dtype)) fail(ErrorCode::Usage, "random integers need an integer type", {}, std::string(name(dtype)));
  auto [least, greatest] = dtype == DType::Bool ? std::pair<int64_t, int64_t>{0, 1} : integerRange(dtype);
  if (low > high || low < least || high > greatest)
    fail(ErrorCode::Usage, "low <= high and both fit the type", fmt::format("[{}, {}]", least, greatest),
         fmt::format("[{}, {}]", low, high));
  HostTensor result(std::move(shape), dtype);
  uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1; // 0 means all of 2^64
  for (int64_t i = 0; i < result.size(); ++i) {
    uint64_t bits = randomBits(seed, static_cast<uint64_t>(i));
    result.setInt(i, static_cast<int64_t>(static_cast<uint64_t>(low) + (width ? bits % width : bits)));
  }
  return result;
}

std::string HostTensor::typeString() const { return kiln::typeString(type, extents); }

void HostTensor::checkElement(size_t bytes) const {
  if (static_cast<int>(bytes) * 8 != bitWidth(type))
    fail(ErrorCode::Usage, "elements are read by a type of their width", fmt::format("{} bits", bitWidth(type)),
         fmt::format("{} bits", bytes * 8));
}

void HostTensor::checkIndex(int64_t index) const {
  if (index < 0 || index >= elements)
    fail(ErrorCode::Usage, "the index is inside the tensor", fmt::format("0 .. {}", elements - 1),
         std::to_string(index));
}

double HostTensor::get(int64_t index) const {
  if (!isFloat(type)) return static_cast<double>(getInt(index));
  checkIndex(index);
  // The common type by the host's own exact conversion: the interpreter reads every element this way.
  if (type == DType::F32) return static_cast<const float *>(raw())[index];
  return decodeFloat(type, loadBits(raw(), type, index));
}

void HostTensor::set(int64_t index, double value) {
  checkIndex(index);
  storeBits(raw(), type, index, toBits(type, value));
}

int64_t HostTensor::getInt(int64_t index) const {
  checkIndex(index);
  if (isFloat(type)) fail(ErrorCode::Usage, "getInt reads integers and bool", {}, typeString());
  uint64_t bits = loadBits(raw(), type, index);
  return type == DType::Bool ? bits != 0 : signExtend(bits, bitWidth(type));
}

void HostTensor::setInt(int64_t index, int64_t value) {
  checkIndex(index);
  if (isFloat(type)) fail(ErrorCode::Usage, "setInt writes integers and bool", {}, typeString());
  if (type == DType::Bool) return storeBits(raw(), type, index, value != 0);
  auto [low, high] = integerRange(type);
  storeBits(raw(), type, index, static_cast<uint64_t>(std::clamp(value, low, high)));
}

void HostTensor::fill(double value) {
  uint64_t bits = toBits(type, value);
  for (int64_t i = 0; i < elements; ++i) storeBits(raw(), type, i, bits);
}

HostTensor HostTensor::clone() const {
  HostTensor result = uninitialized(extents, type);
  if (byteCount) std::memcpy(result.raw(), raw(), byteCount);
  return result;
}

HostTensor HostTensor::cast(DType dtype) const {
  HostTensor result(extents, dtype);
  bool integers = !isFloat(type) && !isFloat(dtype);
  for (int64_t i = 0; i < elements; ++i)
    if (integers)
      result.setInt(i, getInt(i));
    else
      result.set(i, get(i));
  return result;
}

HostTensor HostTensor::reshape(std::vector<int64_t> shape) const {
  HostTensor result(std::move(shape), type, storage);
  if (result.size() != elements)
    fail(ErrorCode::InvalidInput, "a reshape keeps the number of elements", typeString(), result.typeString());
  return result;
}

std::optional<int64_t> firstDifference(const HostTensor &a, const HostTensor &b, NaNs nans) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return 0;
  bool wholeBytes = bitWidth(a.dtype()) >= 8;
  if (wholeBytes && (!a.byteSize() || std::memcmp(a.raw(), b.raw(), a.byteSize()) == 0)) return std::nullopt;
  bool nanEqual = nans == NaNs::AllEqual && isFloat(a.dtype());
  for (int64_t i = 0; i < a.size(); ++i) {
    uint64_t x = loadBits(a.raw(), a.dtype(), i), y = loadBits(b.raw(), b.dtype(), i);
    if (x == y) continue;
    if (nanEqual && std::isnan(decodeFloat(a.dtype(), x)) && std::isnan(decodeFloat(b.dtype(), y))) continue;
    return i;
  }
  return std::nullopt;
}

} // namespace kiln
