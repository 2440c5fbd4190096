// The functions as users get them: through the whole pipeline, in compiled code, against libmpfr.
#include "passes/functions/Functions.h"
#include "passes/interp/numeric/Functions.h"
#include "tests/numeric/GraphRunner.h"
#include "tests/passes/functions/Exact.h"
#include "tests/passes/functions/HalfKernels.h"
#include "tests/passes/functions/Ulp.h"

#include <kiln/Ops.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;
namespace exact = kiln::functions::exact;

namespace {

struct Function {
  const char *op, *form;
  Tensor (*apply)(const Tensor &);
};

const Function kFunctions[] = {
    {"math.exp", "", [](const Tensor &x) { return exp(x); }},
    {"math.log", "", [](const Tensor &x) { return log(x); }},
    {"math.rsqrt", "", [](const Tensor &x) { return rsqrt(x); }},
    {"math.tanh", "", [](const Tensor &x) { return tanh(x); }},
    {"math.erf", "", [](const Tensor &x) { return erf(x); }},
    {"math.sin", "", [](const Tensor &x) { return sin(x); }},
    {"math.cos", "", [](const Tensor &x) { return cos(x); }},
    {"graph.sigmoid", "", [](const Tensor &x) { return sigmoid(x); }},
    {"graph.gelu", "exact", [](const Tensor &x) { return gelu(x); }},
    {"graph.gelu", "tanh", [](const Tensor &x) { return gelu(x, Gelu::Tanh); }},
};

const exact::Reference &referenceOf(const Function &function) {
  for (const exact::Reference &row : exact::references())
    if (!std::strcmp(row.op, function.op) && !std::strcmp(row.form, function.form)) return row;
  throw std::runtime_error(std::string("no reference of ") + function.op);
}

/// All functions of all points at once.
HostTensor onDevice(GraphRunner &runner, const Function &function, const std::vector<float> &points) {
  Graph g;
  g.output("y", function.apply(g.input("x", {static_cast<int64_t>(points.size())})));
  HostTensor x({static_cast<int64_t>(points.size())}, f32);
  std::copy(points.begin(), points.end(), x.data<float>());
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(g.mlir(), true);
  HostTensor y = runner.runUnjudged(cut, {{x}}, failures).at(0);
  EXPECT_TRUE(failures.empty()) << failures[0];
  return y;
}

TEST(CompiledFunctions, AreWithinTwoUlpAndGeluWithinItsBound) {
  GraphRunner runner;
  runner.options.effort = codegen::JitEffort::Full;
  for (const Function &function : kFunctions) {
    const exact::Reference &reference = referenceOf(function);
    std::vector<float> points = exact::points(reference.near);
    HostTensor y = onDevice(runner, function, points);
    bool composite = std::string_view(function.op) == "graph.gelu"; // in the table of composites
    double worst = 0;
    float at = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      double error = functions::ulpError(y.data<float>()[i], reference.exact(points[i]));
      if (error > worst) worst = error, at = points[i];
    }
    std::printf("%-15s %-5s %6zu points, worst %.3f ulp at %.9g\n", function.op, function.form, points.size(), worst,
                at);
    if (!composite) EXPECT_LE(worst, 2.0) << function.op;
    const functions::FunctionRow *row =
        functions::findFunction(function.op, mlir::Float32Type::get(&runner.mlirContext()));
    EXPECT_LE(worst, row->maxUlp) << function.op << ' ' << function.form << " at " << at;
  }
}

/// On all inputs of a 16-bit float.
HostTensor onAllHalves(GraphRunner &runner, const Function &function, DType dtype) {
  Graph g;
  g.output("y", function.apply(g.input("x", {1 << 16}, dtype)));
  HostTensor x({1 << 16}, dtype);
  for (int64_t i = 0; i < x.size(); ++i) x.data<uint16_t>()[i] = static_cast<uint16_t>(i);
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(g.mlir(), true);
  HostTensor y = runner.runUnjudged(cut, {{x}}, failures).at(0);
  EXPECT_TRUE(failures.empty()) << failures[0];
  return y;
}

TEST(CompiledFunctions, OfHalvesAreWithinTheirBoundsOnAllInputs) {
  GraphRunner runner;
  runner.options.effort = codegen::JitEffort::Full;
  for (DType dtype : {bf16, f16})
    for (const Function &function : kFunctions) {
      const exact::Reference &reference = referenceOf(function);
      HostTensor y = onAllHalves(runner, function, dtype);
      double worst = 0, at = 0;
      for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
        double x = decodeFloat(dtype, bits);
        double error = functions::halfUlpError(dtype, y.data<uint16_t>()[bits], reference.exact(static_cast<float>(x)));
        if (error > worst) worst = error, at = x;
      }
      std::printf("%-15s %-5s %-4s all points, worst %.4f ulp at %.9g\n", function.op, function.form,
                  std::string(name(dtype)).c_str(), worst, at);
      EXPECT_LE(worst, interp::functionUlps(function.op, dtype)) << function.op << ' ' << function.form << " at " << at;
    }
}

TEST(CompiledFunctions, SineOfHugeArguments) {
  GraphRunner runner;
  const std::vector<float> points = {3e38f, -3e38f, 1e22f, 16367173.f * 0x1p72f};
  HostTensor y = onDevice(runner, {"math.sin", "", [](const Tensor &x) { return sin(x); }}, points);
  for (size_t i = 0; i < points.size(); ++i)
    EXPECT_LE(functions::ulpError(y.data<float>()[i], exact::library<mpfr_sin>(points[i])), 2.0) << points[i];
}

TEST(CompiledFunctions, SquareRootsAreCorrectlyRounded) {
  GraphRunner runner;
  std::vector<float> points = exact::points({1, 2, 4, 0x1p-126f});
  HostTensor y = onDevice(runner, {"math.sqrt", "", [](const Tensor &x) { return sqrt(x); }}, points);
  for (size_t i = 0; i < points.size(); ++i) {
    float expected = std::sqrt(points[i]), found = y.data<float>()[i];
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : std::memcmp(&expected, &found, 4) == 0) << points[i];
  }
}

} // namespace
