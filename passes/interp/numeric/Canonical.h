// The one order in which floats are reduced (numerics contract; the text of graph.reduce), and its depth.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace kiln::interp {

/// Row: the last axis is among the reduced ones. Column: it is not.
enum class ReduceOrder { Row, Column };

inline constexpr int64_t kUnitElements = 8, kLanes = 1024, kPiece = int64_t{1} << 16, kColumnBlock = 128;

/// Combines lanes i and i + stride for stride = the largest power of two below the count, halved down to 1.
template <class T, class Combine> T halvingTree(std::vector<T> &lanes, Combine combine) {
  size_t count = lanes.size();
  for (size_t stride = count > 1 ? std::bit_floor(count - 1) : 0; stride > 0; stride /= 2)
    for (size_t i = 0; i < stride && i + stride < count; ++i) lanes[i] = combine(lanes[i], lanes[i + stride]);
  return lanes[0];
}

/// n >= 1 elements at(0), at(1), ... of the row-major reduced space, combined in the canonical order.
template <class T, class At, class Combine> T combineCanonical(ReduceOrder order, int64_t n, At at, Combine combine) {
  auto sequence = [&](std::vector<T> &lanes, std::vector<char> &started, int64_t lane, int64_t i) {
    lanes[lane] = started[lane] ? combine(lanes[lane], at(i)) : at(i);
    started[lane] = 1;
  };
  int64_t unit = order == ReduceOrder::Column ? kColumnBlock : kUnitElements; // elements in sequence
  T total{};
  for (int64_t piece = 0; piece < n; piece += kPiece) {
    int64_t count = std::min(kPiece, n - piece), units = (count + unit - 1) / unit;
    std::vector<T> lanes(std::min(units, kLanes));
    std::vector<char> started(lanes.size());
    for (int64_t i = 0; i < count; ++i) sequence(lanes, started, i / unit % kLanes, piece + i);
    T part = halvingTree(lanes, combine);
    total = piece == 0 ? part : combine(total, part);
  }
  return total;
}

/// The most combinations that any one element goes through: those in sequence plus the tree's levels.
inline int64_t canonicalDepth(ReduceOrder order, int64_t n) {
  auto levels = [](int64_t count) { return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(count - 1))); };
  if (n <= 1) return 0;
  int64_t unit = order == ReduceOrder::Column ? kColumnBlock : kUnitElements;
  int64_t first = std::min(n, kPiece), units = (first + unit - 1) / unit;
  int64_t turns = (units + kLanes - 1) / kLanes, pieces = (n + kPiece - 1) / kPiece;
  return std::min(first, turns * unit) - 1 + levels(std::min(units, kLanes)) + pieces - 1;
}

} // namespace kiln::interp
