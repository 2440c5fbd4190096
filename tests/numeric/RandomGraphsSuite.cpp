// A hundred and more random graphs of fixed seeds. More of them: kiln-fuzz --seed N --count M.
#include "tests/fuzz/RandomGraph.h"
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

TEST(RandomGraphs, AreWithinBoundsAndFusionChangesNoBit) {
  GraphRunner runner;
  int graphs = 0, anchored = 0, failures = 0;
  int64_t fused = 0, single = 0;
  for (uint64_t seed = 1; seed <= 110; ++seed) {
    if (!part().has(seed)) continue;
    fuzz::RandomGraph random = fuzz::makeRandomGraph(seed, {.anchored = seed % 2 == 0});
    GraphOutcome outcome = runner.check(random.graph, {makeInputs(random.graph, Flavour::Normal, seed)});
    ++graphs;
    anchored += random.anchored;
    fused += outcome.fusedKernels;
    single += outcome.singleKernels;
    if (outcome.passed()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << outcome.failures[0] << "\n" << random.graph.mlir();
    if (++failures == 5) FAIL() << "and so on";
  }
  std::printf("%s%d graphs, %d with a matmul or a reduction; %ld kernels for %ld unfused\n",
              runner.ledger.table().c_str(), graphs, anchored, fused, single);
  EXPECT_GE(graphs, 100 / static_cast<int>(part().count));
  if (part().count == 1) EXPECT_GE(anchored, 30);
  EXPECT_LT(fused, single);
}

TEST(RandomGraphs, AreAFunctionOfTheirSeed) {
  EXPECT_EQ(fuzz::makeRandomGraph(7).graph.mlir(), fuzz::makeRandomGraph(7).graph.mlir());
  EXPECT_NE(fuzz::makeRandomGraph(7).graph.mlir(), fuzz::makeRandomGraph(8).graph.mlir());
}

// NaN, infinities and subnormals through whole graphs: what each kernel makes of them is judged, and bits still agree.
TEST(RandomGraphs, SurviveSpecialValues) {
  GraphRunner runner;
  for (uint64_t seed = 1001; seed <= 1020; ++seed) {
    if (!part().has(seed)) continue;
    fuzz::RandomGraph random = fuzz::makeRandomGraph(seed, {.maxOps = 20});
    GraphOutcome outcome = runner.check(random.graph, {makeInputs(random.graph, Flavour::Special, seed)});
    EXPECT_TRUE(outcome.passed()) << "seed " << seed << ": " << outcome.failures[0] << "\n" << random.graph.mlir();
  }
}

} // namespace
