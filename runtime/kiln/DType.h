// The element types Kiln knows, from the first day on, whether or not an op uses them yet. One table of rows (name,
// storage width, class) answers every question about a type; add a type by adding a row in DType.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln {

/// An element type. `TF32` is f32 storage with 10 mantissa bits, meant as a matmul precision; `F8E8M0` is an unsigned
/// power of two, meant as a block scale; `I4` packs two elements to a byte, the even one in the low half; `Bool` is one
/// byte holding 0 or 1.
enum class DType : uint8_t { F64, F32, TF32, F16, BF16, F8E4M3FN, F8E5M2, F8E8M0, I64, I32, I8, I4, Bool };

/// Number of rows in the table: `DType` values are 0 .. kDTypeCount - 1.
inline constexpr int kDTypeCount = 13;

inline constexpr DType f64 = DType::F64;
inline constexpr DType f32 = DType::F32;
inline constexpr DType tf32 = DType::TF32;
inline constexpr DType f16 = DType::F16;
inline constexpr DType bf16 = DType::BF16;
inline constexpr DType f8E4M3FN = DType::F8E4M3FN;
inline constexpr DType f8E5M2 = DType::F8E5M2;
inline constexpr DType f8E8M0 = DType::F8E8M0;
inline constexpr DType i64 = DType::I64;
inline constexpr DType i32 = DType::I32;
inline constexpr DType i8 = DType::I8;
inline constexpr DType i4 = DType::I4;
inline constexpr DType boolean = DType::Bool;

/// The spelling used in text, messages and JSON: "f32", "bf16", "f8E4M3FN", "i4", "bool" ...
std::string_view name(DType type);

/// The type spelled `text` by name(), or nothing.
std::optional<DType> parseDType(std::string_view text);

/// Bits one element takes in memory (4 for i4, 8 for bool, 32 for tf32).
int bitWidth(DType type);

/// True for the floating-point types, F8E8M0 and TF32 included.
bool isFloat(DType type);

/// True for I64, I32, I8 and I4; Bool is neither float nor integer.
bool isInteger(DType type);

/// Bytes that `elements` >= 0 dense elements take, rounded up to whole bytes; nothing if that exceeds int64.
std::optional<int64_t> byteSize(DType type, int64_t elements);

} // namespace kiln
