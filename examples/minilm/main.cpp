/// Sentence embeddings on the CPU: compile all-MiniLM-L6-v2, show what fusion made of it, embed every line of a text
/// and print each line's nearest neighbour. `kiln-minilm --help` lists the options; with a subcommand (`kiln-minilm
/// explain`) it is the `kiln` tool on this model.

#include "examples/minilm/Assets.h"
#include "examples/minilm/Model.h"

#include <kiln/Compiler.h>
#include <kiln/Error.h>
#include <kiln/Main.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace {

using namespace minilm;

struct Options {
  std::string cache = KILN_MINILM_CACHE;
  std::string text = KILN_MINILM_TEXT;
  bool random = false;
  bool check = false;
  bool noFuse = false;
  int threads = 0;
  int runs = 5;
  int64_t layers = 6;
};

/// Runs `body` and returns its wall-clock seconds.
template <typename Body> double seconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double dot(const kiln::HostTensor &rows, int64_t a, int64_t b) {
  const int64_t width = rows.shape()[1];
  const float *data = rows.data<float>();
  double sum = 0;
  for (int64_t i = 0; i < width; ++i) sum += static_cast<double>(data[a * width + i]) * data[b * width + i];
  return sum;
}

/// Prints every sentence with the one whose embedding is nearest. False if an embedding does not have the length 1.
bool printNeighbours(const std::vector<std::string> &sentences, const kiln::HostTensor &embeddings) {
  const auto count = static_cast<int64_t>(sentences.size());
  bool unit = true;
  fmt::print("Nearest neighbours, by cosine:\n");
  for (int64_t i = 0; i < count; ++i) {
    int64_t best = -1;
    for (int64_t j = 0; j < count; ++j)
      if (j != i && (best < 0 || dot(embeddings, i, j) > dot(embeddings, i, best))) best = j;
    fmt::print("  {:6.4f}  {}\n       =  {}\n", dot(embeddings, i, best), sentences[i], sentences[best]);
    // Written so that NaN fails too.
    if (!(std::abs(std::sqrt(dot(embeddings, i, i)) - 1) < 1e-5)) {
      fmt::print(stderr, "error: the embedding of line {} has the length {}\n", i + 1,
                 std::sqrt(dot(embeddings, i, i)));
      unit = false;
    }
  }
  return unit;
}

/// Holds every distinct kernel to the interpreter's bounds. False if one is outside.
bool printCheck(const kiln::Executable &executable, const kiln::NamedTensors &inputs) {
  fmt::print(stderr, "checking every distinct kernel against the interpreter ...\n");
  kiln::CheckReport report;
  const double time = seconds([&] { report = executable.check(inputs, kiln::CheckScope::EveryKernel); });
  fmt::print("Check against the interpreter, {:.1f} s: {}", time, report.summary());
  return report.passed();
}

int embed(const Options &options) {
  const std::string folder = !options.random && hasPublishedFiles(options.cache) ? options.cache : "";
  const std::vector<std::string> sentences = readSentences(options.text);
  const Config config = {.sentences = static_cast<int64_t>(sentences.size()), .layers = options.layers};
  fmt::print("all-MiniLM-L6-v2: {} sentences of up to {} tokens, {} layers\n", config.sentences, config.length,
             config.layers);
  if (folder.empty())
    fmt::print("Weights: random, from a seed ({}); the neighbours below mean nothing\n",
               options.random ? "as asked" : "no published weights in " + options.cache);
  else
    fmt::print("Weights: {}/model.safetensors\n", folder);

  kiln::Graph graph;
  build(graph, config);
  kiln::Executable executable = kiln::compile(graph, {.fuse = !options.noFuse, .threads = options.threads});
  bindWeights(executable, graph, folder);
  fmt::print("\n{}\n", executable.report().table());

  const kiln::NamedTensors inputs = tokenize(sentences, config.length, folder);
  kiln::HostTensor embeddings = executable.run(inputs).at("embeddings");
  std::vector<double> times;
  for (int i = 0; i < options.runs; ++i) times.push_back(seconds([&] { executable.run(inputs); }));
  std::ranges::sort(times);

  bool good = printNeighbours(sentences, embeddings);
  if (options.check) good &= printCheck(executable, inputs);
  const double median = times[times.size() / 2];
  fmt::print("Compile time {:.2f} s. Run time {:.1f} ms, median of {}: {:.0f} sentences/s.\n",
             executable.report().times.total, median * 1e3, times.size(),
             static_cast<double>(config.sentences) / median);
  return good ? 0 : static_cast<int>(kiln::ErrorCode::WrongResult);
}

int parseAndEmbed(int argc, char **argv) {
  Options options;
  CLI::App app{"Sentence embeddings with all-MiniLM-L6-v2, compiled by Kiln"};
  app.add_option("--cache", options.cache, "folder of the published weights and vocabulary")->capture_default_str();
  app.add_option("--text", options.text, "one sentence per line")->capture_default_str();
  app.add_flag("--random", options.random, "random weights, even if the published ones are there");
  app.add_option("--layers", options.layers, "how many of the model's layers to use")
      ->check(CLI::Range(1, 6))
      ->capture_default_str();
  app.add_flag("--check", options.check, "hold every distinct kernel to the interpreter's error bounds");
  app.add_flag("--no-fuse", options.noFuse, "one kernel per op; the results are the same, bit for bit");
  app.add_option("--threads", options.threads, "0 is one per hardware thread")->check(CLI::NonNegativeNumber);
  app.add_option("--runs", options.runs, "timed runs")->check(CLI::Range(1, 1000))->capture_default_str();
  app.footer(
      "With a subcommand first (run, dump, explain, ...; try `explain --help`) this is the kiln tool on the model.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) ? static_cast<int>(kiln::ErrorCode::Usage) : 0;
  }
  return embed(options);
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc > 1 && argv[1][0] != '-')
      return kiln::main(argc, argv, [](kiln::Graph &graph) { build(graph, {.sentences = 32}); });
    return parseAndEmbed(argc, argv);
  } catch (const kiln::Error &e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return static_cast<int>(e.code);
  } catch (const std::exception &e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return static_cast<int>(kiln::ErrorCode::InvalidInput);
  }
}
