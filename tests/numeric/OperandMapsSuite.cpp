// Operands that vary along some dimensions only, in kernels of every kind, at extents that leave residues: no access
// leaves an operand, which interpreters see, and results are right. Operands that vary by row are columns of a wide
// tensor, so that a row too many is far outside.
#include "tests/numeric/GraphRunner.h"

#include <kiln/Ops.h>

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

/// The operand z, of the shape [m, n], into a kernel with x of that shape, too.
struct Kind {
  const char *name;
  Tensor (*of)(Graph &g, const Tensor &x, const Tensor &z);
};

const Kind kKinds[] = {
    {"pointwise", [](Graph &, const Tensor &x, const Tensor &z) { return x * z; }},
    {"row", [](Graph &, const Tensor &x, const Tensor &z) { return softmax(x + z) + z; }},
    {"rows", [](Graph &, const Tensor &x, const Tensor &z) { return sum(x + z, 1); }},
    {"columns", [](Graph &, const Tensor &x, const Tensor &z) { return sum(x + z, 0); }},
    {"column", [](Graph &, const Tensor &x, const Tensor &z) { return x + z - max(x + z, 0, true); }},
    {"matmul",
     [](Graph &g, const Tensor &x, const Tensor &z) {
       Tensor w = g.input("w", {x.shape()[1], x.shape()[1]}, x.dtype());
       return matmul(x, w) + z;
     }},
    {"left",
     [](Graph &g, const Tensor &x, const Tensor &z) {
       return matmul(x * z, g.input("w", {x.shape()[1], 40}, x.dtype()));
     }},
    {"right",
     [](Graph &g, const Tensor &x, const Tensor &z) {
       return matmul(g.input("w", {24, x.shape()[0]}, x.dtype()), x * z);
     }},
};

enum class Varies { ByRow, ByColumn, ByBoth, Not };

Tensor operand(Graph &g, Varies by, int64_t m, int64_t n, DType dtype) {
  if (by == Varies::ByBoth) return g.input("z", {m, n}, dtype);
  int64_t rows = by == Varies::ByRow ? m : 1, columns = by == Varies::ByColumn ? n : 1;
  return broadcastTo(sliceAxis(g.input("z", {rows, columns + 999}, dtype), 1, 999), {m, n});
}

class OperandMaps : public testing::TestWithParam<Kind> {
protected:
  /// One graph as it is and with x transposed where it is read.
  void check(Varies by, int64_t m, int64_t n, DType dtype) {
    for (bool transposed : {false, true}) {
      Graph g;
      Tensor x = transposed ? transpose(g.input("x", {n, m}, dtype)) : g.input("x", {m, n}, dtype);
      g.output("y", GetParam().of(g, x, operand(g, by, m, n, dtype)));
      GraphOutcome outcome = runner().check(g, {makeInputs(g, Flavour::Normal, 7)});
      ASSERT_TRUE(outcome.passed()) << outcome.text();
    }
  }
  static GraphRunner &runner() {
    static GraphRunner shared;
    return shared;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, OperandMaps, testing::ValuesIn(kKinds),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(OperandMaps, StayInTheirTensors) {
  for (int64_t extent : {1, 30, 32, 33, 48, 60, 63, 64, 65, 96})
    for (Varies by : {Varies::ByRow, Varies::ByColumn, Varies::ByBoth, Varies::Not}) {
      check(by, extent, 33, f32);
      check(by, 72, extent, bf16);
    }
}

/// An operand that is joined, along either of its dimensions or along batches: past its end no piece is.
TEST(JoinedOperands, OfMatmuls) {
  GraphRunner runner;
  for (const std::vector<int64_t> &extents :
       {std::vector<int64_t>{1, 1}, {1, 2, 3}, {16, 16}, {24, 1}, {9, 33}, {1, 64, 1}})
    for (int64_t axis : {0, 1, 2})
      for (bool left : {false, true})
        for (bool isTransposed : {false, true})
          for (DType dtype : {f32, bf16}) {
            Graph g;
            std::vector<Tensor> pieces;
            int64_t total = 0;
            for (int64_t extent : extents) {
              std::vector<int64_t> shape = {2, 5, 3};
              shape[static_cast<size_t>(axis)] = extent, total += extent;
              pieces.push_back(g.input("p" + std::to_string(pieces.size()), shape, dtype));
            }
            Tensor joined = concat(pieces, axis);
            std::vector<int64_t> shape = joined.shape();
            int64_t inner = shape[left == isTransposed ? 1 : 2];
            Tensor other = left ? g.input("w", {shape[0], inner, 7}, dtype) : g.input("w", {shape[0], 8, inner}, dtype);
            g.output("y", left ? matmul(joined, other, {.transposeA = isTransposed})
                               : matmul(other, joined, {.transposeB = isTransposed}));
            GraphOutcome outcome = runner.check(g, {makeInputs(g, Flavour::Normal, 3)});
            ASSERT_TRUE(outcome.passed()) << outcome.text();
          }
}

} // namespace
