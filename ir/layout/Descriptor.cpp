#include "ir/layout/Descriptor.h"

#include <array>

using namespace kiln::layout;

namespace {

/// A field of 14 bits that counts 16 bytes.
struct Field {
  int position;
  int64_t MatrixDescriptor::*value;
};
constexpr std::array<Field, 3> kFields = {
    {{0, &MatrixDescriptor::start}, {16, &MatrixDescriptor::leading}, {32, &MatrixDescriptor::stride}}};
constexpr uint64_t kFieldMask = 0x3FFF;
constexpr int64_t kUnit = 16;
constexpr int kSwizzlePosition = 62;
/// The swizzle by its code.
constexpr std::array<int64_t, 4> kSwizzles = {0, 128, 64, 32};
/// Rows of a core matrix.
constexpr int64_t kCore = 8;

} // namespace

uint64_t kiln::layout::encode(const MatrixDescriptor &descriptor) {
  uint64_t bits = 0;
  for (const Field &field : kFields)
    bits |= (static_cast<uint64_t>(descriptor.*field.value / kUnit) & kFieldMask) << field.position;
  for (uint64_t code = 0; code < kSwizzles.size(); ++code)
    if (kSwizzles[code] == descriptor.swizzle) bits |= code << kSwizzlePosition;
  return bits;
}

MatrixDescriptor kiln::layout::decode(uint64_t bits) {
  MatrixDescriptor descriptor;
  for (const Field &field : kFields)
    descriptor.*field.value = static_cast<int64_t>(bits >> field.position & kFieldMask) * kUnit;
  descriptor.swizzle = kSwizzles[bits >> kSwizzlePosition];
  return descriptor;
}

bool kiln::layout::isOperand(const SharedTile &tile, Major major) {
  return tile.swizzle > 0 && tile.rowBytes() == tile.swizzle && (major == Major::K || tile.elementBytes == 2);
}

MatrixDescriptor kiln::layout::descriptorOf(const SharedTile &tile, Major major, int64_t mn, int64_t k) {
  int64_t rows = major == Major::K ? mn : k, columns = major == Major::K ? k : mn;
  // Within a row the swizzle is applied to the sum of start and offset, so that the start itself is not permuted.
  int64_t start =
      columns / tile.panel * tile.panelBytes() + rows * tile.rowBytes() + columns % tile.panel * tile.elementBytes;
  return {start, major == Major::K ? kUnit : tile.panelBytes(), kCore * tile.rowBytes(), tile.swizzle};
}

int64_t kiln::layout::elementAddress(const MatrixDescriptor &d, Major major, int64_t elementBytes, int64_t mn,
                                     int64_t k) {
  int64_t address = d.start;
  if (major == Major::K) {
    address += mn / kCore * d.stride + mn % kCore * d.swizzle + k * elementBytes;
  } else {
    int64_t along = mn * elementBytes;
    address += along / d.swizzle * d.leading + along % d.swizzle + k / kCore * d.stride + k % kCore * d.swizzle;
  }
  // Bits 4 … of the chunk, by bits 7 … of the address: 3 of them for 128 bytes, 2 for 64, 1 for 32.
  int64_t chunks = d.swizzle / kUnit;
  return chunks ? address ^ (address / 128 % chunks * kUnit) : address;
}
