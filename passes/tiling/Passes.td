// Passes from graph kernels to tile programs, and on tile programs.

#ifndef KILN_PASSES_TILING_PASSES
#define KILN_PASSES_TILING_PASSES

include "mlir/Pass/PassBase.td"

def TileSchedule : Pass<"tile-schedule", "::mlir::ModuleOp"> {
  let summary = "gives each graph.kernel without a schedule the default one for its family and target";
  let description = [{
    ```mlir
    graph.kernel "row" (…) …
      ⇒ graph.kernel "row" (…) … attributes {schedule = #graph.schedule<"row", {lanes = 128 : i64, tile = 16384 : i64}>}
    ```
    The first legal one of the first family of the target that takes the kernel, by formula from its shape, op count and
    target. A family has its own knobs on each kind of target. A kernel of which no schedule is legal keeps none;
    `tile-graph` says why. Schedules do not change bits.
  }];
  let options = [Option<"target", "target", "std::string", "\"avx512\"", "row of ir/target">];
}

def TileGraph : Pass<"tile-graph", "::mlir::ModuleOp"> {
  let summary = "turns each distinct graph.kernel into a tile program";
  let description = [{
    One `tile.kernel` per symbol, built by the target's family for the kernel's schedule; the graph
    functions are dropped. Needs `graph-fuse`, `tile-schedule` and `graph-name-kernels`.

    ```mlir
    %y = graph.kernel "pointwise" (%a = %x : tensor<1024xf32>) -> tensor<1024xf32> attributes {symbol = "pointwise_…"} {
      %0 = arith.mulf %a, %a : tensor<1024xf32>
      graph.yield %0 : tensor<1024xf32>
    }
      ⇒ on a cpu target
    tile.kernel @pointwise_…(%x: !tile.global<1024xf32>, %y: !tile.global<1024xf32>) grid 1 {
      … scf.for … {
        %v = tile.load %x[%i] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
        %0 = arith.mulf %v, %v : tensor<64xf32, #tile.simd>
        tile.store %0, %y[%i] : tensor<64xf32, #tile.simd>, !tile.global<1024xf32>
      }
      ⇒ on a gpu target
    tile.kernel @pointwise_…(%x: !tile.global<1024xf32>, %y: !tile.global<1024xf32>) grid 1 threads 256 {
      …
      %v = tile.load %x[%i] aligned 4 : !tile.global<1024xf32> -> tensor<1024xf32, #tile.blocked<vec = 4, threads = 256>>
      %0 = arith.mulf %v, %v : tensor<1024xf32, #tile.blocked<vec = 4, threads = 256>>
      tile.store %0, %y[%i] aligned 4 : tensor<1024xf32, #tile.blocked<vec = 4, threads = 256>>, !tile.global<1024xf32>
    ```
    Numerics: elementwise ops are cloned; reductions follow the canonical order; a matmul is one fma per k, ascending, but
    that of 16-bit operands on a gpu is one m16n8k16 atom per 16 k's, ascending: an order class of its own, whose bits
    differ from the cpu's. No schedule changes bits.
  }];
  let options = [Option<"target", "target", "std::string", "\"avx512\"", "row of ir/target">];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
