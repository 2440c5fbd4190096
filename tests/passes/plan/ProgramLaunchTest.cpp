// Launches of tile programs: the kernel ABI with the numbers that shapes bind.
#include "passes/plan/Planner.h"
#include "tests/passes/GraphKit.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

using test::GraphKit;
using Kind = tile::KernelArgument::Kind;

/// c = f(a, b) with a scalar; what its launches pass is what a test says.
std::string graphOf(int64_t m, int64_t n, int64_t k) {
  return fmt::format(R"mlir(
    tile.kernel @mm(%a: !tile.global<?x?xbf16> {{tile.dims = ["M", "K"]}}, %b: !tile.global<?x?xbf16> {{tile.name = "b", tile.dims = ["N", "K"]}},
                    %c: !tile.global<?x?xf32> {{tile.dims = ["M", "N"]}}, %alpha: f32) grid "min(sms, ceildiv(M, 64) * N)" threads 128 {{
      %c0 = arith.constant 0 : index
      %u = tile.load %a[%c0] : !tile.global<?x?xbf16> -> bf16
      %v = tile.load %b[%c0] : !tile.global<?x?xbf16> -> bf16
      tile.store %alpha, %c[%c0] : f32, !tile.global<?x?xf32>
      tile.return
    }}
    func.func @main(%x: tensor<{0}x{2}xbf16> {{graph.name = "x"}}, %y: tensor<{1}x{2}xbf16> {{graph.name = "y"}}) -> (tensor<{0}x{1}xf32> {{graph.name = "z"}}) {{
      %0 = graph.custom_kernel @mm(%x, %y) scalars [0.5 : f32] : (tensor<{0}x{2}xbf16>, tensor<{1}x{2}xbf16>) -> tensor<{0}x{1}xf32>
      return %0 : tensor<{0}x{1}xf32>
    }})mlir",
                     m, n, k);
}

tile::KernelOp programOf(graph::KernelOp kernel) {
  return *kernel->getParentOfType<mlir::ModuleOp>().getOps<tile::KernelOp>().begin();
}

KernelLaunch mmLaunch(tile::KernelOp program, llvm::SmallVector<std::string> view) {
  KernelLaunch launch = launchOf(program);
  launch.symbol.clear();
  launch.cluster = 2;
  launch.pdl = true;
  launch.arguments.clear();
  for (unsigned i = 0; i < 3; ++i) launch.arguments.push_back({.kind = Kind::Buffer, .argument = i});
  launch.arguments.push_back({.kind = Kind::Extent, .name = "K"});
  launch.arguments.push_back({.kind = Kind::Stride, .argument = 2, .dim = 0});
  launch.arguments.push_back({.kind = Kind::Scalar, .argument = 3});
  tile::MapRecipe map{.argument = 1, .box = {64, 32}, .swizzle = 64, .l2 = 256};
  map.view = std::move(view);
  launch.arguments.push_back({.kind = Kind::Map, .argument = 1, .map = map});
  return launch;
}

mlir::FailureOr<LaunchPlan> planOf(GraphKit &kit, const std::string &text, llvm::SmallVector<std::string> view = {}) {
  kit.parse(text);
  EXPECT_TRUE(kit.compile(true));
  PlanOptions options{.target = "sm_90a"};
  options.launches = [&](graph::KernelOp kernel) -> mlir::FailureOr<KernelLaunches> {
    return KernelLaunches{mmLaunch(programOf(kernel), view)};
  };
  return planGraph(kit.function(), options);
}

TEST(ProgramLaunch, PassesWhatTheProgramAsksFor) {
  GraphKit kit;
  mlir::FailureOr<LaunchPlan> plan = planOf(kit, graphOf(100, 8, 96));
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  const auto &launch = std::get<LaunchStep>(plan->steps.at(0));
  EXPECT_EQ(launch.kernel.substr(0, 10), "custom_mm_");
  EXPECT_EQ(launch.label, "@mm");
  EXPECT_EQ(launch.grid[0].toString(), "min(sms, 16)");
  EXPECT_EQ(launch.cluster[0], 2);
  EXPECT_TRUE(launch.pdl);
  ASSERT_EQ(launch.args.size(), 7u);
  EXPECT_EQ(std::get<BufferArg>(launch.args[1]).buffer, 1);
  EXPECT_EQ(std::get<BufferArg>(launch.args[2]).access, Access::Write);
  EXPECT_EQ(std::get<ExprArg>(launch.args[3]).value.constant(), 96);
  EXPECT_EQ(std::get<ExprArg>(launch.args[4]).value.constant(), 8);
  EXPECT_EQ(std::get<ScalarArg>(launch.args[5]).bits, 0x3F000000u);
  const auto &map = std::get<TensorMapArg>(launch.args[6]);
  EXPECT_EQ(map.buffer, 1);
  EXPECT_EQ(map.dtype, bf16);
  EXPECT_EQ(recipeOf(map, {}), (TensorMapRecipe{bf16, {8, 96}, {96, 1}, {64, 32}, 64, 256}));
}

TEST(ProgramLaunch, AGridHasALimit) {
  auto planWith = [](const char *grid, const char *target) {
    GraphKit kit;
    kit.parse(graphOf(int64_t(1) << 31, 64, 8));
    EXPECT_TRUE(kit.compile(true));
    PlanOptions options{.target = target};
    options.launches = [&](graph::KernelOp kernel) -> mlir::FailureOr<KernelLaunches> {
      KernelLaunch launch = mmLaunch(programOf(kernel), {});
      launch.arguments.resize(3); // the tensors alone
      launch.grid = {Expr::parse(grid), 1, 1};
      return KernelLaunches{launch};
    };
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&kit.context(), [&](mlir::Diagnostic &diagnostic) {
      said += diagnostic.str();
      for (mlir::Diagnostic &note : diagnostic.getNotes()) said += "; " + note.str();
    });
    EXPECT_EQ(mlir::succeeded(planGraph(kit.function(), options)), said.empty());
    return said;
  };
  EXPECT_EQ(planWith("M - 1", "sm_90a"), "");
  EXPECT_EQ(planWith("min(sms, M)", "sm_90a"), "");
  EXPECT_EQ(planWith("M", "sm_90a"), "'graph.custom_kernel': a launch has no more CTAs than a gpu counts to, and than "
                                     "fit in 64 bits; expected: at most 2147483647; found: 2147483648; try: smaller "
                                     "tensors, or larger tiles");
  EXPECT_EQ(planWith("M", "cpu"), "") << "which counts further";
  for (const char *target : {"sm_90a", "cpu"})
    EXPECT_NE(planWith("M * M * M", target).find("fit in 64 bits"), std::string::npos);
}

TEST(ProgramLaunch, AMapsTensorMayBeTakenForAnother) {
  GraphKit kit;
  // b is 24x8: eight of its rows are one of the map's.
  mlir::FailureOr<LaunchPlan> plan = planOf(kit, graphOf(100, 24, 8), {"floordiv(N, 8)", "8 * K"});
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  const auto &map = std::get<TensorMapArg>(std::get<LaunchStep>(plan->steps.at(0)).args[6]);
  EXPECT_EQ(recipeOf(map, {}), (TensorMapRecipe{bf16, {3, 64}, {64, 1}, {64, 32}, 64, 256}));
  // It reaches no further than the tensor.
  GraphKit other;
  mlir::FailureOr<LaunchPlan> far = planOf(other, graphOf(100, 20, 8), {"ceildiv(N, 8)", "8 * K"});
  ASSERT_TRUE(mlir::succeeded(far));
  ASSERT_EQ(verify(*far).size(), 1u);
  EXPECT_NE(verify(*far)[0].find("reaches out of buffer 1 `y`"), std::string::npos) << verify(*far)[0];
}

TEST(ProgramLaunch, SaysWhyATensorHasNoMap) {
  GraphKit kit;
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&kit.context(), [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes()) said += "\n" + note.str();
    return mlir::success();
  });
  EXPECT_TRUE(mlir::failed(planOf(kit, graphOf(100, 8, 97))));
  EXPECT_NE(said.find("`b` of @mm: the strides of a tensor behind a tensor map are multiples of 16 bytes"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("found: 97 elements in dimension 0"), std::string::npos) << said;
}

} // namespace
} // namespace kiln
