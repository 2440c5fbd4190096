// The DSL: what it builds, and what it refuses with which words at which line.
#include "kiln/Ops.h"
#include "tests/ErrorKit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace kiln;
using namespace kiln::test;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Graph, ReadsLikeTheModel) {
  Graph g;
  auto x = g.input("x", {128, 384});
  auto w = g.parameter("w", {384, 1536});
  auto b = g.parameter("b", {1536});
  g.output("y", gelu(matmul(x, w) + b));
  std::string text = g.mlir();
  EXPECT_PRED2(contains, text, "%arg0: tensor<128x384xf32> {graph.name = \"x\"}");
  EXPECT_PRED2(contains, text, "{graph.name = \"w\", graph.param}");
  EXPECT_PRED2(contains, text, "graph.broadcast %arg2 dims [1] : tensor<1536xf32> -> tensor<128x1536xf32>");
  EXPECT_PRED2(contains, text, "graph.gelu <exact>");
  EXPECT_PRED2(contains, text, "-> (tensor<128x1536xf32> {graph.name = \"y\"})");
}

TEST(Graph, EveryOpCarriesItsLine) {
  Graph g;
  auto x = g.input("x", {4});
  unsigned line = __LINE__ + 1;
  auto y = exp(x) + 1.0;
  g.output("y", -y);
  std::string text = g.mlir(/*locations=*/true);
  for (unsigned l : {line, line + 1}) EXPECT_PRED2(contains, text, "GraphTest.cpp\":" + std::to_string(l));
}

TEST(Graph, PrintedGraphReadsBack) {
  Graph g;
  auto x = g.input("x", {2, 3});
  auto n = g.input("n", {2}, i32);
  g.output("a", softmax(x));
  g.output("b", where(cast(n, f32) > 0.5, cast(n, f32), -1));
  g.output("c", x);
  Graph again = Graph::fromText(g.mlir());
  EXPECT_EQ(again.mlir(), g.mlir());
  ASSERT_EQ(again.inputs().size(), 2u);
  EXPECT_EQ(again.inputs()[1].dtype, i32);
  ASSERT_EQ(again.outputs().size(), 3u);
  EXPECT_EQ(again.outputs()[1].name, "b");
}

TEST(Graph, TensorsKnowTheirShape) {
  Graph g;
  auto x = g.input("x", {2, 3, 4});
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.extent(-1), 4);
  EXPECT_EQ(x.typeString(), "f32[2, 3, 4]");
  EXPECT_EQ(g.full({}, 2.5).rank(), 0);
}

TEST(Graph, TensorOutlivesItsGraph) {
  Tensor x;
  {
    Graph g;
    x = g.input("x", {7});
  }
  EXPECT_EQ((x + x).shape(), Shape{7});
}

struct ShapeCase {
  const char *what;
  std::function<Tensor(Graph &)> make;
  Shape shape;
  DType dtype = f32;
};

TEST(Ops, ShapesAndDtypes) {
  auto in = [](Graph &g, Shape s, DType t = f32) {
    return g.input("in" + std::to_string(g.inputs().size()), std::move(s), t);
  };
  const ShapeCase cases[] = {
      {"broadcast both", [&](Graph &g) { return in(g, {4, 1, 3}) * in(g, {5, 1}); }, {4, 5, 3}},
      {"broadcast with rank 0", [&](Graph &g) { return in(g, {}) - in(g, {3}); }, {3}},
      {"broadcast with zero", [&](Graph &g) { return in(g, {0, 3}) - in(g, {1}); }, {0, 3}},
      {"rank 6",
       [&](Graph &g) { return in(g, {10, 6, 6, 4, 4, 1}) * in(g, {10, 1, 6, 1, 4, 5}); },
       {10, 6, 6, 4, 4, 5}},
      {"scalar first", [&](Graph &g) { return 1 / in(g, {3}); }, {3}},
      {"integers", [&](Graph &g) { return -in(g, {3}, i64) % 7 + abs(in(g, {3}, i64)); }, {3}, i64},
      {"compare", [&](Graph &g) { return in(g, {2, 2}) <= 0; }, {2, 2}, boolean},
      {"logic",
       [&](Graph &g) {
         auto b = in(g, {2}) > 0;
         return (b && !b) || ~b;
       },
       {2},
       boolean},
      {"bits",
       [&](Graph &g) {
         auto n = in(g, {2}, i32);
         return (n & 3) | ~n ^ n;
       },
       {2},
       i32},
      {"where", [&](Graph &g) { return where(in(g, {3, 1}) > 0, in(g, {4}), 0); }, {3, 4}},
      {"where, condition smaller", [&](Graph &g) { return where(in(g, {}, boolean), 1, in(g, {4}, i32)); }, {4}, i32},
      {"cast to bool", [&](Graph &g) { return cast(in(g, {4}), boolean); }, {4}, boolean},
      {"cast to i64", [&](Graph &g) { return cast(in(g, {4}, boolean), i64); }, {4}, i64},
      {"cast to itself", [&](Graph &g) { return cast(in(g, {4}), f32); }, {4}},
      {"clip", [&](Graph &g) { return clip(in(g, {4}), -1, 1); }, {4}},
      {"relu of integers", [&](Graph &g) { return relu(in(g, {4}, i32)); }, {4}, i32},
      {"fma", [&](Graph &g) { return fma(in(g, {4, 1}), in(g, {3}), 1); }, {4, 3}},
      {"sum of all", [&](Graph &g) { return sum(in(g, {4, 3})); }, {}},
      {"sum of none", [&](Graph &g) { return sum(in(g, {4, 3}), {}); }, {4, 3}},
      {"mean, negative axis, kept", [&](Graph &g) { return mean(in(g, {4, 3}), -1, true); }, {4, 1}},
      {"max over two", [&](Graph &g) { return max(in(g, {4, 3, 2}), {-1, 0}); }, {3}},
      {"min kept", [&](Graph &g) { return min(in(g, {4, 3, 2}), {0, -1}, true); }, {1, 3, 1}},
      {"any", [&](Graph &g) { return max(in(g, {4, 3}, boolean), 1); }, {4}, boolean},
      {"mean of integers", [&](Graph &g) { return mean(in(g, {4}, i32)); }, {}, f32},
      {"prod of empty", [&](Graph &g) { return prod(in(g, {3, 0}), 1); }, {3}},
      {"mean of rank 0", [&](Graph &g) { return mean(in(g, {})); }, {}},
      {"softmax", [&](Graph &g) { return softmax(in(g, {4, 3}), 0); }, {4, 3}},
      {"layerNorm", [&](Graph &g) { return layerNorm(in(g, {2, 8}), in(g, {8}), in(g, {8})); }, {2, 8}},
      {"matmul", [&](Graph &g) { return matmul(in(g, {4, 5}), in(g, {5, 6})); }, {4, 6}},
      {"matmul, K = 0", [&](Graph &g) { return matmul(in(g, {4, 0}), in(g, {0, 4})); }, {4, 4}},
      {"matmul, both transposed",
       [&](Graph &g) { return matmul(in(g, {5, 4}), in(g, {6, 5}), {.transposeA = true, .transposeB = true}); },
       {4, 6}},
      {"matmul, rank 2 on the right",
       [&](Graph &g) { return matmul(in(g, {2, 3, 4, 5}), in(g, {5, 6})); },
       {2, 3, 4, 6}},
      {"matmul, rank 2 on the right, transposed",
       [&](Graph &g) { return matmul(in(g, {2, 4, 5}), in(g, {6, 5}), {.transposeB = true}); },
       {2, 4, 6}},
      {"matmul, rank 2 on the left", [&](Graph &g) { return matmul(in(g, {4, 5}), in(g, {3, 5, 6})); }, {3, 4, 6}},
      {"matmul, transposed a, rank 2 on the right",
       [&](Graph &g) { return matmul(in(g, {3, 5, 4}), in(g, {5, 6}), {.transposeA = true}); },
       {3, 4, 6}},
      {"matmul, batches broadcast",
       [&](Graph &g) { return matmul(in(g, {4, 1, 64, 8}), in(g, {3, 8, 2})); },
       {4, 3, 64, 2}},
      {"reshape", [&](Graph &g) { return reshape(in(g, {4, 6}), {2, -1, 3}); }, {2, 4, 3}},
      {"reshape to rank 0", [&](Graph &g) { return reshape(in(g, {1, 1}), {}); }, {}},
      {"transpose", [&](Graph &g) { return transpose(in(g, {2, 3, 4})); }, {2, 4, 3}},
      {"permute", [&](Graph &g) { return permute(in(g, {2, 3, 4}), {-1, 0, 1}); }, {4, 2, 3}},
      {"slice", [&](Graph &g) { return slice(in(g, {10, 8}), {1, -3}, {kEnd, -1}, {4, 1}); }, {3, 2}},
      {"slice of rank 1", [&](Graph &g) { return slice(in(g, {10}), {2}, {5}); }, {3}},
      {"sliceAxis", [&](Graph &g) { return sliceAxis(in(g, {10, 8}), -1, -2); }, {10, 2}},
      {"concat", [&](Graph &g) { return concat({in(g, {2, 3}), in(g, {2, 0}), in(g, {2, 4})}, -1); }, {2, 7}},
      {"broadcastTo", [&](Graph &g) { return broadcastTo(in(g, {3, 1}), {2, 3, 4}); }, {2, 3, 4}},
      {"gather", [&](Graph &g) { return gather(in(g, {9, 4}), in(g, {2, 3}, i32)); }, {2, 3, 4}},
      {"gather, last axis", [&](Graph &g) { return gather(in(g, {9, 4}), in(g, {2}, i64), -1); }, {9, 2}},
      {"arange", [&](Graph &g) { return g.arange(5, i32); }, {5}, i32},
      {"iota", [&](Graph &g) { return g.iota({2, 3}, -1, f32); }, {2, 3}},
      {"ones of bool", [&](Graph &g) { return g.ones({2}, boolean); }, {2}, boolean},
      {"zeros of i32", [&](Graph &g) { return g.zeros({0, 2}, i32); }, {0, 2}, i32},
      {"constant", [&](Graph &g) { return g.constant(HostTensor::of({2, 2}, i64, {1, 2, 3, 4})); }, {2, 2}, i64},
      {"constant of bool", [&](Graph &g) { return g.constant(HostTensor::of({3}, boolean, {1, 0, 1})); }, {3}, boolean},
      {"empty constant", [&](Graph &g) { return g.constant(HostTensor({0, 4}, f32)); }, {0, 4}},
  };
  for (const ShapeCase &c : cases) {
    SCOPED_TRACE(c.what);
    Graph g;
    Tensor y;
    ASSERT_NO_THROW(y = c.make(g)) << c.what;
    EXPECT_EQ(y.shape(), c.shape);
    EXPECT_EQ(y.dtype(), c.dtype);
    g.output("y", y);
    EXPECT_NO_THROW(Graph::fromText(g.mlir())) << g.mlir();
  }
}

TEST(Ops, BatchTimesMatrixIsOneProduct) {
  Graph g;
  g.output("y", matmul(g.input("x", {2, 3, 8}), g.parameter("w", {8, 5})));
  EXPECT_PRED2(contains, g.mlir(), "(tensor<6x8xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>");
}

TEST(Ops, ConstantsKeepTheirElements) {
  Graph g;
  g.output("b", g.constant(HostTensor::of({3}, boolean, {1, 0, 1})));
  g.output("f", g.constant(HostTensor::of({2}, f32, {0.5, -0.0})));
  std::string text = g.mlir();
  EXPECT_PRED2(contains, text, "dense<[true, false, true]>");
  EXPECT_PRED2(contains, text, "dense<[5.000000e-01, -0.000000e+00]>");
}

struct ErrorCase {
  const char *op, *rule, *expected, *found, *hint;
  std::function<void(Graph &, Tensor x, Tensor n, Tensor b)> call; ///< x f32[128, 384], n i32[384], b bool[384]
};

const ErrorCase errorCases[] = {
    {"matmul", "the contracted extents must agree", "K = 384 from a 128x384xf32", "K = 512 from b 512x64xf32", "",
     [](Graph &g, Tensor x, Tensor, Tensor) { matmul(x, g.input("w", {512, 64})); }},
    {"matmul", "the contracted extents must agree", "K = 384", "64x384", "transpose_b",
     [](Graph &g, Tensor x, Tensor, Tensor) { matmul(x, g.input("w", {64, 384})); }},
    {"matmul", "batch extents must broadcast", "[2]", "[3]", "",
     [](Graph &g, Tensor, Tensor, Tensor) { matmul(g.input("p", {2, 4, 4}), g.input("q", {3, 4, 4})); }},
    {"matmul", "both operands must have the same rank", "", "384xi32", "",
     [](Graph &, Tensor x, Tensor n, Tensor) { matmul(x, n); }},
    {"matmul", "does not take these dtypes", "f32", "i32", "",
     [](Graph &g, Tensor, Tensor, Tensor) { matmul(g.input("p", {4, 4}, i32), g.input("q", {4, 4}, i32)); }},
    {"+", "operands must have one dtype", "128x384xf32", "384xi32", "cast(operand, kiln::f32)",
     [](Graph &, Tensor x, Tensor n, Tensor) { x + n; }},
    {"*", "shapes must broadcast", "[128, 384]", "128xf32", "",
     [](Graph &g, Tensor x, Tensor, Tensor) { x *g.input("v", {128}); }},
    {"+", "does not take this dtype", "a float or an integer", "bool", "cast(x, kiln::f32)",
     [](Graph &, Tensor, Tensor, Tensor b) { b + b; }},
    {"exp", "does not take this dtype", "a float", "i32", "", [](Graph &, Tensor, Tensor n, Tensor) { exp(n); }},
    {"&&", "does not take this dtype", "a bool", "f32", "", [](Graph &, Tensor x, Tensor, Tensor) { x &&x; }},
    {"<", "does not take this dtype", "", "bool", "", [](Graph &, Tensor, Tensor, Tensor b) { (void)(b < b); }},
    {"+", "must fit", "i32", "1.5", "", [](Graph &, Tensor, Tensor n, Tensor) { n + 1.5; }},
    {"+", "must fit", "i32", "3000000000", "", [](Graph &, Tensor, Tensor n, Tensor) { n + 3000000000; }},
    {"+", "must fit", "f32", "1e+300", "", [](Graph &, Tensor x, Tensor, Tensor) { x + 1e300; }},
    {"+", "must fit", "f32", "true", "", [](Graph &, Tensor x, Tensor, Tensor) { x + true; }},
    {"maximum", "one operand must be a tensor", "", "", "", [](Graph &, Tensor, Tensor, Tensor) { maximum(1.0, 2.0); }},
    {"exp", "must come from a graph", "", "empty", "", [](Graph &, Tensor, Tensor, Tensor) { exp(Tensor()); }},
    {"+", "must come from one graph", "", "", "",
     [](Graph &, Tensor x, Tensor, Tensor) {
       Graph other;
       x + other.input("x", {1});
     }},
    {"where", "the condition must be bool", "bool", "384xi32", "cast(condition, kiln::boolean)",
     [](Graph &, Tensor x, Tensor n, Tensor) { where(n, x, x); }},
    {"cast", "no such cast", "between f32, f16, bf16, i32, i64, bool", "f32 to f8E5M2", "",
     [](Graph &, Tensor x, Tensor, Tensor) { cast(x, f8E5M2); }},
    {"cast", "no such cast", "", "f32 to tf32", "", [](Graph &, Tensor x, Tensor, Tensor) { cast(x, tf32); }},
    {"+", "must have one dtype", "128x384xf32", "128x384xbf16", "cast(operand, kiln::f32)",
     [](Graph &, Tensor x, Tensor, Tensor) { x + cast(x, bf16); }},
    {"+", "must fit", "f16", "65520", "", [](Graph &, Tensor x, Tensor, Tensor) { cast(x, f16) + 65520; }},
    {"sum", "axes must be distinct", "axes of 0..1", "[1, 1]", "",
     [](Graph &, Tensor x, Tensor, Tensor) { sum(x, {1, -1}); }},
    {"mean", "within the rank", "", "[5]", "", [](Graph &, Tensor x, Tensor, Tensor) { mean(x, 5); }},
    {"max", "max of nothing has no value", "", "", "",
     [](Graph &g, Tensor, Tensor, Tensor) { max(g.input("e", {3, 0}), 1); }},
    {"sum", "bool has no arithmetic", "", "", "cast to i32", [](Graph &, Tensor, Tensor, Tensor b) { sum(b); }},
    {"softmax", "the axis must be within the rank", "0 <= axis < 2", "axis -3", "",
     [](Graph &, Tensor x, Tensor, Tensor) { softmax(x, -3); }},
    {"layerNorm", "vectors as long as x's last dimension", "384xf32", "128xf32", "",
     [](Graph &g, Tensor x, Tensor, Tensor) { layerNorm(x, g.input("s", {128}), g.input("t", {384})); }},
    {"layerNorm", "eps must be finite", "", "-1", "",
     [](Graph &g, Tensor x, Tensor, Tensor) { layerNorm(x, g.input("s", {384}), g.input("t", {384}), -1); }},
    {"reshape", "element counts must agree", "49152", "1000", "",
     [](Graph &, Tensor x, Tensor, Tensor) { reshape(x, {1000}); }},
    {"reshape", "one extent may be -1", "", "[-1, 1000]", "",
     [](Graph &, Tensor x, Tensor, Tensor) { reshape(x, {-1, 1000}); }},
    {"reshape", "one extent may be -1", "", "[-1, -1]", "",
     [](Graph &, Tensor x, Tensor, Tensor) { reshape(x, {-1, -1}); }},
    {"permute", "a permutation", "", "[0, 0]", "", [](Graph &, Tensor x, Tensor, Tensor) { permute(x, {0, 0}); }},
    {"transpose", "within the rank", "", "", "", [](Graph &, Tensor, Tensor n, Tensor) { transpose(n); }},
    {"slice", "the window of dimension 0", "limit <= 128", "limit 129", "",
     [](Graph &, Tensor x, Tensor, Tensor) { slice(x, {0, 0}, {129, 1}); }},
    {"slice", "one start, limit and step", "2 of each", "1, 1", "",
     [](Graph &, Tensor x, Tensor, Tensor) { slice(x, {0}, {1}); }},
    {"sliceAxis", "the step of dimension 1", "at least 1", "0", "",
     [](Graph &, Tensor x, Tensor, Tensor) { sliceAxis(x, 1, 0, 4, 0); }},
    {"concat", "must match the first", "128x384xf32", "384xi32", "",
     [](Graph &, Tensor x, Tensor n, Tensor) { concat({x, n}, 0); }},
    {"concat", "something to join", "", "none", "", [](Graph &, Tensor, Tensor, Tensor) { concat({}, 0); }},
    {"broadcastTo", "extent of dimension 0 must be 1", "1 or 64", "128", "",
     [](Graph &, Tensor x, Tensor, Tensor) { broadcastTo(x, {64, 384}); }},
    {"broadcastTo", "drops none", "rank 2", "[384]", "",
     [](Graph &, Tensor x, Tensor, Tensor) { broadcastTo(x, {384}); }},
    {"gather", "the axis must be within", "", "axis 2", "",
     [](Graph &, Tensor x, Tensor n, Tensor) { gather(x, n, 2); }},
    {"gather", "64-bit signless integer or 32-bit signless integer values", "", "", "",
     [](Graph &, Tensor x, Tensor, Tensor) { gather(x, x); }},
    {"input", "different names", "", "\"x\" twice", "",
     [](Graph &g, Tensor, Tensor, Tensor) { g.parameter("p", {1}), g.input("x", {1}); }},
    {"input", "must not hold `=`", "a name such as", "\"a=b\"", "",
     [](Graph &g, Tensor, Tensor, Tensor) { g.input("a=b", {1}); }},
    {"output", "must be UTF-8", "a name such as", "\"\\FF\"", "",
     [](Graph &g, Tensor x, Tensor, Tensor) { g.output("\xff", x); }},
    {"input", "no op takes this dtype yet", "f32, f16, bf16, i32, i64, bool", "f64", "",
     [](Graph &g, Tensor, Tensor, Tensor) { g.input("h", {1}, f64); }},
    {"input", "must not be negative", "", "[-1]", "", [](Graph &g, Tensor, Tensor, Tensor) { g.input("h", {-1}); }},
    {"input", "must fit in memory", "", "", "",
     [](Graph &g, Tensor, Tensor, Tensor) { g.input("h", {int64_t(1) << 40, int64_t(1) << 40}); }},
    {"output", "different names", "", "\"y\" twice", "",
     [](Graph &g, Tensor x, Tensor n, Tensor) { g.output("y", x), g.output("y", n); }},
    {"iota", "does not take these dtypes", "f32, f16, bf16, i32, i64", "2xi1", "",
     [](Graph &g, Tensor, Tensor, Tensor) { g.iota({2}, 0, boolean); }},
    {"full", "must fit", "i32", "0.5", "", [](Graph &g, Tensor, Tensor, Tensor) { g.full({2}, 0.5, i32); }},
};

TEST(Ops, RefusalsNameOpRuleAndFacts) {
  for (const ErrorCase &c : errorCases) {
    Graph g;
    auto x = g.input("x", {128, 384});
    auto n = g.input("n", {384}, i32);
    auto b = g.input("b", {384}, boolean);
    Error e = demandError([&] { c.call(g, x, n, b); });
    SCOPED_TRACE(std::string("expected ") + c.op + ": " + c.rule + "; got " + e.what());
    EXPECT_EQ(e.code, ErrorCode::InvalidInput);
    EXPECT_EQ(e.op, c.op);
    EXPECT_FALSE(e.rule.empty());
    EXPECT_PRED2(contains, e.rule, c.rule);
    EXPECT_PRED2(contains, e.expected, c.expected);
    EXPECT_PRED2(contains, e.found, c.found);
    EXPECT_PRED2(contains, e.hint, c.hint);
    EXPECT_PRED2(contains, e.where.file, "GraphTest.cpp");
    EXPECT_GT(e.where.line, 0);
  }
}

TEST(Ops, RefusalsNameTheUsersLine) {
  Graph g;
  auto x = g.input("x", {128, 384});
  auto w = g.input("w", {512, 64});
  std::vector<Error> errors;
  const int line = __LINE__; // outside of any macro, which would put all of it on one line
  errors.push_back(demandError([&] { matmul(x, w); }));
  errors.push_back(demandError([&] { x + w; }));
  errors.push_back(demandError([&] { concat({x, w}, 0); }));
  errors.push_back(demandError([&] { g.iota({2}, 3); }));
  errors.push_back(demandError([&] { x += w; }));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(errors[i].where.line, line + 1 + i);
}

TEST(Ops, RefusedCallLeavesTheGraphAsItWas) {
  Graph g;
  auto x = g.input("x", {128, 384});
  g.output("y", x);
  demandError([&] { clip(x, 0, 1e300); });
  demandError([&] { reshape(x, {7}); });
  demandError([&] { matmul(g.input("w", {2, 3, 4}), g.input("v", {2, 5, 6})); });
  EXPECT_FALSE(contains(g.mlir(), "constant"));
  EXPECT_FALSE(contains(g.mlir(), "graph.matmul"));
}

TEST(Graph, NeedsAnOutput) {
  Graph g;
  g.input("x", {1});
  EXPECT_PRED2(contains, demandError([&] { g.mlir(); }).rule, "must have an output");
}

struct TextCase {
  const char *text, *rule;
  int line;
};

TEST(Graph, RefusesWhatIsNoGraph) {
  const TextCase cases[] = {
      {"hello", "", 1},
      {"", "the entry must be a function", 0},
      {"func.func @other() { return }", "the entry must be a function", 0},
      {"func.func private @main()", "the entry must be a function", 0},
      {"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n return %x : tensor<?xf32>\n}", "static tensors", 1},
      {"func.func @main(%x: f32) -> f32 {\n return %x : f32\n}", "static tensors", 1},
      {"func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {\n return %x : tensor<2xf64>\n}", "static tensors", 1},
      {"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n %y = math.atan %x : tensor<2xf32>\n"
       " return %y : tensor<2xf32>\n}",
       "not an op of the graph level", 2},
      {"func.func @main(%x: tensor<2x2xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {\n"
       " %y = graph.matmul %x, %w : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n return %y : "
       "tensor<2x2xf32>\n}",
       "the contracted extents must agree", 2},
  };
  for (const TextCase &c : cases) {
    Error e = demandError([&] { Graph::fromText(c.text, "m.mlir"); });
    SCOPED_TRACE(std::string(c.text) + "\n" + e.what());
    EXPECT_EQ(e.code, ErrorCode::InvalidInput);
    EXPECT_PRED2(contains, e.rule, c.rule);
    if (c.line) {
      EXPECT_EQ(e.where.file, "m.mlir");
      EXPECT_EQ(e.where.line, c.line);
    }
  }
}

} // namespace
