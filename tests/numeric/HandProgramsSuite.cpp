// The programs of examples/tile and their steps, interpreted on small shapes that fit no tile: each gives what its
// formula says, the same bits whoever goes first and whenever copies land.
#include "tests/numeric/HandReferences.h"
#include "tests/numeric/tiles/Machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <set>

using namespace kiln;
using namespace kiln::numeric;

namespace {

struct Case {
  const char *file;
  Reference reference;
  std::vector<Bindings> shapes;
};

Bindings mnk(int64_t m, int64_t n, int64_t k) { return {{"M", m}, {"N", n}, {"K", k}}; }
Bindings heads(int64_t b, int64_t h, int64_t s) { return {{"B", b}, {"H", h}, {"S", s}, {"D", 128}}; }
Bindings cache(int64_t b, int64_t hq, int64_t hkv, int64_t s) {
  return {{"B", b}, {"Hq", hq}, {"Hkv", hkv}, {"S", s}, {"D", 128}};
}
Bindings rowsOf(int64_t r, int64_t n) { return {{"R", r}, {"N", n}}; }

// Copies by tensor maps take rows of whole 16 bytes; what else is odd is.
const std::vector<Bindings> kMatmuls = {mnk(1, 8, 8), mnk(131, 264, 200), mnk(257, 520, 72)};

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"matmul_cooperative", matmulNT, kMatmuls},
      {"matmul_cooperative_nn", matmulNN, kMatmuls},
      {"matmul_pingpong", matmulNT, kMatmuls},
      {"matmul_odd", matmulNT, {mnk(1, 1, 8), mnk(131, 195, 200), mnk(1025, 391, 72)}},
      {"matmul_sm80", matmulNN, {mnk(1, 8, 8), mnk(131, 264, 200)}},
      {"steps/matmul_1_plain", matmulNT, {mnk(67, 264, 136)}},
      {"steps/matmul_2_ring", matmulNT, {mnk(67, 264, 328)}},
      {"steps/matmul_3_roles", matmulNT, {mnk(131, 264, 136)}},
      {"steps/odd_1_words", matmulNT, {mnk(131, 195, 200)}},
      {"steps/sm80_1_plain", matmulNN, {mnk(131, 264, 136)}},
      {"steps/sm80_2_ring", matmulNN, {mnk(131, 264, 264)}},
      {"steps/sm80_3_ahead", matmulNN, {mnk(131, 264, 200)}},
      {"attention", attention, {heads(1, 1, 1), heads(1, 2, 200), heads(2, 1, 300)}},
      {"attention_causal", attentionCausal, {heads(1, 1, 1), heads(1, 2, 200), heads(2, 1, 300)}},
      {"steps/attention_1_plain", attention, {heads(1, 1, 1), heads(1, 2, 200)}},
      {"decode", decode, {cache(1, 1, 1, 1), cache(2, 6, 2, 200), cache(1, 8, 1, 333)}},
      {"softmax", softmaxRows, {rowsOf(1, 8), rowsOf(70, 1000)}},
      {"steps/softmax_1_plain", softmaxRows, {rowsOf(3, 4096), rowsOf(2, 1000)}},
      {"multicast", matmulNT, kMatmuls},
  };
  return all;
}

std::string spellShape(const Bindings &extents) {
  std::vector<std::string> parts;
  for (const auto &[name, extent] : extents) parts.push_back(fmt::format("{}={}", name, extent));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Six launches: each mood of copies, one to three CTAs at a time, from either end.
void check(const HandProgram &program, const Case &one, const Bindings &extents) {
  std::vector<HostTensor> inputs = program.makeInputs(extents, 11);
  HostTensor first;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    HandLaunch launch{
        .extents = extents, .sms = static_cast<int64_t>(1 + seed % 4), .seed = seed, .backwards = seed % 2 == 1};
    HandRun run = program.run(inputs, launch);
    ASSERT_TRUE(run.reason.empty()) << "seed " << seed << ": " << run.reason;
    ASSERT_EQ(run.results.size(), 1u);
    if (seed == 0) {
      first = run.results[0];
      EXPECT_EQ(firstFarFrom(one.reference(inputs), first), "");
    } else {
      EXPECT_EQ(firstDifference(first, run.results[0], NaNs::AllEqual), std::nullopt) << "seed " << seed;
    }
  }
}

class HandProgramsOf : public testing::TestWithParam<size_t> {};

TEST_P(HandProgramsOf, GiveWhatTheirFormulaSays) {
  const Case &one = cases()[GetParam()];
  auto context = makeContext();
  HandProgram program(*context, readProgram(one.file), targetOfProgram(one.file));
  for (const Bindings &extents : one.shapes) {
    SCOPED_TRACE(fmt::format("{} {}", one.file, spellShape(extents)));
    check(program, one, extents);
  }
}

TEST(HandPrograms, EveryOpHasARow) {
  // What is around a program, and what `tile-expand` spells out.
  const std::set<std::string> others = {"tile.kernel",  "tile.return",       "tile.index",        "tile.size",
                                        "tile.unravel", "tile.fold_columns", "tile.mask_columns", "tile.async_load"};
  auto context = makeContext();
  int64_t rows = 0;
  for (mlir::RegisteredOperationName op : context->getRegisteredOperations()) {
    if (op.getDialectNamespace() != "tile") continue;
    EXPECT_NE(tiles::findRow(op.getStringRef()) != nullptr, others.contains(op.getStringRef().str()))
        << op.getStringRef().str();
    ++rows;
  }
  EXPECT_GT(rows, 40);
}

/// C = 2·A·Bᵀ in f32, D = A.
TEST(HandPrograms, SeeWhatThreadsWrote) {
  auto context = makeContext();
  HandProgram program(*context, readProgram("written_by_threads"), "sm_90a");
  std::vector<HostTensor> inputs = program.makeInputs({}, 7);
  Exact product = matmulNT(inputs);
  for (uint64_t seed = 0; seed < 6; ++seed) {
    HandRun run = program.run(inputs, {.seed = seed});
    ASSERT_TRUE(run.reason.empty()) << "seed " << seed << ": " << run.reason;
    for (int64_t i = 0; i < run.results[0].size(); ++i)
      ASSERT_NEAR(run.results[0].get(i), 2 * product.values[static_cast<size_t>(i)], 1e-3);
    for (int64_t i = 0; i < run.results[1].size(); ++i) ASSERT_EQ(run.results[1].get(i), inputs[0].get(i));
  }
}

/// Memory adds to what the store before has written, if it has: the wait says so.
TEST(HandPrograms, AStoreThatIsNotDoneIsNotSeen) {
  auto context = makeContext();
  HandProgram program(*context, readProgram("written_by_threads"), "sm_90a", [](mlir::ModuleOp module) {
    module.walk([](tile::TmaStoreWaitOp wait) { wait.setWritten(false); });
    return true;
  });
  std::vector<HostTensor> inputs = program.makeInputs({}, 7);
  HandRun first = program.run(inputs, {.seed = 0});
  bool differs = false;
  for (uint64_t seed = 1; seed < 8; ++seed)
    differs |=
        firstDifference(first.results[0], program.run(inputs, {.seed = seed}).results[0], NaNs::AllEqual).has_value();
  EXPECT_TRUE(differs);
}

std::string nameOf(const testing::TestParamInfo<size_t> &info) {
  std::string name = cases()[info.param].file;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(, HandProgramsOf, testing::Range(size_t(0), cases().size()), nameOf);

} // namespace
