#include "passes/plan/Planner.h"
#include "tests/passes/GraphKit.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

using test::GraphKit;

/// The plan of a graph; every kernel has a grid of one CTA.
LaunchPlan planOf(GraphKit &kit, const std::string &text, bool fuse = true, bool inPlace = true) {
  kit.parse(text);
  EXPECT_TRUE(kit.compile(fuse));
  PlanOptions options;
  options.inPlace = inPlace;
  options.launches = [](graph::KernelOp) { return mlir::FailureOr<KernelLaunches>(KernelLaunches(1)); };
  mlir::FailureOr<LaunchPlan> plan = planGraph(kit.function(), options);
  EXPECT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  return *plan;
}

TEST(Planner, WritesOutputsDirectly) {
  GraphKit kit;
  LaunchPlan plan = planOf(kit, R"(
    func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x8xf32> {graph.name = "w", graph.param}) -> (tensor<4x8xf32> {graph.name = "y"}) {
      %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %1 = graph.gelu <exact> %0 : tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    })");
  ASSERT_EQ(plan.buffers.size(), 3u);
  EXPECT_EQ(plan.buffers[1].kind, BufferKind::Parameter);
  EXPECT_EQ(plan.inputs, std::vector<BufferId>{0});
  EXPECT_EQ(plan.outputs, std::vector<BufferId>{2});
  EXPECT_EQ(plan.buffers[2].name, "y");
  ASSERT_EQ(plan.steps.size(), 1u);
  const auto &launch = std::get<LaunchStep>(plan.steps[0]);
  EXPECT_EQ(launch.label, "matmul gelu");
  EXPECT_EQ(launch.args.size(), 3u);
  EXPECT_EQ(plan.arenaBytes, Expr(0));
}

TEST(Planner, CopiesOutputsThatNoKernelWrites) {
  GraphKit kit;
  LaunchPlan plan = planOf(kit, R"(
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xi1>, tensor<0xf32>) {
      %y = math.exp %x : tensor<4xf32>
      %r = graph.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
      %c = arith.constant dense<[true, false]> : tensor<2xi1>
      %e = arith.constant dense<> : tensor<0xf32>
      return %y, %x, %y, %r, %c, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xi1>, tensor<0xf32>
    })");
  ASSERT_EQ(plan.steps.size(), 5u); // one launch; x, the second y, the reshaped x, the constant; nothing for no bytes
  EXPECT_TRUE(std::holds_alternative<LaunchStep>(plan.steps[0]));
  EXPECT_EQ(std::get<CopyStep>(plan.steps[1]).src.buffer, plan.inputs[0]);
  EXPECT_EQ(std::get<CopyStep>(plan.steps[2]).src.buffer, plan.outputs[0]);
  EXPECT_EQ(std::get<CopyStep>(plan.steps[3]).src.buffer, plan.inputs[0]);
  const PlanBuffer &constant = plan.buffers[static_cast<size_t>(std::get<CopyStep>(plan.steps[4]).src.buffer)];
  EXPECT_EQ(constant.kind, BufferKind::Constant);
  EXPECT_EQ(constant.constant.getInt(0), 1);
  EXPECT_EQ(constant.constant.getInt(1), 0);
}

constexpr const char *kChain = R"(
    func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = math.exp %x : tensor<64x64xf32>
      %1 = graph.transpose %0 perm [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
      %2 = math.sin %1 : tensor<64x64xf32>
      %3 = arith.addf %2, %x : tensor<64x64xf32>
      %4 = math.cos %3 : tensor<64x64xf32>
      return %4 : tensor<64x64xf32>
    })";

TEST(Planner, OverwritesDyingOperandsOnlyElementByElement) {
  GraphKit kit;
  LaunchPlan plan = planOf(kit, kChain, /*fuse=*/false);
  // exp, transpose, sin, add, cos (the output): a transpose may not overwrite what it reads; sin and add may.
  std::vector<BufferId> temporaries, aliases;
  for (const PlanBuffer &b : plan.buffers) {
    if (b.kind == BufferKind::Temporary) temporaries.push_back(b.id);
    if (b.aliasOf != kNoBuffer) aliases.push_back(b.id);
  }
  ASSERT_EQ(temporaries.size(), 4u);
  ASSERT_EQ(aliases, (std::vector<BufferId>{temporaries[2], temporaries[3]}));
  EXPECT_EQ(plan.buffers[static_cast<size_t>(aliases[1])].aliasOf, temporaries[1]);
  EXPECT_EQ(plan.arenaBytes, Expr(2 * 64 * 64 * 4));
}

TEST(Planner, NoAliasesWhenNotInPlace) {
  GraphKit kit;
  LaunchPlan plan = planOf(kit, kChain, /*fuse=*/false, /*inPlace=*/false);
  for (const PlanBuffer &b : plan.buffers) EXPECT_EQ(b.aliasOf, kNoBuffer);
  EXPECT_EQ(plan.arenaBytes, Expr(2 * 64 * 64 * 4));
}

TEST(Planner, AReshapedOperandDoesNotHideAnotherPlace) {
  GraphKit kit;
  // The kernel reads one memory twice, once transposed: it may not be overwritten.
  kit.parse(R"(
    func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = graph.kernel "pointwise" (%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32> attributes {symbol = "a"} {
        %e = math.exp %a : tensor<8x8xf32>
        graph.yield %e : tensor<8x8xf32>
      }
      %1 = graph.reshape %0 : tensor<8x8xf32> -> tensor<8x1x8xf32>
      %2 = graph.kernel "pointwise" (%a = %0 : tensor<8x8xf32>, %b = %1 : tensor<8x1x8xf32>) -> tensor<8x8xf32> attributes {symbol = "b"} {
        %t = graph.transpose %b perm [2, 1, 0] : tensor<8x1x8xf32> -> tensor<8x1x8xf32>
        %r = graph.reshape %t : tensor<8x1x8xf32> -> tensor<8x8xf32>
        %s = arith.addf %a, %r : tensor<8x8xf32>
        graph.yield %s : tensor<8x8xf32>
      }
      %3 = graph.kernel "pointwise" (%a = %2 : tensor<8x8xf32>) -> tensor<8x8xf32> attributes {symbol = "a"} {
        %e = math.exp %a : tensor<8x8xf32>
        graph.yield %e : tensor<8x8xf32>
      }
      return %3 : tensor<8x8xf32>
    })");
  PlanOptions options;
  options.launches = [](graph::KernelOp) { return mlir::FailureOr<KernelLaunches>(KernelLaunches(1)); };
  mlir::FailureOr<LaunchPlan> plan = planGraph(kit.function(), options);
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  for (const PlanBuffer &b : plan->buffers) EXPECT_EQ(b.aliasOf, kNoBuffer);
}

TEST(Planner, RandomGraphsGiveSoundPlans) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (bool fuse : {true, false}) {
      GraphKit kit;
      LaunchPlan plan = planOf(kit, test::randomDag(200, 5, seed), fuse);
      EXPECT_GE(plan.steps.size(), 1u);
    }
}

/// A kernel that writes %p with the given result layouts, and one that reads it with the given input layouts.
std::string padded(const std::string &result, const std::string &input, const std::string &returned = "%y") {
  return R"(func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
      %p = graph.kernel "pointwise" (%a = %x : tensor<6x5xf32>) -> tensor<6x5xf32> attributes {symbol = "k", )" +
         result + R"(} {
        graph.yield %a : tensor<6x5xf32>
      }
      %y = graph.kernel "pointwise" (%a = %p : tensor<6x5xf32>) -> tensor<6x5xf32> attributes {symbol = "l")" +
         input + R"(} {
        %v = math.absf %a : tensor<6x5xf32>
        graph.yield %v : tensor<6x5xf32>
      }
      return )" +
         returned + R"( : tensor<6x5xf32>
    })";
}
const std::string kResult = "result_layouts = [#graph.layout<strides = [8, 1]>]";
const std::string kInput = ", input_layouts = [#graph.layout<strides = [8, 1]>]";

/// What planGraph says of a function of kernels, or nothing if it makes a plan.
std::string refusal(const std::string &text) {
  GraphKit kit;
  kit.parse(text);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&kit.context(), [&](mlir::Diagnostic &d) { message = d.str(); });
  PlanOptions options;
  options.launches = [](graph::KernelOp) { return mlir::FailureOr<KernelLaunches>(KernelLaunches(1)); };
  EXPECT_EQ(mlir::failed(planGraph(kit.function(), options)), !message.empty());
  return message;
}

TEST(Planner, LaysTemporariesOutAsKernelsSay) {
  GraphKit kit;
  kit.parse(padded(kResult, kInput));
  PlanOptions options;
  options.launches = [](graph::KernelOp) { return mlir::FailureOr<KernelLaunches>(KernelLaunches(1)); };
  mlir::FailureOr<LaunchPlan> plan = planGraph(kit.function(), options);
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  const PlanBuffer &temporary = plan->buffers[2];
  EXPECT_EQ(temporary.kind, BufferKind::Temporary);
  EXPECT_EQ(temporary.strides, (std::vector<Expr>{8, 1}));
  EXPECT_EQ(temporary.bytes, Expr((5 * 8 + 5) * 4)); // no padding behind the last row
}

TEST(Planner, RefusesLayoutsThatDoNotMeet) {
  EXPECT_EQ(refusal(padded(kResult, kInput)), "");
  EXPECT_EQ(refusal(padded(kResult, "")), "operand 0 does not lie as its layout says");
  EXPECT_EQ(refusal(padded("result_layouts = [#graph.layout<strides = [5, 1]>]", kInput)),
            "operand 0 does not lie as its layout says");
  EXPECT_EQ(refusal(padded(kResult, kInput, "%p")), "result 0 is an output of the graph, which is dense");
  EXPECT_EQ(refusal(padded("result_layouts = [#graph.layout<strides = [8, 1] offset 4>]", kInput)),
            "a buffer starts at its first element and runs upwards");
}

TEST(Planner, PlansWhatOneLaunchLeavesForTheNext) {
  GraphKit kit;
  kit.parse(R"(
    func.func @main(%x: tensor<8x4xf32>) -> tensor<8xf32> {
      %0 = graph.reduce <sum> %x axes [1] : tensor<8x4xf32> -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  ASSERT_TRUE(kit.compile(true));
  auto type = tile::GlobalType::get(&kit.context(), {3, 8}, mlir::Float32Type::get(&kit.context()), {});
  // Tensors are operand 0, result 1, workspace 2; the launches pass some of them each.
  KernelLaunch first{.symbol = "first", .grid = {6, 1, 1}}, second{.symbol = "second", .grid = {2, 1, 1}};
  first.memories = {{0, Access::Read, "x", {}, {}}, {2, Access::Write, "w", type, {}}};
  second.memories = {{1, Access::Write, "y", {}, {}}, {2, Access::Read, "w", type, {}}};
  PlanOptions options;
  options.launches = [&](graph::KernelOp) { return mlir::FailureOr<KernelLaunches>(KernelLaunches{first, second}); };
  mlir::FailureOr<LaunchPlan> plan = planGraph(kit.function(), options);
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(verify(*plan), std::vector<std::string>());
  ASSERT_EQ(plan->steps.size(), 2u);
  const PlanBuffer &workspace = plan->buffers.at(2);
  EXPECT_EQ(workspace.name, "t0.w0");
  EXPECT_EQ(workspace.kind, BufferKind::Temporary);
  EXPECT_EQ(workspace.bytes, Expr(96));
  EXPECT_EQ(workspace.lifetime.firstStep, 0);
  EXPECT_EQ(workspace.lifetime.lastStep, 1);
  const auto &step = std::get<LaunchStep>(plan->steps[1]);
  EXPECT_EQ(step.kernel, "second");
  ASSERT_EQ(step.args.size(), 2u);
  EXPECT_EQ(std::get<BufferArg>(step.args[0]).buffer, 1);
  EXPECT_EQ(std::get<BufferArg>(step.args[1]).buffer, 2);
  EXPECT_EQ(std::get<BufferArg>(step.args[1]).access, Access::Read);
}

TEST(Planner, RefusesWhatIsNoKernel) {
  GraphKit kit;
  kit.parse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = math.exp %x : tensor<4xf32> return %0 : "
            "tensor<4xf32> }");
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&kit.context(), [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(mlir::failed(planGraph(kit.function(), {})));
  EXPECT_EQ(message, "'math.exp' is no step of a plan; run graph-fuse first");
}

} // namespace
} // namespace kiln
