#include "examples/minilm/Model.h"

#include <kiln/Ops.h>

#include <cmath>
#include <limits>
#include <string>

using kiln::Tensor;

namespace minilm {
namespace {

/// Two things keep kernels few: all tokens are rows of one matrix [B·S, D], so that a linear layer is one plain matmul;
/// and heads are views, so that taking them apart and together moves nothing.
class Builder {
public:
  Builder(kiln::Graph &g, const Config &config) : g(g), c(config) {}

  void model() {
    Tensor ids = g.input("ids", {c.sentences, c.length}, kiln::i32);
    Tensor mask = g.input("mask", {c.sentences, c.length}, kiln::i32);
    Tensor x = embeddings(ids);
    for (int64_t i = 0; i < c.layers; ++i) x = layer("encoder.layer." + std::to_string(i), x, mask);
    g.output("embeddings", normalized(meanOverTokens(x, mask)));
  }

private:
  kiln::Graph &g;
  const Config &c;

  /// x · Wᵀ + b; the weights file keeps W as [out, in].
  Tensor linear(const std::string &name, const Tensor &x, int64_t outputs) {
    Tensor weight = g.parameter(name + ".weight", {outputs, x.extent(-1)});
    Tensor bias = g.parameter(name + ".bias", {outputs});
    return matmul(x, weight, {.transposeB = true}) + bias;
  }

  Tensor norm(const std::string &name, const Tensor &x) {
    Tensor scale = g.parameter(name + ".weight", {c.width});
    Tensor bias = g.parameter(name + ".bias", {c.width});
    return layerNorm(x, scale, bias, 1e-12);
  }

  /// Word, position and token type (all tokens are of type 0) -> [B·S, D].
  Tensor embeddings(const Tensor &ids) {
    Tensor words = g.parameter("embeddings.word_embeddings.weight", {c.vocabulary, c.width});
    Tensor positions = g.parameter("embeddings.position_embeddings.weight", {c.positions, c.width});
    Tensor types = g.parameter("embeddings.token_type_embeddings.weight", {2, c.width});
    Tensor x = gather(words, ids) + sliceAxis(positions, 0, 0, c.length) + sliceAxis(types, 0, 0, 1);
    return norm("embeddings.LayerNorm", reshape(x, {c.sentences * c.length, c.width}));
  }

  /// [B·S, D] -> [B, H, S, d].
  Tensor heads(const Tensor &x) {
    return permute(reshape(x, {c.sentences, c.length, c.heads, c.width / c.heads}), {0, 2, 1, 3});
  }

  Tensor attention(const std::string &name, const Tensor &x, const Tensor &mask) {
    Tensor q = heads(linear(name + ".query", x, c.width));
    Tensor k = heads(linear(name + ".key", x, c.width));
    Tensor v = heads(linear(name + ".value", x, c.width));
    Tensor scores = matmul(q, k, {.transposeB = true}) / std::sqrt(static_cast<double>(c.width / c.heads));
    // A finite number: exp makes it 0 just the same, and a row of nothing but padding would still be defined.
    Tensor isToken = reshape(mask, {c.sentences, 1, 1, c.length}) == 1;
    Tensor weights = softmax(where(isToken, scores, std::numeric_limits<float>::lowest()));
    Tensor mixed = permute(matmul(weights, v), {0, 2, 1, 3});
    return reshape(mixed, {c.sentences * c.length, c.width});
  }

  Tensor layer(const std::string &name, const Tensor &x, const Tensor &mask) {
    Tensor attended = linear(name + ".attention.output.dense", attention(name + ".attention.self", x, mask), c.width);
    Tensor y = norm(name + ".attention.output.LayerNorm", x + attended);
    Tensor hidden = gelu(linear(name + ".intermediate.dense", y, c.hidden));
    return norm(name + ".output.LayerNorm", y + linear(name + ".output.dense", hidden, c.width));
  }

  /// The mean of a sentence's vectors, padding left out -> [B, D].
  Tensor meanOverTokens(const Tensor &x, const Tensor &mask) {
    Tensor isToken = cast(reshape(mask, {c.sentences, c.length, 1}), kiln::f32);
    Tensor vectors = reshape(x, {c.sentences, c.length, c.width});
    return sum(vectors * isToken, 1) / sum(isToken, 1);
  }

  /// Each row divided by its length.
  Tensor normalized(const Tensor &x) { return x / sqrt(sum(x * x, -1, /*keepDims=*/true)); }
};

} // namespace

void build(kiln::Graph &g, const Config &config) { Builder(g, config).model(); }

} // namespace minilm
