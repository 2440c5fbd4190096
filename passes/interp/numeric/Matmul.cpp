// Matrix products with bounds: two or three double products, blocked for the registers and the second-level cache.
#include "passes/interp/numeric/Matmul.h"

#include "passes/interp/numeric/ElementOps.h"

#include <atomic>
#include <cstring>
#include <thread>

#if defined(__x86_64__) && defined(__linux__)
#define KILN_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define KILN_WIDE_VECTORS
#endif

namespace kiln::interp {
namespace {

constexpr int64_t kRows = 4, kColumns = 8; // a tile of accumulators that fits 16 registers of 4 doubles
constexpr int64_t kDepth = 512;            // of one packed panel: 32 KiB of b
constexpr int64_t kStrip = 128;            // rows that a thread takes at a time

/// Four doubles: one register of them, or two.
using Four = double __attribute__((vector_size(32)));

/// c[4][8] += a panel [k][4] times b panel [k][8].
KILN_WIDE_VECTORS void tile(const double *a, const double *b, int64_t k, double *c) {
#ifdef __clang__
#pragma clang fp contract(fast) // these are the oracle's own doubles, which no contract names
#endif
  Four sum[kRows][2] = {}, row[2];
  for (int64_t p = 0; p < k; ++p, a += kRows, b += kColumns) {
    std::memcpy(row, b, sizeof(row));
    for (int64_t i = 0; i < kRows; ++i) {
      sum[i][0] += a[i] * row[0];
      sum[i][1] += a[i] * row[1];
    }
  }
  for (int64_t i = 0; i < kRows; ++i, c += kColumns) {
    std::memcpy(row, c, sizeof(row));
    row[0] += sum[i][0];
    row[1] += sum[i][1];
    std::memcpy(c, row, sizeof(row));
  }
}

/// A matrix in panels of `width` rows (columns): [panel][k][width], zeros past the edge.
struct Packed {
  int64_t width, k, panels;
  std::vector<double> data;
  const double *panel(int64_t index, int64_t at) const { return data.data() + (index * k + at) * width; }
};

/// Element (row, p) of the matrix is at row * rowStride + p * kStride; `map(linear index)` is its value.
template <class Map> Packed pack(int64_t width, int64_t rows, int64_t k, int64_t rowStride, int64_t kStride, Map map) {
  Packed packed{width, k, (rows + width - 1) / width, {}};
  packed.data.assign(packed.panels * k * width, 0.0);
  for (int64_t r = 0; r < rows; ++r) {
    double *to = packed.data.data() + r / width * k * width + r % width;
    for (int64_t p = 0; p < k; ++p) to[p * width] = map(r * rowStride + p * kStride);
  }
  return packed;
}

/// Calls work(i) for 0 <= i < count on every core.
template <class Work> void parallel(int64_t count, Work work) {
  std::atomic<int64_t> next = 0;
  auto loop = [&] {
    for (int64_t i = next++; i < count; i = next++) work(i);
  };
  int64_t helpers = std::min<int64_t>(std::max(1u, std::thread::hardware_concurrency()), count) - 1;
  std::vector<std::jthread> threads;
  for (int64_t t = 0; t < helpers; ++t) threads.emplace_back(loop);
  loop();
}

/// c[m, n] = a b.
void multiply(const Packed &a, const Packed &b, int64_t m, int64_t n, std::vector<double> &c) {
  c.assign(m * n, 0.0);
  int64_t panels = kStrip / kRows;
  auto strip = [&](int64_t s) {
    std::vector<double> sums(panels * kRows * kColumns);
    int64_t first = s * panels, last = std::min(first + panels, a.panels);
    for (int64_t jp = 0; jp < b.panels; ++jp) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t p = 0; p < a.k; p += kDepth)
        for (int64_t ip = first; ip < last; ++ip)
          tile(a.panel(ip, p), b.panel(jp, p), std::min(kDepth, a.k - p), &sums[(ip - first) * kRows * kColumns]);
      int64_t j = jp * kColumns, columns = std::min(kColumns, n - j);
      for (int64_t i = first * kRows; i < std::min(last * kRows, m); ++i)
        std::copy_n(&sums[(i - first * kRows) * kColumns], columns, &c[i * n + j]);
    }
  };
  parallel((a.panels + panels - 1) / panels, strip);
}

/// One operand of one batch: where its element (row or column, p) is.
struct Operand {
  const OracleTensor &tensor;
  int64_t start, rowStride, kStride;
  Element at(int64_t row, int64_t p) const { return tensor.at(start + row * rowStride + p * kStride); }
};

/// What a device does: fused multiply-adds from zero, k ascending.
Element stepByStep(const Operand &a, const Operand &b, int64_t i, int64_t j, int64_t k) {
  Element total;
  for (int64_t p = 0; p < k; ++p) total = fma(a.at(i, p), b.at(j, p), total);
  return total;
}

/// What every order of the sum gives where finite products might overflow it, or some are no numbers.
Element inAnyOrder(const Operand &a, const Operand &b, int64_t i, int64_t j, int64_t k) {
  double finite = 0;
  bool up = false, down = false, nan = false;
  for (int64_t p = 0; p < k; ++p) {
    Element x = a.at(i, p), y = b.at(j, p);
    bool maybeZero =
        (x.b > 0 && std::fabs(x.v) <= x.b && std::isinf(y.v)) || (y.b > 0 && std::fabs(y.v) <= y.b && std::isinf(x.v));
    if (x.isUnknown() || y.isUnknown() || x.either || y.either || maybeZero) return Element::unknown();
    double product = x.v * y.v;
    nan |= std::isnan(product);
    if (std::isinf(product)) (product > 0 ? up : down) = true;
    if (std::isfinite(product)) finite += (std::fabs(x.v) + x.b) * (std::fabs(y.v) + y.b);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (nan || (up && down)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (!(finite * (1 + 0x1p-10) < kOverflow)) return Element::unknown();
  return {up ? kInfinity : -kInfinity, 0};
}

struct Batch {
  std::vector<double> product, magnitude, reach; ///< sum a b, sum |a||b|, sum (|a| + bound)(|b| + bound)
  std::vector<double> lined; ///< as reach, no factor but 0 less than the smallest of 16-bit operands
};

Batch products(const MatmulShape &s, const Operand &a, const Operand &b) {
  Batch result;
  auto both = [&](auto mapOf, std::vector<double> &to) {
    Packed pa = pack(kRows, s.m, s.k, a.rowStride, a.kStride, mapOf(a));
    Packed pb = pack(kColumns, s.n, s.k, b.rowStride, b.kStride, mapOf(b));
    multiply(pa, pb, s.m, s.n, to);
  };
  both([](const Operand &o) { return [&o](int64_t i) { return o.tensor.values[o.start + i]; }; }, result.product);
  both([](const Operand &o) { return [&o](int64_t i) { return std::fabs(o.tensor.values[o.start + i]); }; },
       result.magnitude);
  auto reachOver = [](double least) {
    return [least](const Operand &o) {
      return [&o, least](int64_t i) {
        Element e = o.tensor.at(o.start + i);
        double reach = std::fabs(e.v) + e.b;
        return reach > 0 ? std::max(reach, least) : 0;
      };
    };
  };
  if (!a.tensor.bounds.empty() || !b.tensor.bounds.empty()) both(reachOver(0), result.reach);
  if (s.smallest > 0) both(reachOver(s.smallest), result.lined);
  return result;
}

/// Which rows (columns) hold an element that is marked.
std::vector<uint8_t> marked(const Operand &o, int64_t rows, int64_t k) {
  std::vector<uint8_t> marks(rows, 0);
  if (o.tensor.either.empty()) return marks;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t p = 0; p < k; ++p) marks[r] |= o.at(r, p).either;
  return marks;
}

} // namespace

double matmulUnits(int64_t k) {
  double count = static_cast<double>(k);
  return std::min(count, 8 * std::sqrt(count));
}

void matmul(const MatmulShape &s, const OracleTensor &a, const OracleTensor &b, OracleTensor &result) {
  if (s.k == 0 || result.size() == 0) return; // zeros already
  double units = matmulUnits(s.k) * kUnit, tiny = static_cast<double>(s.k) * 0x1p-150;
  if (s.smallest > 0) tiny = static_cast<double>(s.k + 1) * 0x1p-149;
  result.bounds.assign(result.values.size(), 0.0);
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    Operand left{a, batch * s.m * s.k, s.transposeA ? 1 : s.k, s.transposeA ? s.m : 1};
    Operand right{b, batch * s.n * s.k, s.transposeB ? s.k : 1, s.transposeB ? 1 : s.n};
    Batch sums = products(s, left, right);
    std::vector<uint8_t> rowMarks = marked(left, s.m, s.k), columnMarks = marked(right, s.n, s.k);
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        int64_t at = i * s.n + j;
        double reach = sums.reach.empty() ? sums.magnitude[at] : sums.reach[at];
        double lined = sums.lined.empty() || reach == 0 ? reach : sums.lined[at];
        double bound = (units / (1 - units) * lined + (reach - sums.magnitude[at])) * kSlack + (reach > 0 ? tiny : 0);
        Element element{sums.product[at], std::max(bound, 0.0), rowMarks[i] || columnMarks[j]};
        if (!(reach + bound < kOverflow)) {
          auto exactly = s.smallest > 0 ? inAnyOrder : stepByStep;
          element = exactly(left, right, i, j, s.k);
        }
        result.set(batch * s.m * s.n + at, element);
      }
  }
}

} // namespace kiln::interp
