// The model in plain C++ and f64, straight from the formulas of examples/minilm/README.md, one sentence at a time and
// without padding. For small extents; reference.py beside this file is the same for the published ones.
#pragma once

#include "examples/minilm/Model.h"

#include <kiln/Executable.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace minilm::reference {

using Row = std::vector<double>;
using Matrix = std::vector<Row>; ///< a row per token

class Model {
public:
  Model(const Config &config, const kiln::NamedTensors &weights) : c(config), weights(weights) {}

  /// The embedding of a sentence, given by the ids of its tokens.
  Row embed(const std::vector<int64_t> &ids) const {
    Matrix x;
    for (size_t s = 0; s < ids.size(); ++s) {
      Row row(c.width);
      for (int64_t i = 0; i < c.width; ++i)
        row[i] = at("embeddings.word_embeddings.weight", ids[s] * c.width + i) +
                 at("embeddings.position_embeddings.weight", static_cast<int64_t>(s) * c.width + i) +
                 at("embeddings.token_type_embeddings.weight", i);
      x.push_back(row);
    }
    x = norm("embeddings.LayerNorm", x);
    for (int64_t i = 0; i < c.layers; ++i) x = layer("encoder.layer." + std::to_string(i), x);
    Row mean(c.width);
    for (const Row &row : x)
      for (int64_t i = 0; i < c.width; ++i) mean[i] += row[i] / static_cast<double>(x.size());
    const double length = std::sqrt(dot(mean, mean, 0, c.width));
    for (double &value : mean) value /= length;
    return mean;
  }

private:
  const Config &c;
  const kiln::NamedTensors &weights;

  double at(const std::string &name, int64_t index) const { return weights.find(name)->second.get(index); }

  static double dot(const Row &a, const Row &b, int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += a[i] * b[i];
    return sum;
  }

  Matrix linear(const std::string &name, const Matrix &x, int64_t outputs) const {
    Matrix y(x.size(), Row(outputs));
    for (size_t s = 0; s < x.size(); ++s)
      for (int64_t o = 0; o < outputs; ++o) {
        y[s][o] = at(name + ".bias", o);
        for (size_t i = 0; i < x[s].size(); ++i)
          y[s][o] += x[s][i] * at(name + ".weight", o * static_cast<int64_t>(x[s].size()) + static_cast<int64_t>(i));
      }
    return y;
  }

  Matrix norm(const std::string &name, Matrix x) const {
    for (Row &row : x) {
      double mean = 0, variance = 0;
      for (double value : row) mean += value / static_cast<double>(c.width);
      for (double value : row) variance += (value - mean) * (value - mean) / static_cast<double>(c.width);
      for (int64_t i = 0; i < c.width; ++i)
        row[i] = (row[i] - mean) / std::sqrt(variance + 1e-12) * at(name + ".weight", i) + at(name + ".bias", i);
    }
    return x;
  }

  Matrix attention(const std::string &name, const Matrix &x) const {
    const Matrix q = linear(name + ".query", x, c.width), k = linear(name + ".key", x, c.width),
                 v = linear(name + ".value", x, c.width);
    const int64_t size = c.width / c.heads;
    Matrix mixed(x.size(), Row(c.width));
    for (int64_t begin = 0; begin < c.width; begin += size)
      for (size_t s = 0; s < x.size(); ++s) {
        Row weight(x.size());
        double sum = 0;
        for (size_t t = 0; t < x.size(); ++t)
          weight[t] = dot(q[s], k[t], begin, begin + size) / std::sqrt(static_cast<double>(size));
        const double largest = *std::ranges::max_element(weight);
        for (double &value : weight) sum += value = std::exp(value - largest);
        for (size_t t = 0; t < x.size(); ++t)
          for (int64_t i = begin; i < begin + size; ++i) mixed[s][i] += weight[t] / sum * v[t][i];
      }
    return mixed;
  }

  static Matrix sum(Matrix a, const Matrix &b) {
    for (size_t s = 0; s < a.size(); ++s)
      for (size_t i = 0; i < a[s].size(); ++i) a[s][i] += b[s][i];
    return a;
  }

  Matrix layer(const std::string &name, const Matrix &x) const {
    const Matrix attended = linear(name + ".attention.output.dense", attention(name + ".attention.self", x), c.width);
    const Matrix y = norm(name + ".attention.output.LayerNorm", sum(attended, x));
    Matrix hidden = linear(name + ".intermediate.dense", y, c.hidden);
    for (Row &row : hidden)
      for (double &value : row) value = value / 2 * (1 + std::erf(value / std::sqrt(2.0)));
    return norm(name + ".output.LayerNorm", sum(linear(name + ".output.dense", hidden, c.width), y));
  }
};

} // namespace minilm::reference
