// Moves of elements: one walk for each of a tensor's arrays.
#include "passes/interp/numeric/Move.h"

#include <algorithm>

namespace kiln::interp {
namespace {

/// Calls `run(from, to)` at the start of each innermost run of to's shape, with both linear indices.
template <class Run>
void forEachRun(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset, Run run) {
  int64_t inner = shape.empty() ? 1 : shape.back();
  int64_t outer = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) outer *= shape[d];
  if (inner == 0) return;
  std::vector<int64_t> index(shape.size(), 0);
  int64_t from = offset;
  for (int64_t o = 0; o < outer; ++o) {
    run(from, o * inner);
    for (size_t d = shape.size() - (shape.empty() ? 0 : 1); d-- > 0;) { // odometer over all but the last dimension
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

template <class T> void copyArray(const std::vector<T> &from, std::vector<T> &to, size_t count,
                                  std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset) {
  if (from.empty()) return;
  to.resize(count);
  int64_t inner = shape.empty() ? 1 : shape.back(), step = shape.empty() ? 1 : strides.back();
  forEachRun(shape, strides, offset, [&](int64_t source, int64_t target) {
    const T *read = from.data() + source;
    T *write = to.data() + target;
    if (step == 1)
      std::copy_n(read, inner, write);
    else
      for (int64_t i = 0; i < inner; ++i) write[i] = read[i * step];
  });
}

template <class T> void copyRunOf(const std::vector<T> &from, int64_t fromStart, int64_t count, std::vector<T> &to,
                                  int64_t toStart, int64_t size) {
  if (from.empty() || count == 0) return;
  to.resize(static_cast<size_t>(size));
  std::copy_n(from.begin() + fromStart, count, to.begin() + toStart);
}

} // namespace

std::vector<int64_t> stridesOf(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

void copyStrided(const OracleTensor &from, int64_t offset, std::span<const int64_t> strides, OracleTensor &to) {
  size_t count = static_cast<size_t>(to.size());
  if (count == 0) return;
  copyArray(from.values, to.values, count, to.shape, strides, offset);
  copyArray(from.integers, to.integers, count, to.shape, strides, offset);
  copyArray(from.bounds, to.bounds, count, to.shape, strides, offset);
  copyArray(from.either, to.either, count, to.shape, strides, offset);
}

void copyRun(const OracleTensor &from, int64_t fromStart, int64_t count, OracleTensor &to, int64_t toStart) {
  copyRunOf(from.values, fromStart, count, to.values, toStart, to.size());
  copyRunOf(from.integers, fromStart, count, to.integers, toStart, to.size());
  copyRunOf(from.bounds, fromStart, count, to.bounds, toStart, to.size());
  copyRunOf(from.either, fromStart, count, to.either, toStart, to.size());
}

void setUnknown(OracleTensor &to, int64_t start, int64_t count) {
  for (int64_t i = start; i < start + count; ++i)
    if (to.isFloat())
      to.set(i, Element::unknown());
    else
      to.setInteger(i, {0, true});
}

OracleTensor permuted(const OracleTensor &from, std::span<const int64_t> perm) {
  std::vector<int64_t> shape, strides, source = stridesOf(from.shape);
  for (int64_t d : perm) {
    shape.push_back(from.shape[d]);
    strides.push_back(source[d]);
  }
  OracleTensor result(std::move(shape), from.dtype);
  result.zeroSigns = from.zeroSigns;
  copyStrided(from, 0, strides, result);
  return result;
}

} // namespace kiln::interp
