//===- Fragment.h - which thread holds which element of a fragment ------------------------------------------------===//
//
// The layouts of ir/tile/Layouts.td as plain index maps. Every layout is separable: what register r of thread t holds
// is where thread t starts plus where register r lies in thread 0, so that code needs one start per thread and
// constants.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_LAYOUT_FRAGMENT_H
#define KILN_IR_LAYOUT_FRAGMENT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::layout {

/// A place in a fragment; of rank 1, the row is 0.
struct Place {
  int64_t row = 0, column = 0;
  bool operator==(const Place &) const = default;
};

enum class FragmentKind {
  Blocked,
  MmaAcc,
  MmaA,
  MmaB,
  Outer,
  OuterA,
  OuterB,
  WgmmaAcc,
  WgmmaA,
  WgmmaRows, ///< a place's column is a row of the accumulator
  WgmmaColumns
};

/// One fragment's layout. Extents are those the layout allows.
struct Fragment {
  FragmentKind kind;
  int64_t rows = 1, columns = 1; ///< extents; rows is 1 for rank 1
  int64_t p = 1, q = 1; ///< the layout's parameters: vec and threads; warps along M, N; threads along M, N; of a
                        ///< warpgroup's left operand, elements that share 4 bytes

  /// Threads that hold it: of a warp, of a warpgroup, or of the CTA.
  int64_t threads() const;
  /// Elements of one thread.
  int64_t registers() const;
  /// How many threads hold the same element.
  int64_t copies() const { return threads() * registers() / (rows * columns); }
  /// Where register `r` of thread 0 lies.
  Place registerPlace(int64_t r) const;
  /// Where register 0 of thread `t` lies.
  Place threadPlace(int64_t t) const;
  /// What register `r` of thread `t` holds.
  Place place(int64_t t, int64_t r) const {
    Place thread = threadPlace(t), reg = registerPlace(r);
    return {thread.row + reg.row, thread.column + reg.column};
  }
};

/// For each register of `part`, the register of `whole` that holds the same element, `part` starting at `at` of it: the
/// same for every thread. None where some thread would need another's, or the part reaches out.
std::optional<std::vector<int64_t>> registersOf(const Fragment &whole, const Fragment &part, Place at);

/// Byte offset `offset` of a row-major tile with rows of `rowBytes` moved by a swizzle of 32, 64 or 128 bytes (0:
/// none): the 16-byte chunks of each `swizzle` bytes are permuted by the number of the row, or of the 128-byte line
/// where rows are shorter. Its own inverse; repeats every `swizzle` / 16 rows (lines). Rows longer than 128 bytes are a
/// multiple of `swizzle`.
int64_t swizzled(int64_t offset, int64_t swizzle, int64_t rowBytes);

} // namespace kiln::layout

#endif
