// Runs the numeric cases, prints the table, and demands that every accepted op ran on every dtype it takes.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"
#include "tests/numeric/OpCases.h"

#include "ir/graph/AcceptedOps.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

/// One runner for all families: its ledger is the suite's, its kernels are shared.
class OpCases : public testing::Test {
protected:
  static void SetUpTestSuite() { runner = new GraphRunner(); }
  static void TearDownTestSuite() {
    std::printf("%s%ld kernels compiled in %.1f s\n", runner->ledger.table().c_str(), runner->runner().compiled(),
                runner->runner().compileSeconds());
    delete runner;
  }

  static void runAll(const std::vector<OpCase> &cases) {
    uint64_t seed = 1, number = 0, ran = 0;
    int failures = 0;
    for (const OpCase &opCase : cases) {
      Graph graph;
      opCase.build(graph);
      if (!part().has(number++)) {
        runner->skim(graph);
        continue;
      }
      ++ran;
      std::vector<InputSet> inputs;
      for (Flavour flavour : kFlavours)
        if (flavour == Flavour::Normal || !opCase.tame) inputs.push_back(makeInputs(graph, flavour, seed += 100));
      GraphOutcome outcome = runner->check(graph, inputs);
      if (outcome.passed()) continue;
      ADD_FAILURE() << opCase.name << ": " << outcome.failures[0] << "\n(" << outcome.failures.size() << " failures)";
      if (++failures == 20) FAIL() << "and so on";
    }
    std::printf("%zu of %zu cases\n", static_cast<size_t>(ran), cases.size());
  }

  static GraphRunner *runner;
};
GraphRunner *OpCases::runner = nullptr;

TEST_F(OpCases, Elementwise) { runAll(elementwiseCases()); }
TEST_F(OpCases, Broadcasts) { runAll(broadcastCases()); }
TEST_F(OpCases, Moves) { runAll(moveCases()); }
TEST_F(OpCases, Reductions) { runAll(reduceCases()); }
TEST_F(OpCases, Composites) { runAll(compositeCases()); }
TEST_F(OpCases, Matmuls) { runAll(matmulCases()); }
TEST_F(OpCases, Programs) { runAll(programCases()); }

// Runs after the families, in the order of declaration.
TEST_F(OpCases, EveryAcceptedOpRanOnEveryDtype) {
  for (const graph::AcceptedOp &row : graph::acceptedOps()) {
    ASSERT_TRUE(runner->ledger.executed(row.name.str())) << row.name.str() << " has no numeric case";
    if (row.opClass == graph::OpClass::Structure) continue;
    for (const graph::ElementRow &element : graph::elementRows()) {
      std::string type = element.bit == graph::kBool ? "i1" : element.name.str(); // as types print
      if ((row.operands | row.results) & element.bit & graph::kAll) // narrower ones have no programs on a cpu
        EXPECT_TRUE(runner->ledger.typesOf(row.name.str()).contains(type))
            << row.name.str() << " has no numeric case on " << type;
    }
  }
}

} // namespace
