// Elements as bits: what they are worth, and how two of them combine.
#pragma once

#include "ir/tile/Tile.h"

#include <cstdint>

namespace kiln::numeric::tiles {

double decode(mlir::Type type, uint64_t bits);
/// Rounded to nearest even.
uint64_t encode(mlir::Type type, double value);
/// a·b + c of elements, rounded once.
uint64_t fusedMultiplyAdd(mlir::Type type, uint64_t a, uint64_t b, uint64_t c);
unsigned widthOf(mlir::Type type);
int64_t asSigned(uint64_t bits, unsigned width);
uint64_t masked(uint64_t bits, unsigned width);
/// a ∘ b of two elements.
uint64_t combine(tile::CombineKind kind, mlir::Type type, uint64_t a, uint64_t b);
/// max and min of floats that keep NaN, and tell -0 from 0.
double maximum(double a, double b);
double minimum(double a, double b);

} // namespace kiln::numeric::tiles
