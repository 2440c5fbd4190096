// Graphs as text, compiled to kernels, for the tests of passes.
#pragma once

#include "ir/tile/Tile.h"
#include "passes/Decisions.h"
#include "passes/graph/Fusion.h"
#include "passes/graph/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <random>
#include <stdexcept>
#include <string>

namespace kiln::test {

/// One module in its own context.
class GraphKit {
public:
  GraphKit() {
    mlirContext.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                            mlir::func::FuncDialect, tile::TileDialect, mlir::scf::SCFDialect>();
    mlirContext.disableMultithreading();
  }
  mlir::MLIRContext &context() { return mlirContext; }
  void parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext);
    if (!module) throw std::runtime_error("a test's graph does not parse");
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  /// graph-fuse alone; the decisions end up in `decisions`.
  bool fuse(const graph::FuseOptions &options = {}) {
    mlir::PassManager manager(&mlirContext);
    manager.enableVerifier(false);
    manager.addNestedPass<mlir::func::FuncOp>(reporting(graph::createFusePass(options, &sizes), &decisions));
    return succeeded(manager.run(*module));
  }

  /// The whole graph level.
  bool compile(bool fuse) {
    graph::FuseOptions options;
    options.fuse = fuse;
    mlir::PassManager manager(&mlirContext);
    manager.addNestedPass<mlir::func::FuncOp>(graph::createDecompose());
    manager.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
    manager.addNestedPass<mlir::func::FuncOp>(reporting(graph::createFuse(options), &decisions));
    manager.addNestedPass<mlir::func::FuncOp>(graph::createNameKernels());
    return succeeded(manager.run(*module));
  }

  bool verify() { return succeeded(mlir::verify(*module)); }
  std::vector<graph::KernelOp> kernels() {
    auto ops = function().getOps<graph::KernelOp>();
    return {ops.begin(), ops.end()};
  }
  Decisions decisions; ///< of graph-fuse
  graph::KernelSizes sizes;

private:
  mlir::MLIRContext mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// |x|, then `count` times `ops`, in which %a is the last value, %x the input, %t a value in between, %r
/// the result and T the type.
inline std::string chain(int count, const std::string &ops = "%r = arith.addf %a, %x : T",
                         const std::string &type = "tensor<1024xf32>") {
  std::string text = fmt::format("func.func @main(%x: {0}) -> {0} {{\n  %v0 = math.absf %x : {0}\n", type);
  for (int i = 0; i < count; ++i)
    for (size_t at = 0; at < ops.size(); ++at) {
      std::string next = ops.substr(at, 2);
      if (next == "%a" || next == "%r")
        text += fmt::format("%v{}", next == "%a" ? i : i + 1), ++at;
      else if (next == "%t")
        text += fmt::format("%t{}", i), ++at;
      else if (ops[at] == 'T')
        text += type;
      else
        text += ops[at];
      if (at + 1 == ops.size()) text += "\n";
    }
  return text + fmt::format("  return %v{} : {}\n}}\n", count, type);
}

/// A graph of `count` elementwise ops, each of two random earlier values; the last `outputs` values are returned.
inline std::string randomDag(int count, int outputs, unsigned seed) {
  constexpr const char *kOps[] = {"arith.addf", "arith.mulf", "arith.subf", "arith.maximumf"};
  std::mt19937 random(seed);
  std::string type = "tensor<1024xf32>", text = fmt::format("func.func @main(%v0: {0}, %v1: {0}) -> (", type), types,
              values;
  for (int i = 0; i < outputs; ++i) {
    types += (i ? ", " : "") + type;
    values += fmt::format("{}%v{}", i ? ", " : "", count + 1 - i);
  }
  text += types + ") {\n";
  for (int i = 2; i < count + 2; ++i)
    text += fmt::format("  %v{} = {} %v{}, %v{} : {}\n", i, kOps[random() % 4], random() % unsigned(i),
                        random() % unsigned(i), type);
  return text + fmt::format("  return {} : {}\n}}\n", values, types);
}

} // namespace kiln::test
