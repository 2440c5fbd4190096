#include "kiln/DType.h"

#include <array>
#include <cstddef>

namespace kiln {
namespace {

enum class Class : uint8_t { Float, Integer, Bool };

struct Row {
  DType type;
  std::string_view name;
  int bits;
  Class kind;
};

constexpr std::array<Row, kDTypeCount> kRows = {{
    {DType::F64, "f64", 64, Class::Float},
    {DType::F32, "f32", 32, Class::Float},
    {DType::TF32, "tf32", 32, Class::Float},
    {DType::F16, "f16", 16, Class::Float},
    {DType::BF16, "bf16", 16, Class::Float},
    {DType::F8E4M3FN, "f8E4M3FN", 8, Class::Float},
    {DType::F8E5M2, "f8E5M2", 8, Class::Float},
    {DType::F8E8M0, "f8E8M0", 8, Class::Float},
    {DType::I64, "i64", 64, Class::Integer},
    {DType::I32, "i32", 32, Class::Integer},
    {DType::I8, "i8", 8, Class::Integer},
    {DType::I4, "i4", 4, Class::Integer},
    {DType::Bool, "bool", 8, Class::Bool},
}};

constexpr bool rowsAreInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].type != static_cast<DType>(i)) return false;
  return true;
}
static_assert(rowsAreInOrder(), "the table is indexed by the enumerator");

const Row &row(DType type) { return kRows[static_cast<size_t>(type)]; }

} // namespace

std::string_view name(DType type) { return row(type).name; }

std::optional<DType> parseDType(std::string_view text) {
  for (const Row &r : kRows)
    if (r.name == text) return r.type;
  return std::nullopt;
}

int bitWidth(DType type) { return row(type).bits; }

bool isFloat(DType type) { return row(type).kind == Class::Float; }

bool isInteger(DType type) { return row(type).kind == Class::Integer; }

std::optional<int64_t> byteSize(DType type, int64_t elements) {
  int bits = bitWidth(type);
  if (bits < 8) return elements / 2 + elements % 2;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, static_cast<int64_t>(bits / 8), &bytes)) return std::nullopt;
  return bytes;
}

} // namespace kiln
