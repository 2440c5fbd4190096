// What lit cannot hold: time, depth, and properties over random graphs.
#include "passes/interp/Interpreter.h"
#include "tests/passes/GraphKit.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <time.h>

namespace kiln::test {
namespace {

/// Seconds of this thread's work so far; other processes do not count.
double workSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Seconds of graph-fuse on a graph, the best of a few.
double secondsToFuse(const std::string &text, size_t *kernels = nullptr) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    GraphKit kit;
    kit.parse(text);
    double start = workSeconds();
    EXPECT_TRUE(kit.fuse());
    best = std::min(best, workSeconds() - start);
    if (kernels) *kernels = kit.kernels().size();
  }
  return best;
}

/// How much longer the large graph takes: the median of rounds in turn. A machine that is slow for a second is slow for
/// both.
double ratioOf(const std::string &large, const std::string &small, size_t *kernels = nullptr) {
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    double half = secondsToFuse(small);
    ratios.push_back(secondsToFuse(large, kernels) / half);
  }
  std::nth_element(ratios.begin(), ratios.begin() + 2, ratios.end());
  return ratios[2];
}

TEST(Fuse, TimeIsNearLinearInRandomGraphs) {
  size_t kernels = 0;
  double ratio = ratioOf(randomDag(5000, 50, 7), randomDag(2500, 50, 7), &kernels);
  std::cout << "time(5000) / time(2500) = " << ratio << ", " << kernels << " kernels\n";
  EXPECT_LT(ratio, 2.3);
  EXPECT_LT(kernels, 100u);
}

TEST(Fuse, ChainsOfAnyLength) {
  size_t kernels = 0;
  double time = secondsToFuse(chain(2000), &kernels);
  std::cout << "chain of 2000: " << time * 1e3 << " ms\n";
  EXPECT_EQ(kernels, 4u); // of 512 ops at most
  GraphKit kit;
  kit.parse(chain(20000));
  ASSERT_TRUE(kit.fuse());
  EXPECT_EQ(kit.kernels().size(), 40u);
}

TEST(Fuse, KernelsThatWereTooLargeAreMadeSmaller) {
  graph::KernelSizes sizes;
  std::vector<size_t> found;
  std::string reason = "too many registers";
  do {
    GraphKit kit;
    kit.parse(chain(9));
    kit.sizes = sizes;
    ASSERT_TRUE(kit.fuse());
    found.push_back(kit.kernels().size());
    auto isRefused = [](auto &d) { return !d.refused.empty() && d.refused[0].rule == "resources"; };
    bool refused = llvm::any_of(kit.decisions, isRefused);
    EXPECT_EQ(refused, found.size() > 1);
    for (const Decision &d : kit.decisions)
      if (isRefused(d)) EXPECT_NE(d.refused[0].reason.find(reason), std::string::npos) << d.text();
    sizes = kit.sizes;
  } while (sizes.shrink(0, reason));
  EXPECT_EQ(sizes.nodesOf[0].size(), 1u); // what is one op is not made smaller
  EXPECT_EQ(found.front(), 1u);
  EXPECT_TRUE(llvm::is_sorted(found)) << "kernels become no larger";
  EXPECT_GT(found.size(), 3u);
}

TEST(Fuse, ViewsInALongChainStayLinear) {
  constexpr const char *kOps = "%t = graph.transpose %a perm [1, 0] : T -> T\n  %r = arith.addf %t, %x : T";
  double ratio = ratioOf(chain(4000, kOps, "tensor<8x8xf32>"), chain(2000, kOps, "tensor<8x8xf32>"));
  std::cout << "views: time(4000) / time(2000) = " << ratio << "\n";
  EXPECT_LT(ratio, 2.5);
}

TEST(Fuse, DoublingSixtyTimesIsOneKernel) {
  GraphKit kit;
  kit.parse(chain(60, "%r = arith.addf %a, %a : T"));
  ASSERT_TRUE(kit.fuse());
  ASSERT_EQ(kit.kernels().size(), 1u);
  EXPECT_EQ(std::distance(kit.kernels()[0].getBody().front().begin(), kit.kernels()[0].getBody().front().end()), 62);
}

/// Random graphs of views, reductions, matmuls and elementwise ops over 16x16 tensors.
std::string mixedDag(int count, unsigned seed) {
  constexpr const char *kSquare = "tensor<16x16xf32>", *kRow = "tensor<16xf32>";
  std::mt19937 random(seed);
  std::string text = fmt::format("func.func @main(%v0: {0}, %v1: {0}) -> ({0}, {0}, {0}) {{\n", kSquare);
  for (int i = 2; i < count + 2; ++i) {
    auto any = [&] { return random() % unsigned(i); };
    unsigned a = any(), b = any(), axis = random() % 2;
    switch (random() % 8) {
    case 0:
      text += fmt::format("  %v{} = graph.transpose %v{} perm [1, 0] : {} -> {}\n", i, a, kSquare, kSquare);
      break;
    case 1:
      text += fmt::format("  %r{0} = graph.reduce <max> %v{1} axes [{2}] : {3} -> {4}\n  %b{0} = graph.broadcast %r{0} "
                          "dims [{5}] : {4} -> {3}\n"
                          "  %v{0} = arith.subf %v{6}, %b{0} : {3}\n",
                          i, a, axis, kSquare, kRow, 1 - axis, b);
      break;
    case 2:
      text += fmt::format("  %v{0} = graph.matmul %v{1}, %v{2} : ({3}, {3}) -> {3}\n", i, a, b, kSquare);
      break;
    case 3:
      text += fmt::format("  %v{} = math.exp %v{} : {}\n", i, a, kSquare);
      break;
    case 4:
      text += fmt::format("  %s{0} = graph.slice %v{1} from [0, 0] to [16, 8] step [1, 1] : {2} -> tensor<16x8xf32>\n"
                          "  %v{0} = graph.concat %s{0}, %s{0} axis 1 : (tensor<16x8xf32>, tensor<16x8xf32>) -> {2}\n",
                          i, a, kSquare);
      break;
    default:
      text += fmt::format("  %v{} = arith.addf %v{}, %v{} : {}\n", i, a, b, kSquare);
    }
  }
  return text + fmt::format("  return %v{1}, %v{2}, %v{3} : {0}, {0}, {0}\n}}\n", kSquare, count + 1, count, count / 2);
}

/// Every kernel comes after what it needs (the verifier's dominance), and every edge between kernels has its reason.
TEST(Fuse, RandomGraphsStayAcyclicAndEveryEdgeIsExplained) {
  size_t kernels = 0, ops = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    GraphKit kit;
    kit.parse(mixedDag(40, seed));
    ASSERT_TRUE(kit.compile(true)) << mixedDag(40, seed);
    ASSERT_TRUE(kit.verify()) << mixedDag(40, seed);
    std::set<std::pair<int, int>> explained;
    for (const Decision &d : kit.decisions) {
      int producer = d.subject.at(0).kernel, consumer = d.subject.at(1).kernel;
      bool merged = d.chosen.name == "merged";
      EXPECT_EQ(merged, producer == consumer);
      EXPECT_EQ(d.refused.size(), merged ? 0u : 1u);
      const DecisionOption &merge = merged ? d.chosen : d.refused[0];
      EXPECT_EQ(merged, merge.rule == "on-chip");
      EXPECT_GT(merge.numbers.at(0).value, 0);
      EXPECT_TRUE(llvm::any_of(graph::fusionRules(), [&](auto &rule) { return rule.name == merge.rule; }));
      explained.insert({producer, consumer});
    }
    auto all = kit.kernels();
    kernels += all.size();
    for (size_t consumer = 0; consumer < all.size(); ++consumer) {
      ops += static_cast<size_t>(llvm::range_size(all[consumer].getBody().front())) - 1;
      for (mlir::Value input : all[consumer].getInputs())
        if (auto producer = input.getDefiningOp<graph::KernelOp>()) {
          int from = static_cast<int>(llvm::find(all, producer) - all.begin());
          EXPECT_TRUE(explained.contains({from, static_cast<int>(consumer)})) << "seed " << seed;
        }
    }
  }
  EXPECT_LT(kernels * 2, ops);
}

/// The results of a graph, before or after fusion, on fixed random inputs.
std::vector<HostTensor> resultsOf(mlir::func::FuncOp function) {
  std::vector<interp::OracleTensor> inputs;
  for (uint64_t seed : {1, 2})
    inputs.push_back(interp::OracleTensor::fromHost(HostTensor::randomNormal({16, 16}, DType::F32, seed)));
  auto results = interp::interpret(function, inputs);
  std::vector<HostTensor> tensors;
  if (succeeded(results))
    for (const interp::OracleTensor &result : *results) tensors.push_back(result.toHost());
  return tensors;
}

TEST(Fuse, FusedAndUnfusedGraphsComputeTheSameBits) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    GraphKit plain;
    plain.parse(mixedDag(30, seed));
    std::vector<HostTensor> expected = resultsOf(plain.function());
    ASSERT_EQ(expected.size(), 3u);
    for (bool fuse : {true, false}) {
      GraphKit kit;
      kit.parse(mixedDag(30, seed));
      ASSERT_TRUE(kit.compile(fuse));
      std::vector<HostTensor> found = resultsOf(kit.function());
      ASSERT_EQ(found.size(), 3u);
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(bitEqual(expected[i], found[i])) << "seed " << seed << ", result " << i;
    }
  }
}

} // namespace
} // namespace kiln::test
