// Views, reductions and matmuls of the generator.
#include "tests/fuzz/Draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kiln;
using namespace kiln::fuzz;

namespace {

Entry *drawAny(Pool &p, int minRank = 0) {
  return p.draw([&](const Entry &e) { return e.tensor.rank() >= minRank; });
}

bool addLike(Pool &p, const Entry &x, Tensor tensor) { return p.add(std::move(tensor), x.magnitude, x.rounded); }

bool drawReshape(Pool &p) {
  Entry *x = drawAny(p);
  if (!x) return false;
  Shape shape = x->tensor.shape();
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  if (count == 0) return false;
  Shape to;
  for (int64_t factor : {2, 3, 5, 7}) // factors that divide it, the rest in one
    if (count % factor == 0 && p.oneIn(2)) to.push_back(factor), count /= factor;
  to.insert(to.begin() + p.between(0, static_cast<int>(to.size())), count);
  if (p.oneIn(4)) to.insert(to.begin(), 1);
  return addLike(p, *x, reshape(x->tensor, to));
}
bool drawPermute(Pool &p) {
  Entry *x = drawAny(p, 2);
  if (!x) return false;
  std::vector<int64_t> order(static_cast<size_t>(x->tensor.rank()));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<size_t>(p.between(0, static_cast<int>(i)))]);
  return addLike(p, *x, permute(x->tensor, order));
}
bool drawSlice(Pool &p) {
  Entry *x = drawAny(p, 1);
  if (!x) return false;
  Shape starts, limits, steps;
  for (int64_t extent : x->tensor.shape()) {
    bool whole = extent < 2 || p.oneIn(2);
    starts.push_back(whole ? 0 : p.between(0, static_cast<int>(extent) - 2));
    limits.push_back(whole ? extent : p.between(static_cast<int>(starts.back()) + 1, static_cast<int>(extent)));
    steps.push_back(p.oneIn(4) ? p.between(2, 3) : 1);
  }
  return addLike(p, *x, slice(x->tensor, starts, limits, steps));
}
bool drawConcat(Pool &p) {
  Entry *found = drawAny(p, 1);
  if (!found) return false;
  Entry x = *found;
  int64_t axis = p.between(0, static_cast<int>(x.tensor.rank()) - 1);
  Entry *y = p.draw([&](const Entry &e) {
    if (e.tensor.dtype() != x.tensor.dtype() || e.tensor.rank() != x.tensor.rank()) return false;
    Shape a = e.tensor.shape(), b = x.tensor.shape();
    a[static_cast<size_t>(axis)] = b[static_cast<size_t>(axis)];
    return a == b;
  });
  Entry other = *y; // x itself fits
  std::vector<Tensor> parts = {x.tensor, other.tensor};
  if (p.oneIn(3)) parts.push_back(x.tensor);
  return p.add(concat(parts, axis), std::max(x.magnitude, other.magnitude), x.rounded || other.rounded);
}
bool drawBroadcast(Pool &p) {
  Entry *x = drawAny(p);
  if (!x) return false;
  Shape shape = x->tensor.shape();
  for (int64_t &extent : shape)
    if (extent == 1) extent = p.between(1, 9);
  if (p.oneIn(2)) shape.insert(shape.begin(), p.between(1, 5));
  return p.fits(shape) && addLike(p, *x, broadcastTo(x->tensor, shape));
}
bool drawGather(Pool &p) {
  Entry *i = p.draw([](const Entry &e) {
    return (e.tensor.dtype() == i32 || e.tensor.dtype() == i64) && e.tensor.rank() <= 2 && e.tensor.rank() >= 1;
  });
  if (!i) return false;
  Tensor indices = i->tensor;
  Entry *x = p.draw([](const Entry &e) {
    Shape s = e.tensor.shape();
    return e.tensor.rank() >= 1 && e.tensor.rank() <= 3 && std::find(s.begin(), s.end(), 0) == s.end();
  });
  if (!x) return false;
  int64_t axis = p.between(0, static_cast<int>(x->tensor.rank()) - 1);
  Shape shape = x->tensor.shape();
  shape.erase(shape.begin() + axis);
  for (int64_t extent : indices.shape()) shape.push_back(extent);
  return p.fits(shape) && addLike(p, *x, gather(x->tensor, indices, axis));
}
bool drawIota(Pool &p) {
  Shape shape = p.drawShape();
  if (shape.empty()) return false;
  DType dtype = p.pick<DType>({f32, f16, bf16, i32, i64});
  return p.add(p.graph.iota(shape, p.between(0, static_cast<int>(shape.size()) - 1), dtype), 130);
}

/// One or more axes, at random; all of their extents are positive.
Axes drawAxes(Pool &p, const Tensor &x) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (p.oneIn(2)) axes.push_back(axis);
  if (axes.empty()) axes.push_back(x.rank() - 1);
  return axes;
}
Entry *drawFull(Pool &p, DType dtype) { // not empty, rank 1 or more
  return p.draw([&](const Entry &e) {
    Shape s = e.tensor.shape();
    return e.tensor.dtype() == dtype && !s.empty() && std::find(s.begin(), s.end(), 0) == s.end() && e.magnitude < 1e6;
  });
}
bool drawReduce(Pool &p) {
  DType dtype = p.pick<DType>({f32, f32, f16, bf16, i32, i64, boolean});
  Entry *x = isFloat(dtype) ? drawFull(p, dtype) : p.draw([&](const Entry &e) {
    Shape s = e.tensor.shape();
    return e.tensor.dtype() == dtype && !s.empty() && std::find(s.begin(), s.end(), 0) == s.end();
  });
  if (!x) return false;
  Axes axes = drawAxes(p, x->tensor);
  double count = 1;
  for (int64_t axis : axes.axes) count *= static_cast<double>(x->tensor.extent(axis));
  bool keep = p.oneIn(2);
  int which = p.between(dtype == boolean ? 2 : 0, 3);
  if (which == 0) return p.add(sum(x->tensor, axes, keep), x->magnitude * count, true);
  if (which == 1) return p.add(mean(x->tensor, axes, keep), isFloat(dtype) ? x->magnitude : 1e19, true);
  return p.add(which == 2 ? max(x->tensor, axes, keep) : min(x->tensor, axes, keep), x->magnitude, x->rounded);
}
bool drawSoftmax(Pool &p) {
  Entry *x = drawFull(p, p.pickFloat());
  return x && p.add(softmax(x->tensor, p.between(0, static_cast<int>(x->tensor.rank()) - 1)), 1, true);
}
bool drawNormalise(Pool &p) {
  Entry *x = drawFull(p, p.pickFloat());
  if (!x) return false;
  Tensor d = x->tensor - mean(x->tensor, -1, true);
  return p.add(d * rsqrt(mean(d * d, -1, true) + 1e-2), 10 * (1 + x->magnitude), true);
}
bool drawLayerNorm(Pool &p) {
  Entry *x = drawFull(p, p.pickFloat());
  if (!x) return false;
  Tensor data = x->tensor;
  Shape vector = {data.extent(-1)};
  return p.add(layerNorm(data, p.graph.full(vector, 1.25, data.dtype()), p.graph.full(vector, -0.5, data.dtype())), 20,
               true);
}
bool drawMatmul(Pool &p) {
  Entry *found =
      p.draw([](const Entry &e) { return isFloat(e.tensor.dtype()) && e.tensor.rank() >= 2 && e.magnitude < 1e3; });
  if (!found) return false;
  Entry a = *found;
  bool transposeA = p.oneIn(3), transposeB = p.oneIn(3);
  int64_t k = a.tensor.extent(transposeA ? -2 : -1);
  Entry *other = p.draw([&](const Entry &e) {
    return e.tensor.dtype() == a.tensor.dtype() && e.tensor.rank() == 2 && e.magnitude < 1e3 &&
           e.tensor.extent(transposeB ? -1 : -2) == k;
  });
  Entry b;
  if (other && p.oneIn(2))
    b = *other;
  else { // make one of the right shape out of something else
    int64_t n = p.pick<int64_t>({1, 3, 16, 17, 33, 40});
    if (!p.fits({k, n})) return false;
    Tensor iota = p.graph.iota(transposeB ? Shape{n, k} : Shape{k, n}, p.between(0, 1), a.tensor.dtype());
    b = {sin(iota * 0.37), 1, true, true};
  }
  Shape result = a.tensor.shape();
  result[result.size() - 2] = a.tensor.extent(transposeA ? -1 : -2);
  result.back() = b.tensor.extent(transposeB ? -2 : -1);
  if (!p.fits(result)) return false;
  return p.add(matmul(a.tensor, b.tensor, {transposeA, transposeB}),
               a.magnitude * b.magnitude * std::sqrt(static_cast<double>(k) + 1), true);
}

} // namespace

const std::vector<DrawRow> &kiln::fuzz::moveDraws() {
  static const std::vector<DrawRow> rows = {
      {"reshape", 6, drawReshape},     {"permute", 6, drawPermute}, {"slice", 5, drawSlice}, {"concat", 3, drawConcat},
      {"broadcast", 4, drawBroadcast}, {"gather", 3, drawGather},   {"iota", 2, drawIota}};
  return rows;
}

const std::vector<DrawRow> &kiln::fuzz::anchorDraws() {
  static const std::vector<DrawRow> rows = {{"reduce", 6, drawReduce, true},
                                            {"softmax", 2, drawSoftmax, true},
                                            {"normalise", 2, drawNormalise, true},
                                            {"layer_norm", 2, drawLayerNorm, true},
                                            {"matmul", 5, drawMatmul, true}};
  return rows;
}
