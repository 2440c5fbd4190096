// Reductions, composites and matmuls.
#include "tests/numeric/OpCases.h"

#include <fmt/format.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

struct Reduction {
  const char *name;
  Tensor (*apply)(const Operand &, const Axes &, bool);
  bool ofBool, ofNothing; ///< whether bool tensors have it, and whether nothing may be combined
};

const Reduction kReductions[] = {{"sum", sum, false, true},
                                 {"mean", mean, false, true},
                                 {"max", max, true, false},
                                 {"min", min, true, false},
                                 {"prod", prod, false, true}};

struct Space {
  Shape shape;
  Axes axes;
  bool empty = false; ///< combines nothing
};

const std::vector<Space> &spaces() {
  static const std::vector<Space> rows = {{{}, Axes{}},
                                          {{1}, 0},
                                          {{7}, 0},
                                          {{33, 129}, 1},
                                          {{33, 129}, 0},
                                          {{33, 129}, {0, 1}},
                                          {{5, 1}, 1},
                                          {{1, 5}, 0},
                                          {{3, 4, 5}, 1},
                                          {{3, 4, 5}, {0, 2}},
                                          {{3, 4, 5}, {1, 2}},
                                          {{2, 3, 4, 1, 3, 5}, {1, 3, 5}},
                                          {{2, 3, 4, 1, 3, 5}, {0, 2}},
                                          {{1000, 3}, 0},
                                          {{3, 1000}, 1},
                                          {{2, 9000}, 1},
                                          {{0, 5}, 1},
                                          {{5, 0}, 1, true},
                                          {{0, 5}, 0, true},
                                          {{17, 7}, Axes{}},
                                          {{300, 2, 3}, 0},
                                          {{2, 3, 8}, 2}};
  return rows;
}

OpCase reduceCase(const Reduction &reduction, const Space &space, DType dtype, bool keep) {
  auto build = [=](Graph &g) { g.output("y", reduction.apply(g.input("x", space.shape, dtype), space.axes, keep)); };
  return {fmt::format("{} {} over {}{}", reduction.name, typeString(dtype, space.shape), shapeString(space.axes.axes),
                      keep ? " kept" : ""),
          build};
}

/// A composite of one float tensor.
struct Composite {
  const char *name;
  Tensor (*apply)(Graph &, const Tensor &);
};

Tensor normalise(Graph &g, const Tensor &x) {
  int64_t width = x.extent(-1);
  return layerNorm(x, g.input("scale", {width}, x.dtype()), g.input("bias", {width}, x.dtype()));
}

const Composite kComposites[] = {
    {"softmax", [](Graph &, const Tensor &x) { return softmax(x); }},
    {"softmax of columns", [](Graph &, const Tensor &x) { return softmax(x, 0); }},
    {"layer_norm", normalise},
    {"log of sum of exp", [](Graph &, const Tensor &x) { return log(sum(exp(x - max(x, -1, true)), -1)); }},
    {"variance",
     [](Graph &, const Tensor &x) {
       Tensor d = x - mean(x, -1, true);
       return mean(d * d, -1);
     }},
    {"row over its norm", [](Graph &, const Tensor &x) { return x * rsqrt(sum(x * x, -1, true) + 1e-6); }}};

} // namespace

std::vector<OpCase> kiln::numeric::reduceCases() {
  std::vector<OpCase> cases;
  for (const Reduction &reduction : kReductions)
    for (DType dtype : {f32, f16, bf16, i32, i64, boolean})
      for (size_t i = 0; i < spaces().size(); ++i) {
        const Space &space = spaces()[i];
        if (dtype == boolean && !reduction.ofBool) continue;
        if (space.empty && !reduction.ofNothing) continue;
        cases.push_back(reduceCase(reduction, space, dtype, i % 3 == 0));
      }
  return cases;
}

std::vector<OpCase> kiln::numeric::compositeCases() {
  std::vector<OpCase> cases;
  const std::vector<Shape> shapes = {{1},    {7},      {33, 65},           {5, 1}, {2, 3, 17}, {3, 1025},
                                     {0, 4}, {129, 8}, {2, 2, 3, 2, 2, 33}};
  for (const Composite &composite : kComposites)
    for (DType dtype : {f32, f16, bf16})
      for (const Shape &shape : shapes)
        cases.push_back({composite.name + (" " + typeString(dtype, shape)),
                         [=](Graph &g) { g.output("y", composite.apply(g, g.input("x", shape, dtype))); }});
  return cases;
}

std::vector<OpCase> kiln::numeric::matmulCases() {
  struct Product {
    Shape a, b;
    MatmulOptions options = {};
  };
  const std::vector<Product> rows = {{{1, 1}, {1, 1}},
                                     {{1, 1}, {1, 128}},
                                     {{1, 65}, {65, 1}},
                                     {{33, 1}, {1, 33}},
                                     {{7, 7}, {7, 7}},
                                     {{32, 32}, {32, 1}},
                                     {{33, 129}, {129, 65}},
                                     {{129, 17}, {17, 300}},
                                     {{9, 600}, {600, 40}},
                                     {{4, 0}, {0, 4}},
                                     {{0, 5}, {5, 3}},
                                     {{5, 3}, {3, 0}},
                                     {{4, 33, 17}, {4, 17, 9}},
                                     {{4, 33, 17}, {1, 17, 9}},
                                     {{2, 1, 5, 8}, {3, 8, 7}},
                                     {{2, 3, 2, 2, 5, 7}, {7, 4}},
                                     {{17, 33}, {17, 9}, {true, false}},
                                     {{33, 17}, {9, 17}, {false, true}},
                                     {{17, 33}, {9, 17}, {true, true}},
                                     {{3, 65, 40}, {3, 65, 40}, {false, true}},
                                     {{2, 40, 65}, {2, 40, 33}, {true, false}},
                                     {{0, 3, 4}, {0, 4, 5}}};
  std::vector<OpCase> cases;
  for (DType dtype : {f32, f16, bf16})
    for (const Product &row : rows) {
      auto build = [row, dtype](Graph &g) {
        g.output("y", matmul(g.input("a", row.a, dtype), g.input("b", row.b, dtype), row.options));
      };
      cases.push_back({"matmul " + typeString(dtype, row.a) + (row.options.transposeA ? "^T x " : " x ") +
                           shapeString(row.b) + (row.options.transposeB ? "^T" : ""),
                       build});
    }
  for (DType dtype : {f32, f16, bf16}) // one k, and rows that do not follow each other in memory
    cases.push_back({"matmul of a column " + std::string(name(dtype)), [dtype](Graph &g) {
                       Tensor x = transpose(g.input("x", {40, 4, 9, 1}, dtype), 0, 2);
                       g.output("y", matmul(sliceAxis(x, 1, 1, 3), g.input("w", {1, 3}, dtype)));
                     }});
  auto linear = [](Graph &g, DType dtype) {
    Tensor x = g.input("x", {33, 40}, dtype), w = g.input("w", {40, 65}, dtype), b = g.input("b", {65}, dtype);
    g.output("y", gelu(matmul(x, w) + b) + g.input("r", {33, 65}, dtype));
  };
  auto attention = [](Graph &g, DType dtype) {
    Shape shape = {2, 3, 17, 8};
    Tensor q = g.input("q", shape, dtype), k = g.input("k", shape, dtype), v = g.input("v", shape, dtype);
    Tensor mask = g.input("mask", {2, 1, 1, 17}, boolean);
    Tensor scores = where(mask, matmul(q, k, {.transposeB = true}) * 0.35355339, dtype == f16 ? -6e4 : -1e9);
    g.output("y", reshape(permute(matmul(softmax(scores), v), {0, 2, 1, 3}), {2, 17, 24}));
  };
  auto prologue = [](Graph &g, DType dtype) {
    Tensor x = g.input("x", {17, 33}, dtype), w = g.input("w", {33, 9}, dtype);
    g.output("y", matmul(relu(x) * 0.5, transpose(reshape(w, {9, 33}))));
  };
  for (DType dtype : {f32, f16, bf16}) {
    std::string suffix = " " + std::string(name(dtype));
    cases.push_back({"gelu(x@w + b) + r" + suffix, [=](Graph &g) { linear(g, dtype); }});
    cases.push_back({"attention" + suffix, [=](Graph &g) { attention(g, dtype); }});
    cases.push_back({"matmul of what is computed on the way" + suffix, [=](Graph &g) { prologue(g, dtype); }});
  }
  return cases;
}
