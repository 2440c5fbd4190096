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

#endif
