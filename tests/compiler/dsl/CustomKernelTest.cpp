// Tile programs in graphs written in C++, and files of tile programs alone.
#include <kiln/Compiler.h>
#include <kiln/CustomKernel.h>
#include <kiln/Ops.h>

#include "tests/ErrorKit.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

using namespace test;

/// y = 2·x, element by element, for any number of them, on the cpu.
const char *const kTwice = R"(
tile.kernel @twice(%x: !tile.global<16x4xf32> {tile.name = "x", tile.dims = ["N", "M"]},
                   %y: !tile.global<16x4xf32> {tile.name = "y", tile.dims = ["N", "M"]}) grid 4 {
  %c16 = arith.constant 16 : index
  %cta = tile.cta_id
  %at = arith.muli %cta, %c16 : index
  %a = tile.load %x[%at] : !tile.global<16x4xf32> -> tensor<16xf32, #tile.simd>
  %b = arith.addf %a, %a : tensor<16xf32, #tile.simd>
  tile.store %b, %y[%at] : tensor<16xf32, #tile.simd>, !tile.global<16x4xf32>
  tile.return
}
)";

/// Of CTAs of threads, with run-time extents and a scalar: only a GPU runs it.
const char *const kScale = R"(
tile.kernel @scale(%x: !tile.global<?x?xf32> {tile.name = "x", tile.dims = ["N", "M"]},
                   %y: !tile.global<?x?xf32> {tile.dims = ["N", "M"]}, %factor: f32 {tile.name = "factor"})
    grid "N" threads 32 {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.global<?x?xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.store %a, %y[%c0] : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, !tile.global<?x?xf32>
  tile.return
}
)";

CustomKernel twice() {
  return {.source = kTwice, .orderClass = "exact", .reference = [](const std::vector<Tensor> &x) {
            return std::vector{x[0] + x[0]};
          }};
}

TEST(CustomKernel, RunsBetweenOtherKernels) {
  Graph g;
  Tensor x = g.input("x", {4, 16});
  g.output("y", exp(customKernel(twice(), {transpose(x)})[0]));
  EXPECT_EQ(g.outputs()[0].shape, (Shape{16, 4}));
  Executable executable = compile(g);
  const Decision &choice = executable.report().decisions.at(0);
  EXPECT_EQ(choice.pass, "graph-choose-programs");
  EXPECT_EQ(choice.chosen.name, "program");
  EXPECT_EQ(choice.chosen.reason, "of order class \"exact\"");
  EXPECT_NE(executable.report().explain().find("@twice"), std::string::npos);
  NamedTensors inputs{{"x", HostTensor::randomNormal({4, 16}, f32, 1)}};
  NamedTensors outputs = executable.run(inputs);
  EXPECT_NEAR(outputs.at("y").get(1), std::exp(2 * inputs.at("x").get(16)), 1e-5);
  CheckReport check = executable.check(inputs);
  EXPECT_TRUE(check.passed()) << check.summary();
  EXPECT_EQ(check.kernels.size(), 3u) << "transpose, the program, exp";
}

TEST(CustomKernel, AProgramIsImportedOnce) {
  Graph g;
  Tensor x = g.input("x", {16, 4});
  g.output("y", customKernel(twice(), customKernel(twice(), {x}))[0]);
  std::string text = g.mlir();
  EXPECT_EQ(text.find("tile.kernel @twice"), text.rfind("tile.kernel @twice")) << text;
  Executable executable = compile(Graph::fromText(text));
  EXPECT_EQ(executable.report().kernels.size(), 1u);
  EXPECT_EQ(executable.report().launches.size(), 2u);
  CustomKernel other = twice();
  other.source.replace(other.source.find("addf %a, %a"), 11, "mulf %a, %a");
  g.output("z", customKernel(other, {x})[0]);
  EXPECT_NE(g.mlir().find("tile.kernel @twice_1"), std::string::npos);
}

TEST(CustomKernel, WithoutAReferenceNothingIsJudged) {
  Graph g;
  CustomKernel kernel = twice();
  kernel.reference = {};
  g.output("y", customKernel(kernel, {g.input("x", {16, 4})})[0]);
  Executable executable = compile(g);
  CheckReport check = executable.check({{"x", HostTensor::full({16, 4}, f32, 3)}});
  EXPECT_TRUE(check.passed());
  EXPECT_EQ(check.kernels.size(), 0u);
  ASSERT_EQ(check.unjudged.size(), 1u);
  EXPECT_NE(check.summary().find("@twice has no reference"), std::string::npos);
}

TEST(CustomKernel, AReferenceRunsWhereTheProgramDoesNot) {
  Graph g;
  CustomKernel kernel{.source = kScale, .name = "scale", .values = {{"factor", 0.5}}};
  kernel.reference = [](const std::vector<Tensor> &x) { return std::vector{x[0] * 0.5}; };
  g.output("y", customKernel(kernel, {g.input("x", {3, 5})})[0]);
  Executable executable = compile(g);
  EXPECT_EQ(executable.report().decisions.at(0).chosen.name, "reference");
  EXPECT_NE(executable.report().explain().find("reference; not program (it is of CTAs of 32 threads"),
            std::string::npos)
      << executable.report().explain();
  EXPECT_EQ(executable.run({{"x", HostTensor::full({3, 5}, f32, 3)}}).at("y").get(14), 1.5);
  kernel.reference = {};
  Graph alone;
  alone.output("y", customKernel(kernel, {alone.input("x", {3, 5})})[0]);
  std::optional<Error> error = errorOf([&] { compile(alone); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::InvalidInput);
  EXPECT_NE(error->hint.find("--device cuda"), std::string::npos) << error->what();
}

TEST(CustomKernel, ErrorsSayWhatTheProgramTakes) {
  Graph g;
  Tensor x = g.input("x", {16, 4}), narrow = g.input("n", {16, 5}), ints = g.input("i", {16, 4}, i32);
  auto ruleOf = [&](const CustomKernel &kernel, const std::vector<Tensor> &operands) {
    std::optional<Error> error = errorOf([&] { customKernel(kernel, operands); });
    if (error) EXPECT_NE(error->where.file.find("CustomKernelTest"), std::string::npos) << error->what();
    return error ? std::string(error->what()) : std::string();
  };
  auto expect = [](const std::string &part, const std::string &text) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("static extents are the program's", ruleOf(twice(), {narrow}));
  expect("element types are the program's", ruleOf(twice(), {ints}));
  expect("an operand for each argument", ruleOf(twice(), {x, x}));
  expect("one tensor or more", ruleOf(twice(), {}));
  expect("must hold the tile program", ruleOf({.source = kTwice, .name = "thrice"}, {x}));
  expect("tile.kernel", ruleOf({.source = "module {}"}, {x}));
  expect("expected", ruleOf({.source = "tile.kernel @"}, {x}));
  CustomKernel wrong = twice();
  wrong.reference = [](const std::vector<Tensor> &t) { return std::vector{sum(t[0])}; };
  expect("the reference yields the results", ruleOf(wrong, {x}));
  wrong.reference = [&](const std::vector<Tensor> &) { return std::vector{x}; };
  expect("with the tensors that it is given", ruleOf(wrong, {x}));
  wrong.reference = [&](const std::vector<Tensor> &t) { return std::vector{t[0] + x}; };
  EXPECT_NE(ruleOf(wrong, {x}), "");
  expect("every scalar argument has a value", ruleOf({.source = kScale}, {x}));
  g.output("y", x + 1);
  EXPECT_EQ(g.mlir().find("custom_kernel"), std::string::npos) << "a refused call leaves the graph as it was";
}

TEST(LoneProgram, IsAGraphOfItsArguments) {
  Graph g = Graph::fromText(kTwice);
  ASSERT_EQ(g.inputs().size(), 1u);
  EXPECT_EQ(g.inputs()[0].name, "x");
  EXPECT_EQ(g.outputs()[0].name, "y");
  EXPECT_EQ(compile(g).run({{"x", HostTensor::full({16, 4}, f32, 3)}}).at("y").get(63), 6);
  Graph both = Graph::fromText(std::string(kTwice) + kScale, "both.mlir", "scale",
                               {.inputs = {{"x", {6, 8}}}, .values = {{"factor", 2}}});
  EXPECT_EQ(both.outputs()[0].name, "arg1");
  EXPECT_EQ(both.outputs()[0].shape, (Shape{6, 8}));
  EXPECT_EQ(
      Graph::fromText(kScale, "scale.mlir", "main", {.values = {{"N", 5}, {"M", 8}, {"factor", 2}}}).inputs()[0].shape,
      (Shape{5, 8}));
  EXPECT_EQ(
      Graph::fromText(kScale, "scale.mlir", "main", {.values = {{"factor", 2}}, .otherExtents = 32}).inputs()[0].shape,
      (Shape{32, 32}));
}

TEST(LoneProgram, SaysWhatIsNotBound) {
  auto ruleOf = [](const ProgramBindings &bindings, const std::string &entry = "main", const char *more = "") {
    std::optional<Error> error =
        errorOf([&] { Graph::fromText(std::string(kScale) + more, "scale.mlir", entry, bindings); });
    return error ? std::string(error->what()) : std::string();
  };
  auto expect = [](const std::string &part, const std::string &text) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("--bind N=4096, or --input x=file.npy", ruleOf({.values = {{"factor", 2}}}));
  expect("every scalar argument has a value", ruleOf({.values = {{"N", 5}, {"M", 8}}}));
  expect("no such extent or scalar", ruleOf({.values = {{"K", 5}}}));
  expect("no such argument", ruleOf({.inputs = {{"z", {5, 5}}}}));
  expect("what a program writes is not given", ruleOf({.inputs = {{"arg1", {5, 5}}}}));
  expect("the rank of its argument", ruleOf({.inputs = {{"x", {5}}}}));
  expect("extents of one name are equal", ruleOf({.inputs = {{"x", {5, 6}}}, .values = {{"N", 6}}}));
  expect("a number of elements", ruleOf({.values = {{"N", 0.5}}}));
  expect("twice", ruleOf({}, "thrice", kTwice));
  std::optional<Error> graph = errorOf([] {
    Graph::fromText("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }", "g", "main",
                    {.values = {{"N", 4}}});
  });
  ASSERT_TRUE(graph);
  expect("only the extents of a tile program are bound", graph->what());
}

} // namespace
} // namespace kiln
