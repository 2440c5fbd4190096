// The model against what the reference implementation recorded for the published weights (skipped without them), and
// with random weights against itself: kernels per layer, padding, fusion.

#include "examples/minilm/Model.h"
#include "examples/minilm/Assets.h"
#include "runtime/files/Npy.h"
#include "tests/examples/minilm/Reference.h"

#include <kiln/Compiler.h>
#include <kiln/Error.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

using namespace minilm;

namespace {

const std::string fixtures = KILN_SOURCE_DIR "/tests/examples/minilm/";
const std::string text = KILN_SOURCE_DIR "/examples/minilm/sentences.txt";

/// All the kinds of kernels of the real one, small.
const Config tiny = {.sentences = 3,
                     .length = 20,
                     .layers = 2,
                     .width = 48,
                     .heads = 3,
                     .hidden = 80,
                     .vocabulary = 61,
                     .positions = 32};

struct Model {
  kiln::Graph graph;
  kiln::Executable executable;

  explicit Model(const Config &config, bool fuse = true)
      : graph(built(config)), executable(kiln::compile(graph, {.fuse = fuse})) {
    bindWeights(executable, graph, "");
  }
  static kiln::Graph built(const Config &config) {
    kiln::Graph graph;
    build(graph, config);
    return graph;
  }
};

/// Sentences of 20, 7 and 1 tokens.
kiln::NamedTensors tinyInputs() {
  kiln::HostTensor ids = kiln::HostTensor::randomInt({3, 20}, kiln::i32, 5, 0, 60);
  kiln::HostTensor mask({3, 20}, kiln::i32);
  for (int64_t row = 0; int64_t length : {20, 7, 1}) {
    for (int64_t i = 0; i < length; ++i) mask.setInt(row * 20 + i, 1);
    ++row;
  }
  return {{"ids", ids}, {"mask", mask}};
}

TEST(MiniLM, EqualsTheReferenceInEveryElement) {
  if (!hasPublishedFiles(KILN_MINILM_CACHE))
    GTEST_SKIP() << KILN_MINILM_CACHE << " has no weights; examples/minilm/fetch_weights.py gets them";
  const std::vector<std::string> sentences = readSentences(text);
  const kiln::HostTensor recorded = kiln::readNpy(fixtures + "embeddings.npy");
  kiln::NamedTensors inputs = tokenize(sentences, 128, KILN_MINILM_CACHE);
  EXPECT_TRUE(bitEqual(inputs.at("ids"), kiln::readNpy(fixtures + "ids.npy")));
  EXPECT_TRUE(bitEqual(inputs.at("mask"), kiln::readNpy(fixtures + "mask.npy")));

  Model model({.sentences = static_cast<int64_t>(sentences.size())});
  bindWeights(model.executable, model.graph, KILN_MINILM_CACHE);
  kiln::HostTensor embeddings = model.executable.run(inputs).at("embeddings");
  ASSERT_EQ(embeddings.typeString(), recorded.typeString());
  double worst = 0;
  for (int64_t i = 0; i < embeddings.size(); ++i) {
    const double difference = std::abs(embeddings.get(i) - recorded.get(i));
    ASSERT_LE(difference, 1e-4) << "element " << i; // NaN fails as well
    worst = std::max(worst, difference);
  }
  RecordProperty("largest_difference", fmt::format("{:.3g}", worst));
}

TEST(MiniLM, EqualsTheFormulasWithRandomWeights) {
  Model model(tiny);
  kiln::NamedTensors weights;
  uint64_t seed = 100;
  for (const kiln::TensorInfo &info : model.graph.inputs()) {
    if (!info.parameter) continue;
    // Large enough for attention to choose between tokens.
    kiln::HostTensor value = kiln::HostTensor::randomNormal(info.shape, info.dtype, ++seed);
    for (int64_t i = 0; i < value.size(); ++i) value.set(i, 0.3 * value.get(i));
    model.executable.bind(info.name, value);
    weights[info.name] = value;
  }
  const kiln::NamedTensors inputs = tinyInputs();
  const kiln::HostTensor embeddings = model.executable.run(inputs).at("embeddings");
  for (int64_t row = 0; row < tiny.sentences; ++row) {
    std::vector<int64_t> ids;
    for (int64_t i = row * tiny.length; i < (row + 1) * tiny.length; ++i)
      if (inputs.at("mask").getInt(i)) ids.push_back(inputs.at("ids").getInt(i));
    const reference::Row expected = reference::Model(tiny, weights).embed(ids);
    for (int64_t i = 0; i < tiny.width; ++i)
      ASSERT_LE(std::abs(embeddings.get(row * tiny.width + i) - expected[i]), 1e-5) << "sentence " << row << ", " << i;
  }
}

TEST(MiniLM, ALayerIsElevenKernels) {
  auto launches = [](int64_t layers) {
    Config config = tiny;
    config.layers = layers;
    return Model(config).executable.report().launches.size();
  };
  // Query, key, value; scores; softmax; values; output + residual; norm; hidden + gelu; hidden + residual; norm.
  EXPECT_EQ(launches(2) - launches(1), 11U);
}

size_t launchesIn(const kiln::CheckReport &report) {
  std::set<int> launches;
  for (const kiln::KernelCheck &kernel : report.kernels) launches.insert(kernel.launch);
  return launches.size();
}

TEST(MiniLM, EveryKernelIsWithinTheInterpretersBounds) {
  Model model(tiny);
  kiln::CheckReport all = model.executable.check(tinyInputs());
  EXPECT_TRUE(all.passed()) << all.summary();
  EXPECT_EQ(launchesIn(all), model.executable.report().launches.size());
  kiln::CheckReport distinct = model.executable.check(tinyInputs(), kiln::CheckScope::EveryKernel);
  EXPECT_TRUE(distinct.passed()) << distinct.summary();
  EXPECT_EQ(launchesIn(distinct), model.executable.report().kernels.size());
  EXPECT_LT(launchesIn(distinct), launchesIn(all));
}

TEST(MiniLM, FusionChangesNoBit) {
  kiln::HostTensor fused = Model(tiny).executable.run(tinyInputs()).at("embeddings");
  EXPECT_TRUE(bitEqual(fused, Model(tiny, false).executable.run(tinyInputs()).at("embeddings")));
}

TEST(MiniLM, EmbeddingsHaveLengthOneAndDoNotSeePadding) {
  Model model(tiny);
  kiln::NamedTensors inputs = tinyInputs();
  kiln::HostTensor before = model.executable.run(inputs).at("embeddings");
  for (int64_t row = 0; row < 3; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < tiny.width; ++i) squares += std::pow(before.get(row * tiny.width + i), 2);
    EXPECT_NEAR(squares, 1, 1e-5);
  }
  kiln::HostTensor ids = inputs.at("ids").clone();
  for (int64_t i = 0; i < ids.size(); ++i)
    if (inputs.at("mask").getInt(i) == 0) ids.setInt(i, 60 - ids.getInt(i));
  inputs["ids"] = ids;
  EXPECT_TRUE(bitEqual(before, model.executable.run(inputs).at("embeddings")));
  // A token that is not padding does matter.
  ids.setInt(0, (ids.getInt(0) + 1) % 61);
  EXPECT_FALSE(bitEqual(before, model.executable.run(inputs).at("embeddings")));
}

TEST(MiniLM, AnAbsentTextIsRefused) { EXPECT_THROW(readSentences(fixtures + "absent.txt"), kiln::Error); }

} // namespace
