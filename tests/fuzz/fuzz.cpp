// Draws random graphs and checks each: fused and not, every kernel against the interpreter, equal bits. Prints what the
// graphs covered, and every graph that failed as text that `kiln run` and kiln-opt read.
#include "tests/fuzz/RandomGraph.h"
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

using namespace kiln;

namespace {

struct Settings {
  uint64_t seed = 1;
  int count = 100;
  bool anchored = false, interpret = false, print = false, verbose = false, special = false;
  std::string target;
  fuzz::RandomGraphOptions graphs;
};

bool checkSeed(numeric::GraphRunner &runner, uint64_t seed, const Settings &settings,
               std::map<std::string, int> &coverage) {
  fuzz::RandomGraph random = fuzz::makeRandomGraph(seed, settings.graphs);
  for (auto &[name, count] : random.used) coverage[name] += count;
  if (settings.print) std::printf("// seed %lu\n%s", seed, random.graph.mlir().c_str());
  std::vector<numeric::InputSet> inputs = {numeric::makeInputs(random.graph, numeric::Flavour::Normal, seed)};
  if (settings.special) inputs.push_back(numeric::makeInputs(random.graph, numeric::Flavour::Special, seed));
  numeric::GraphOutcome outcome = runner.check(random.graph, inputs);
  if (settings.verbose)
    std::printf("seed %lu: %d ops, %ld kernels (%ld unfused)\n", seed, random.ops, outcome.fusedKernels,
                outcome.singleKernels);
  if (outcome.passed()) return true;
  std::printf("seed %lu fails: %s\n(%zu failures)\n%s\n", seed, outcome.failures[0].c_str(), outcome.failures.size(),
              random.graph.mlir().c_str());
  return false;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  CLI::App app("Checks random graphs: fused and with one kernel per op, against the interpreter and each other.");
  app.add_option("--seed", settings.seed, "first seed")->capture_default_str();
  app.add_option("--count", settings.count, "how many seeds")->capture_default_str();
  app.add_option("--min-ops", settings.graphs.minOps, "fewest draws of an op")->capture_default_str();
  app.add_option("--max-ops", settings.graphs.maxOps, "most draws of an op")->capture_default_str();
  app.add_option("--max-elements", settings.graphs.maxElements, "most elements of a tensor")->capture_default_str();
  app.add_option("--target", settings.target, "row of ir/target, else the best of this machine's processor");
  app.add_flag("--interpret", settings.interpret, "interpret tile programs of a gpu target instead of running them");
  app.add_flag("--anchored", settings.graphs.anchored, "a matmul or a reduction in every graph");
  app.add_flag("--special", settings.special, "also on inputs full of NaN, infinities and subnormals");
  app.add_flag("--print", settings.print, "print every graph");
  app.add_flag("--verbose", settings.verbose, "a line per graph");
  CLI11_PARSE(app, argc, argv);

  numeric::GraphRunner runner;
  runner.options.target = settings.target;
  runner.options.interpret = settings.interpret;
  std::map<std::string, int> coverage;
  int failed = 0;
  for (int i = 0; i < settings.count; ++i)
    failed += !checkSeed(runner, settings.seed + static_cast<uint64_t>(i), settings, coverage);
  std::printf("%s", runner.ledger.table().c_str());
  for (auto &[name, count] : coverage) std::printf("%-20s %6d\n", name.c_str(), count);
  std::printf("%d graphs, %d failed\n", settings.count, failed);
  return failed == 0 ? 0 : 4;
}
