// Passes on the graph level. Each says what it does, shows the IR before and after, its limits, and its numerics.

#ifndef KILN_PASSES_GRAPH_PASSES
#define KILN_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def Verify : Pass<"graph-verify", "::mlir::ModuleOp"> {
  let summary = "checks that a module is a graph: accepted ops with dtypes they take";
  let description = [{
    The level spec of the graph level. With `decomposed` it checks what must hold after `graph-decompose`. Changes
    nothing.
  }];
  let options = [Option<"decomposed", "decomposed", "bool", "false", "check the level after graph-decompose">];
}

def Decompose : Pass<"graph-decompose", "::mlir::func::FuncOp"> {
  let summary = "spells composites and guarded ops in the ops that fusion and emission know";
  let description = [{
    softmax, layer_norm, mean, relu, integer division and remainder, and float-to-integer casts become accepted ops;
    what they do to NaN, infinities, 0 and INT_MIN is in `passes/graph/decompose`. gelu and sigmoid stay: they expand
    late, with the functions. A combination of nothing becomes its identity, and an op whose result is empty an empty
    constant, so that no later pass meets a tensor without elements that something depends on.

    Before: `%y = graph.relu %x`. After: `%y = arith.maximumf %x, %zero`, with `%zero` a splat constant.

    Limits: f32 composites. Numerics: the formulas of the contract, rounded at each op; no float is computed here, so
    that nothing depends on the build host's libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numDecomposed", "decomposed", "ops replaced">];
}

#endif
