// Views, concat, gather, iota and constants, on every dtype.
#include "tests/numeric/OpCases.h"

#include <fmt/format.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

/// A move of one tensor.
struct Move {
  std::string name;
  Shape shape;
  std::function<Tensor(const Tensor &)> apply;
};

std::vector<Move> moves() {
  return {
      {"reshape",
       {12, 5},
       [](const Tensor &x) {
         return reshape(x, {4, 15});
       }},
      {"reshape to rank 0", {1, 1}, [](const Tensor &x) { return reshape(x, {}); }},
      {"reshape of nothing",
       {0, 4},
       [](const Tensor &x) {
         return reshape(x, {2, 0, 7});
       }},
      {"transpose", {33, 65}, [](const Tensor &x) { return transpose(x); }},
      {"transpose", {1, 7}, [](const Tensor &x) { return transpose(x); }},
      {"transpose", {0, 7}, [](const Tensor &x) { return transpose(x); }},
      {"permute",
       {3, 4, 5, 2},
       [](const Tensor &x) {
         return permute(x, {2, 0, 3, 1});
       }},
      {"permute",
       {2, 3, 4, 1, 3, 5},
       [](const Tensor &x) {
         return permute(x, {5, 3, 1, 0, 2, 4});
       }},
      {"permute",
       {17, 1, 19},
       [](const Tensor &x) {
         return permute(x, {1, 2, 0});
       }},
      {"permute",
       {1000, 3},
       [](const Tensor &x) {
         return permute(x, {1, 0});
       }},
      {"slice", {129}, [](const Tensor &x) { return slice(x, {3}, {128}); }},
      {"slice with steps", {129}, [](const Tensor &x) { return slice(x, {1}, {129}, {3}); }},
      {"slice",
       {7, 40},
       [](const Tensor &x) {
         return slice(x, {2, 5}, {6, 38});
       }},
      {"slice with steps",
       {9, 7, 11},
       [](const Tensor &x) {
         return slice(x, {1, 0, 2}, {9, 7, 11}, {2, 3, 4});
       }},
      {"slice of nothing",
       {5, 4},
       [](const Tensor &x) {
         return slice(x, {2, 1}, {2, 4});
       }},
      {"slice of everything",
       {5, 4},
       [](const Tensor &x) {
         return slice(x, {0, 0}, {5, 4});
       }},
      {"concat of one", {5, 4}, [](const Tensor &x) { return concat({x}, 0); }},
      {"concat with itself",
       {5, 33},
       [](const Tensor &x) {
         return concat({x, x, x}, 1);
       }},
      {"concat of slices",
       {40, 3},
       [](const Tensor &x) {
         return concat({sliceAxis(x, 0, 30), sliceAxis(x, 0, 0, 30)}, 0);
       }},
      {"reshape of transpose",
       {33, 6},
       [](const Tensor &x) {
         return reshape(transpose(x), {9, 22});
       }},
      {"slice of transpose of reshape",
       {24, 10},
       [](const Tensor &x) {
         return slice(transpose(reshape(x, {8, 30})), {1, 1}, {30, 8}, {2, 1});
       }},
  };
}

void addGathers(DType dtype, std::vector<OpCase> &cases) {
  struct Gather {
    Shape x, indices;
    int64_t axis;
  };
  for (DType index : {i32, i64})
    for (const Gather &row : {Gather{{10, 7}, {5}, 0},
                              {{10, 7}, {3, 2}, 1},
                              {{1}, {}, 0},
                              {{4, 129}, {33}, 0},
                              {{6, 5, 4}, {2, 3}, 1},
                              {{3, 2}, {0}, 0},
                              {{0, 2}, {0}, 0},
                              {{9, 1}, {129}, 0}}) {
      auto build = [row, dtype, index](Graph &g) {
        Tensor x = g.input("x", row.x, dtype);
        g.output("y", gather(x, g.input("i", row.indices, index), row.axis));
      };
      cases.push_back({"gather " + typeString(dtype, row.x) + " at " + typeString(index, row.indices), build});
    }
}

void addConcats(DType dtype, std::vector<OpCase> &cases) {
  auto build = [dtype](Graph &g) {
    Tensor a = g.input("a", {3, 4, 5}, dtype), b = g.input("b", {3, 1, 5}, dtype), c = g.input("c", {3, 0, 5}, dtype);
    Tensor d = g.input("d", {3, 33, 5}, dtype);
    g.output("y", concat({a, b, c, d}, 1));
  };
  cases.push_back({"concat of four " + std::string(name(dtype)), build});
  auto last = [dtype](Graph &g) {
    Tensor a = g.input("a", {7, 1}, dtype), b = g.input("b", {7, 129}, dtype), c = g.input("c", {7, 30}, dtype);
    g.output("y", concat({a, b, c}, -1));
  };
  cases.push_back({"concat along the last axis " + std::string(name(dtype)), last});
  auto many = [dtype](Graph &g) {
    Tensor x = g.input("x", {5, 7}, dtype);
    std::vector<Tensor> pieces;
    for (int64_t i = 0; i < 130; ++i) pieces.push_back(sliceAxis(x, 1, i % 7, i % 7 + 1));
    g.output("y", concat(pieces, 1));
  };
  cases.push_back({"concat of 130 " + std::string(name(dtype)), many});
}

void addConstants(DType dtype, std::vector<OpCase> &cases) {
  for (const Shape &shape : {Shape{}, {1}, {0}, {33}, {5, 7}}) {
    auto full = [shape, dtype](Graph &g) {
      g.output("y", dtype == boolean ? g.full(shape, true, dtype) : g.full(shape, 1, dtype));
      g.output("z", g.zeros(shape, dtype));
    };
    cases.push_back({"full " + typeString(dtype, shape), full, true});
    auto table = [shape, dtype](Graph &g) {
      HostTensor data(shape, dtype);
      for (int64_t i = 0; i < data.size(); ++i) data.set(i, static_cast<double>(i % 5) - 2);
      Tensor c = g.constant(data), x = g.input("x", shape, dtype);
      g.output("y", where(c == x, c, x));
      g.output("c", c);
    };
    cases.push_back({"constant " + typeString(dtype, shape), table});
  }
}

void addIotas(DType dtype, std::vector<OpCase> &cases) {
  for (auto &[shape, axis] : std::vector<std::pair<Shape, int64_t>>{
           {{1}, 0}, {{0}, 0}, {{129}, 0}, {{5, 33}, 0}, {{5, 33}, 1}, {{3, 4, 5}, 1}}) {
    auto build = [shape = shape, axis = axis, dtype](Graph &g) {
      Tensor iota = g.iota(shape, axis, dtype);
      g.output("y", iota);
      g.output("z", iota + g.input("x", shape, dtype));
    };
    cases.push_back({fmt::format("iota {} along {}", typeString(dtype, shape), axis), build});
  }
}

} // namespace

std::vector<OpCase> kiln::numeric::moveCases() {
  std::vector<OpCase> cases;
  for (DType dtype : {f32, f16, bf16, i32, i64, boolean}) {
    for (const Move &move : moves()) {
      auto build = [move, dtype](Graph &g) { g.output("y", move.apply(g.input("x", move.shape, dtype))); };
      cases.push_back({move.name + " " + typeString(dtype, move.shape), build});
    }
    addGathers(dtype, cases);
    addConcats(dtype, cases);
    addConstants(dtype, cases);
    if (dtype != boolean) addIotas(dtype, cases);
  }
  return cases;
}
