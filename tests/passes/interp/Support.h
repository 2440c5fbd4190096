// What the interpreter's tests share: graphs from text, tensors from lists, floats drawn at random.
#pragma once

#include "ir/graph/Graph.h"
#include "passes/interp/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <kiln/FloatFormat.h>
#include <random>

namespace kiln::interp {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr int64_t kAny = INT64_MIN;

inline HostTensor floats(std::vector<int64_t> shape, std::initializer_list<double> values) {
  return HostTensor::of(std::move(shape), DType::F32, values);
}
inline HostTensor floats(std::initializer_list<double> values) {
  return floats({static_cast<int64_t>(values.size())}, values);
}
inline HostTensor i32s(std::initializer_list<double> values) {
  return HostTensor::of({static_cast<int64_t>(values.size())}, DType::I32, values);
}

/// A parsed module, run on host tensors; diagnostics are kept as text.
class Graph {
public:
  explicit Graph(const std::string &text) : handler(&context, [this](mlir::Diagnostic &d) { report(d); }) {
    context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  /// All results of the first function; none, and `errors`, on failure.
  std::vector<OracleTensor> run(std::vector<OracleTensor> inputs) {
    if (!module) return {};
    auto results = interpret(*module->getOps<mlir::func::FuncOp>().begin(), inputs);
    return mlir::succeeded(results) ? std::move(*results) : std::vector<OracleTensor>();
  }
  std::vector<OracleTensor> run(std::initializer_list<HostTensor> inputs) {
    std::vector<OracleTensor> exact;
    for (const HostTensor &input : inputs) exact.push_back(OracleTensor::fromHost(input));
    return run(std::move(exact));
  }
  mlir::ModuleOp getModule() { return *module; }
  std::string errors;

private:
  void report(mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    for (mlir::Diagnostic &note : diagnostic.getNotes()) errors += note.str() + "\n";
  }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The first result of a graph; an empty tensor and a test failure if there is none.
template <class Inputs> OracleTensor evaluate(const std::string &text, Inputs inputs) {
  Graph graph(text);
  std::vector<OracleTensor> results = graph.run(std::move(inputs));
  EXPECT_FALSE(results.empty()) << graph.errors;
  return results.empty() ? OracleTensor({0}, DType::F32) : results[0];
}
inline OracleTensor evaluate(const std::string &text, std::initializer_list<HostTensor> inputs) {
  return evaluate<std::initializer_list<HostTensor>>(text, inputs);
}

/// `func.func @f(%x: tensor<in>) -> tensor<out> { %y = <op>; return %y }`.
inline std::string unaryText(const std::string &op, const std::string &type, const std::string &to = "") {
  std::string out = to.empty() ? type : to;
  return "func.func @f(%x: " + type + ") -> " + out + " {\n %y = " + op + "\n return %y : " + out + "\n}";
}
inline std::string binaryText(const std::string &op, const std::string &type, const std::string &to = "") {
  std::string out = to.empty() ? type : to;
  return "func.func @f(%a: " + type + ", %b: " + type + ") -> " + out + " {\n %y = " + op + "\n return %y : " + out +
         "\n}";
}

/// Every element exactly as listed (NaN for NaN, zeros with their sign), with bound 0.
inline void expectExact(const OracleTensor &found, std::initializer_list<double> wanted) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(wanted.size()));
  int64_t i = 0;
  for (double want : wanted) {
    if (!found.isFloat()) {
      EXPECT_EQ(found.integerAt(i).v, static_cast<int64_t>(want)) << "element " << i;
      EXPECT_FALSE(found.integerAt(i).either) << "element " << i;
    } else {
      Element e = found.at(i);
      EXPECT_EQ(e.b, 0) << "element " << i;
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(e.v)) << "element " << i;
      else
        EXPECT_EQ(e.v, want) << "element " << i;
      if (want == 0) EXPECT_EQ(std::signbit(e.v), std::signbit(want)) << "sign of element " << i;
    }
    ++i;
  }
}

/// Standard normal floats, times `scale`.
inline std::vector<float> normals(std::mt19937 &random, int64_t count, float scale = 1) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values) value = scale * normal(random);
  return values;
}
inline HostTensor tensorOf(std::vector<int64_t> shape, const std::vector<float> &values) {
  HostTensor tensor(std::move(shape), DType::F32);
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}
inline HostTensor randomTensor(std::mt19937 &random, std::vector<int64_t> shape, float scale = 1) {
  int64_t count = elementCount(shape);
  return tensorOf(std::move(shape), normals(random, count, scale));
}

/// Expects `actual` within the bounds, and returns the worst error over bound.
inline double expectWithin(const OracleTensor &expected, const HostTensor &actual) {
  Comparison verdict = compare(expected, actual);
  EXPECT_TRUE(verdict.passed()) << verdict.summary();
  return verdict.worstErrorOverBound;
}

} // namespace kiln::interp
