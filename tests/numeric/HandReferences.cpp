#include "tests/numeric/HandReferences.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace kiln;
using namespace kiln::numeric;

namespace {

constexpr double kHalfUnit = 1.0 / 256;   ///< of bf16, relative
constexpr double kSums = 1.0 / (1 << 20); ///< what sums in f32 add, of all that is summed
constexpr double kTiny = 1e-30;

/// A tensor as numbers, of which `rows` of `columns` are looked at from some row on.
struct Numbers {
  std::vector<double> values;
  explicit Numbers(const HostTensor &tensor) {
    for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.get(i));
  }
  double operator[](int64_t i) const { return values[static_cast<size_t>(i)]; }
};

void add(Exact &exact, double value, double summed, double units) {
  exact.values.push_back(value);
  exact.bounds.push_back(units * kHalfUnit * std::abs(value) + kSums * summed + kTiny);
}

Exact matmul(std::span<const HostTensor> inputs, bool transposed) {
  Numbers a(inputs[0]), b(inputs[1]);
  int64_t m = inputs[0].shape()[0], k = inputs[0].shape()[1], n = inputs[1].shape()[transposed ? 0 : 1];
  Exact exact;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, all = 0;
      for (int64_t s = 0; s < k; ++s) {
        double product = a[i * k + s] * (transposed ? b[j * k + s] : b[s * n + j]);
        sum += product;
        all += std::abs(product);
      }
      add(exact, sum, all, 1);
    }
  return exact;
}

/// One query's rows of the result: keys from `first` on, `seen` of them. Weights are rounded before they meet values.
void attendOne(Exact &exact, const Numbers &q, int64_t query, const Numbers &k, const Numbers &v, int64_t first,
               int64_t seen, int64_t width) {
  std::vector<double> weights(static_cast<size_t>(seen));
  double top = -INFINITY, total = 0;
  for (int64_t j = 0; j < seen; ++j) {
    double score = 0;
    for (int64_t d = 0; d < width; ++d) score += q[query * width + d] * k[(first + j) * width + d];
    weights[static_cast<size_t>(j)] = score / std::sqrt(static_cast<double>(width));
    top = std::max(top, weights[static_cast<size_t>(j)]);
  }
  for (double &weight : weights) total += weight = std::exp(weight - top);
  for (int64_t d = 0; d < width; ++d) {
    double sum = 0, all = 0;
    for (int64_t j = 0; j < seen; ++j) {
      double part = weights[static_cast<size_t>(j)] / total * v[(first + j) * width + d];
      sum += part;
      all += std::abs(part);
    }
    exact.values.push_back(sum);
    exact.bounds.push_back(kHalfUnit * (std::abs(sum) + all) * 1.01 + 1e-5 * all + kTiny);
  }
}

Exact attentionOf(std::span<const HostTensor> inputs, bool causal) {
  Numbers q(inputs[0]), k(inputs[1]), v(inputs[2]);
  const std::vector<int64_t> &shape = inputs[0].shape();
  Exact exact;
  for (int64_t head = 0; head < shape[0] * shape[1]; ++head)
    for (int64_t i = 0; i < shape[2]; ++i)
      attendOne(exact, q, head * shape[2] + i, k, v, head * shape[2], causal ? i + 1 : shape[2], shape[3]);
  return exact;
}

} // namespace

Exact kiln::numeric::matmulNT(std::span<const HostTensor> inputs) { return matmul(inputs, true); }
Exact kiln::numeric::matmulNN(std::span<const HostTensor> inputs) { return matmul(inputs, false); }
Exact kiln::numeric::attention(std::span<const HostTensor> inputs) { return attentionOf(inputs, false); }
Exact kiln::numeric::attentionCausal(std::span<const HostTensor> inputs) { return attentionOf(inputs, true); }

Exact kiln::numeric::decode(std::span<const HostTensor> inputs) {
  Numbers q(inputs[0]), k(inputs[1]), v(inputs[2]);
  int64_t batch = inputs[0].shape()[0], queries = inputs[0].shape()[1], width = inputs[0].shape()[2];
  int64_t heads = inputs[1].shape()[1], keys = inputs[1].shape()[2];
  Exact exact;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < queries; ++h)
      attendOne(exact, q, b * queries + h, k, v, (b * heads + h / (queries / heads)) * keys, keys, width);
  return exact;
}

Exact kiln::numeric::softmaxRows(std::span<const HostTensor> inputs) {
  Numbers x(inputs[0]);
  int64_t rows = inputs[0].shape()[0], columns = inputs[0].shape()[1];
  Exact exact;
  for (int64_t r = 0; r < rows; ++r) {
    double top = -INFINITY, total = 0;
    for (int64_t c = 0; c < columns; ++c) top = std::max(top, x[r * columns + c]);
    for (int64_t c = 0; c < columns; ++c) total += std::exp(x[r * columns + c] - top);
    for (int64_t c = 0; c < columns; ++c) {
      double value = std::exp(x[r * columns + c] - top) / total;
      add(exact, value, value * 16, 1);
    }
  }
  return exact;
}

std::string kiln::numeric::firstFarFrom(const Exact &reference, const HostTensor &found) {
  if (found.size() != static_cast<int64_t>(reference.values.size())) return "another number of elements";
  for (int64_t i = 0; i < found.size(); ++i) {
    auto n = static_cast<size_t>(i);
    double error = std::abs(found.get(i) - reference.values[n]);
    if (!(error <= reference.bounds[n]))
      return fmt::format("element {} is {:.9g}, not {:.9g} within {:.3g}", i, found.get(i), reference.values[n],
                         reference.bounds[n]);
  }
  return "";
}

std::string kiln::numeric::readProgram(const std::string &name) {
  std::ifstream file(KILN_SOURCE_DIR "/examples/tile/" + name + ".mlir");
  if (!file) file.open(KILN_SOURCE_DIR "/tests/numeric/programs/" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("no program " + name);
  return text.str();
}

std::string kiln::numeric::targetOfProgram(const std::string &name) {
  return name.find("sm80") == std::string::npos ? "sm_90a" : "sm_80";
}
