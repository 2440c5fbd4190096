// Elementwise ops: one row per op and dtype, times the shapes.
#include "tests/numeric/OpCases.h"

#include <algorithm>
#include <fmt/format.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using T = std::vector<Tensor>;

/// An op of operands of the given dtypes, all of one shape.
struct ElementOp {
  const char *name;
  std::vector<DType> operands;
  Tensor (*apply)(const T &x);
};

const std::vector<ElementOp> &elementOps() {
  static const std::vector<ElementOp> rows = {
      {"add", {f32, f32}, [](const T &x) { return x[0] + x[1]; }},
      {"sub", {f32, f32}, [](const T &x) { return x[0] - x[1]; }},
      {"mul", {f32, f32}, [](const T &x) { return x[0] * x[1]; }},
      {"div", {f32, f32}, [](const T &x) { return x[0] / x[1]; }},
      {"neg", {f32}, [](const T &x) { return -x[0]; }},
      {"maximum", {f32, f32}, [](const T &x) { return maximum(x[0], x[1]); }},
      {"minimum", {f32, f32}, [](const T &x) { return minimum(x[0], x[1]); }},
      {"fma", {f32, f32, f32}, [](const T &x) { return fma(x[0], x[1], x[2]); }},
      {"equal", {f32, f32}, [](const T &x) { return x[0] == x[1]; }},
      {"not equal", {f32, f32}, [](const T &x) { return x[0] != x[1]; }},
      {"less", {f32, f32}, [](const T &x) { return x[0] < x[1]; }},
      {"less or equal", {f32, f32}, [](const T &x) { return x[0] <= x[1]; }},
      {"greater", {f32, f32}, [](const T &x) { return x[0] > x[1]; }},
      {"greater or equal", {f32, f32}, [](const T &x) { return x[0] >= x[1]; }},
      {"where", {boolean, f32, f32}, [](const T &x) { return where(x[0], x[1], x[2]); }},
      {"exp", {f32}, [](const T &x) { return exp(x[0]); }},
      {"log", {f32}, [](const T &x) { return log(x[0]); }},
      {"sqrt", {f32}, [](const T &x) { return sqrt(x[0]); }},
      {"rsqrt", {f32}, [](const T &x) { return rsqrt(x[0]); }},
      {"tanh", {f32}, [](const T &x) { return tanh(x[0]); }},
      {"erf", {f32}, [](const T &x) { return erf(x[0]); }},
      {"sin", {f32}, [](const T &x) { return sin(x[0]); }},
      {"cos", {f32}, [](const T &x) { return cos(x[0]); }},
      {"abs", {f32}, [](const T &x) { return abs(x[0]); }},
      {"floor", {f32}, [](const T &x) { return floor(x[0]); }},
      {"ceil", {f32}, [](const T &x) { return ceil(x[0]); }},
      {"relu", {f32}, [](const T &x) { return relu(x[0]); }},
      {"sigmoid", {f32}, [](const T &x) { return sigmoid(x[0]); }},
      {"gelu", {f32}, [](const T &x) { return gelu(x[0]); }},
      {"gelu tanh", {f32}, [](const T &x) { return gelu(x[0], Gelu::Tanh); }},
      {"clip", {f32}, [](const T &x) { return clip(x[0], -1, 1); }},
      {"cast to i32", {f32}, [](const T &x) { return cast(x[0], i32); }},
      {"cast to i64", {f32}, [](const T &x) { return cast(x[0], i64); }},
      {"cast to bool", {f32}, [](const T &x) { return cast(x[0], boolean); }},
      {"cast to f32", {i32}, [](const T &x) { return cast(x[0], f32); }},
      {"cast to i64", {i32}, [](const T &x) { return cast(x[0], i64); }},
      {"cast to f32", {i64}, [](const T &x) { return cast(x[0], f32); }},
      {"cast to i32", {i64}, [](const T &x) { return cast(x[0], i32); }},
      {"cast to f32", {boolean}, [](const T &x) { return cast(x[0], f32); }},
      {"cast to i32", {boolean}, [](const T &x) { return cast(x[0], i32); }},
      {"cast to i64", {boolean}, [](const T &x) { return cast(x[0], i64); }},
      {"cast to f16", {f32}, [](const T &x) { return cast(x[0], f16); }},
      {"cast to bf16", {f32}, [](const T &x) { return cast(x[0], bf16); }},
      {"cast to f16", {bf16}, [](const T &x) { return cast(x[0], f16); }},
      {"cast to bf16", {f16}, [](const T &x) { return cast(x[0], bf16); }},
      {"cast to f32", {f16}, [](const T &x) { return cast(x[0], f32); }},
      {"cast to f32", {bf16}, [](const T &x) { return cast(x[0], f32); }},
      {"cast to f16", {i32}, [](const T &x) { return cast(x[0], f16); }},
      {"cast to bf16", {i32}, [](const T &x) { return cast(x[0], bf16); }},
      {"cast to f16", {i64}, [](const T &x) { return cast(x[0], f16); }},
      {"cast to bf16", {i64}, [](const T &x) { return cast(x[0], bf16); }},
      {"cast to f16", {boolean}, [](const T &x) { return cast(x[0], f16); }},
      {"cast to bf16", {boolean}, [](const T &x) { return cast(x[0], bf16); }},
      {"cast by way of f32", {i32}, [](const T &x) { return cast(cast(x[0], f32), bf16); }},
      {"and", {boolean, boolean}, [](const T &x) { return x[0] && x[1]; }},
      {"or", {boolean, boolean}, [](const T &x) { return x[0] || x[1]; }},
      {"xor", {boolean, boolean}, [](const T &x) { return x[0] ^ x[1]; }},
      {"not", {boolean}, [](const T &x) { return !x[0]; }},
      {"equal", {boolean, boolean}, [](const T &x) { return x[0] == x[1]; }},
      {"not equal", {boolean, boolean}, [](const T &x) { return x[0] != x[1]; }},
      {"maximum", {boolean, boolean}, [](const T &x) { return maximum(x[0], x[1]); }},
      {"minimum", {boolean, boolean}, [](const T &x) { return minimum(x[0], x[1]); }},
      {"where", {boolean, boolean, boolean}, [](const T &x) { return where(x[0], x[1], x[2]); }},
  };
  return rows;
}

/// Ops of integers, which exist for each integer dtype.
struct IntegerOp {
  const char *name;
  int operands;
  Tensor (*apply)(const T &x);
};

const std::vector<IntegerOp> &integerOps() {
  static const std::vector<IntegerOp> rows = {
      {"add", 2, [](const T &x) { return x[0] + x[1]; }},
      {"sub", 2, [](const T &x) { return x[0] - x[1]; }},
      {"mul", 2, [](const T &x) { return x[0] * x[1]; }},
      {"div", 2, [](const T &x) { return x[0] / x[1]; }},
      {"rem", 2, [](const T &x) { return x[0] % x[1]; }},
      {"neg", 1, [](const T &x) { return -x[0]; }},
      {"abs", 1, [](const T &x) { return abs(x[0]); }},
      {"relu", 1, [](const T &x) { return relu(x[0]); }},
      {"maximum", 2, [](const T &x) { return maximum(x[0], x[1]); }},
      {"minimum", 2, [](const T &x) { return minimum(x[0], x[1]); }},
      {"and", 2, [](const T &x) { return x[0] & x[1]; }},
      {"or", 2, [](const T &x) { return x[0] | x[1]; }},
      {"xor", 2, [](const T &x) { return x[0] ^ x[1]; }},
      {"complement", 1, [](const T &x) { return ~x[0]; }},
      {"equal", 2, [](const T &x) { return x[0] == x[1]; }},
      {"less", 2, [](const T &x) { return x[0] < x[1]; }},
      {"greater or equal", 2, [](const T &x) { return x[0] >= x[1]; }},
      {"where", 2, [](const T &x) { return where(x[0] < x[1], x[0], x[1]); }},
      {"cast to bool", 1, [](const T &x) { return cast(x[0], boolean); }},
  };
  return rows;
}

/// The same op on 16-bit floats; none for one that is not on floats, or a cast to them.
std::vector<ElementOp> onHalves(const ElementOp &op) {
  std::vector<ElementOp> all;
  if (op.operands.back() != f32 || std::string(op.name).ends_with("f16")) return all;
  for (DType dtype : {f16, bf16}) {
    all.push_back(op);
    std::replace(all.back().operands.begin(), all.back().operands.end(), f32, dtype);
  }
  return all;
}

std::vector<ElementOp> allOps() {
  std::vector<ElementOp> all = elementOps();
  for (const ElementOp &op : elementOps())
    for (ElementOp &half : onHalves(op)) all.push_back(half);
  for (const IntegerOp &op : integerOps())
    for (DType dtype : {i32, i64})
      all.push_back({op.name, std::vector<DType>(static_cast<size_t>(op.operands), dtype), op.apply});
  return all;
}

OpCase make(const ElementOp &op, const Shape &shape) {
  auto build = [op, shape](Graph &g) {
    T x;
    for (DType dtype : op.operands) x.push_back(g.input(fmt::format("x{}", x.size()), shape, dtype));
    g.output("y", op.apply(x));
  };
  return {op.name + (" " + typeString(op.operands.back(), shape)), build};
}

} // namespace

std::vector<OpCase> kiln::numeric::elementwiseCases() {
  // Every op meets a scalar, one element, none, vectors with and without residue; rank 6 and a million elements are a
  // matter of the loops around them, which a few ops stand for.
  const std::vector<Shape> shapes = {{}, {1}, {0}, {7}, {129}, {33, 5}};
  const std::vector<Shape> halfShapes = {{}, {129}, {33, 5}};
  const std::vector<Shape> largeShapes = {{1000, 3}, {3, 0, 5}, {2, 3, 4, 1, 3, 5}, {1, 1, 1}, {70001}};
  std::vector<OpCase> cases;
  for (const ElementOp &op : allOps()) {
    bool half = op.operands.back() == f16 || op.operands.back() == bf16; // the loops are the same
    for (const Shape &shape : half ? halfShapes : shapes) cases.push_back(make(op, shape));
    if (std::string(op.name) == "add" || std::string(op.name) == "where" || std::string(op.name) == "cast to i64")
      for (const Shape &shape : largeShapes) cases.push_back(make(op, shape));
  }
  return cases;
}

std::vector<OpCase> kiln::numeric::broadcastCases() {
  struct Pair {
    Shape a, b;
  };
  const std::vector<Pair> pairs = {{{}, {5}},
                                   {{5}, {1}},
                                   {{7, 1}, {1, 9}},
                                   {{3}, {4, 3}},
                                   {{4, 1}, {4, 33}},
                                   {{2, 1, 5}, {7, 1}},
                                   {{1, 1, 1, 1}, {3}},
                                   {{129, 1}, {1}},
                                   {{0, 3}, {1, 3}},
                                   {{1, 17}, {5, 1, 1}},
                                   {{10, 6, 6, 4, 4, 1}, {10, 1, 6, 1, 4, 5}}};
  std::vector<OpCase> cases;
  for (const Pair &pair : pairs)
    for (DType dtype : {f32, f16, bf16, i32, i64, boolean}) {
      auto build = [pair, dtype](Graph &g) {
        Tensor a = g.input("a", pair.a, dtype), b = g.input("b", pair.b, dtype);
        g.output("y", dtype == boolean ? a && b : a - b);
      };
      cases.push_back({"broadcast " + typeString(dtype, pair.a) + " and " + shapeString(pair.b), build});
    }
  for (DType dtype : {f32, f16, bf16, i32, i64, boolean})
    for (auto &[from, to] : std::vector<std::pair<Shape, Shape>>{
             {{}, {3, 5}}, {{1}, {65}}, {{7, 1, 3}, {2, 7, 9, 3}}, {{3}, {0, 3}}, {{1, 1}, {1, 1}}}) {
      auto build = [from = from, to = to, dtype](Graph &g) {
        g.output("y", broadcastTo(g.input("x", from, dtype), to));
      };
      cases.push_back({"broadcast_to " + typeString(dtype, from) + " to " + shapeString(to), build});
    }
  return cases;
}
