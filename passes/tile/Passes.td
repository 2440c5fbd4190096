// Passes on tile programs. Each says what it does, shows the IR before and after, its limits, and its numerics.

#ifndef KILN_PASSES_TILE_PASSES
#define KILN_PASSES_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TileExpandFunctions : Pass<"tile-expand-functions", "::mlir::ModuleOp"> {
  let summary = "replaces mathematical functions by their arithmetic";
  let description = [{
    Every op with a row in `passes/functions` becomes that row's expansion, on the same fragment or scalar type.

    ```mlir
    %y = math.exp %x : tensor<64xf32, #tile.simd>
      ⇒
    … arith.mulf, math.roundeven, math.fma, … : tensor<64xf32, #tile.simd>
    ```
    Equal parts of two functions (the range reduction of sin and cos) are equal ops, which CSE merges. Runs before
    anything that might fold a function with the build host's mathematics library. Functions of f16 and bf16 are computed
    in f32 and rounded once; on a gpu target they may hold `tile.approx`. Numerics: each function is within the bound its
    row states.
  }];
  let options = [Option<"target", "target", "std::string", "\"avx512\"",
                        "row of ir/target: one with a special function unit is left its approximations">];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileExpand : Pass<"tile-expand", "::kiln::tile::KernelOp"> {
  let summary = "spells out the ops that people abbreviate with";
  let description = [{
    ```mlir
    %bk = tile.size !tile.shared<128x64xbf16>[1]
    %at = tile.index %s * %bk
      ⇒
    %bk = arith.constant 64 : index
    %at = arith.muli %s, %bk : index
    ```
    `tile.unravel` becomes divisions and remainders, `tile.fold_columns` extracts and combines parts, `tile.async_load` a
    `tile.async_copy` of what is left of the matrix. First of the passes
    on programs that people write: what comes after sees constants where types say sizes. Numerics: none changed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileUnroll : Pass<"tile-unroll", "::kiln::tile::KernelOp"> {
  let summary = "unrolls fully each loop that says `tile.unroll`";
  let description = [{
    ```mlir
    scf.for %j = %c0 to %c2 step %c1 {
      %at = arith.muli %j, %c64 : index
      %part = tile.extract %y[%c0, %at] : …
    } {tile.unroll}
      ⇒
    %part = tile.extract %y[%c0, %c0] : …
    %part_0 = tile.extract %y[%c0, %c64] : …
    ```
    Outer loops first; constants are folded in between, so that offsets into fragments, which are registers, are known.
    A loop whose bounds and step are no constants, or that becomes more than 65536 ops, is an error. Numerics: unchanged.
  }];
  let statistics = [Statistic<"loops", "loops", "loops unrolled">];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

// The rules of whole programs. Each changes nothing, and fails where hardware would hang, be slow or be wrong; what is
// behind a branch that may not be taken is taken to be right where numbers alone say that it is not.

def TileVerifyDivisions : Pass<"tile-verify-divisions", "::kiln::tile::KernelOp"> {
  let summary = "no index is divided by 0";
  let description = [{ }];
}

def TileVerifyConvergence : Pass<"tile-verify-convergence", "::kiln::tile::KernelOp"> {
  let summary = "what threads run together is reached by all of them";
  let description = [{
    No `scf.if` or loop around a collective op (barriers, `tile.wgmma` and its wait, rings, stores by tensor map, orders) is
    decided by a value that differs from warp to warp, and none of its operands is one.
  }];
}

def TileVerifyRings : Pass<"tile-verify-rings", "::kiln::tile::KernelOp"> {
  let summary = "who waits at rings and in orders goes on";
  let description = [{
    A ring with barriers is filled, waited for and released, or none of them; turns are taken and passed, or neither.
    Some launches inside `tile.ranges` (of any extents, where none are declared) are gone through, of few SMs and of
    many: each iteration that is filled, waited for and released, and each turn, role by role. Iterations are not
    negative, and a slot's are filled one after the other; as many release one as the ring has `readers`; who waits
    knows that the slot's iteration before has come (a barrier tells even from odd alone); nobody waits for ever, what
    is filled is waited for, and loops end. A program is refused where one of them goes wrong, with the range that
    leaves it out; where none are declared and extents are the same, also those that differ have to. What a launch does
    not tell, such as an iteration that was loaded, is taken to be right.
  }];
}

def TileVerifyProxies : Pass<"tile-verify-proxies", "::kiln::tile::KernelOp"> {
  let summary = "tensor cores and copies see what threads wrote";
  let description = [{
    What threads write to a shared tile is behind a `tile.proxy_fence` and a barrier before a tensor core reads it; a tile
    that a store by tensor map reads is written again behind a `tile.tma_store_wait`.
  }];
}

def TileVerifyFirstSums : Pass<"tile-verify-first-sums", "::kiln::tile::KernelOp"> {
  let summary = "products add to sums that something has begun";
  let description = [{
    The first `tile.wgmma` on a `tile.wgmma_none` that loops carry has a condition that is false then, and what is waited
    for has met a `tile.wgmma`.
  }];
}

def TileVerifyBounds : Pass<"tile-verify-bounds", "::kiln::tile::KernelOp"> {
  let summary = "parts, matrices and runs of elements lie in their tiles";
  let description = [{
    At offsets that their op takes, and ranks are those of the cluster: for every number of a consumer and in every
    iteration of a loop whose iterations are known.
  }];
}

def TileVerifyAlignments : Pass<"tile-verify-alignments", "::kiln::tile::KernelOp"> {
  let summary = "`aligned` follows from what a launch checks";
  let description = [{
    That of loads, stores and lane masks, and that copies by chunks of 16 bytes start and end at them, follows from
    `tile.aligned` of arguments, where all else that it depends on is a launch's, a loop's or a warp's to choose.
  }];
}

def TileVerifyRegisters : Pass<"tile-verify-registers", "::kiln::tile::KernelOp"> {
  let summary = "what is live fits the registers that there are";
  let description = [{
    A role's registers, or without roles what a launch may give a thread, hold the live fragments and scalars at every
    point; and one MMA atom's sums fit what the launch gives, whatever roles have later.
  }];
}

def TileVerifySharedMemory : Pass<"tile-verify-shared-memory", "::kiln::tile::KernelOp"> {
  let summary = "shared tiles hold something when they are read";
  let description = [{
    Copies by threads are behind a `tile.async_wait` that ends their group, and a barrier, when their tile is read; a shared
    tile is written before products and copies read it, as much of it as comes to something, and by someone where threads
    do.
  }];
}

def TileAssignShared : Pass<"tile-assign-shared", "::kiln::tile::KernelOp"> {
  let summary = "gives every shared tile its place in the CTA's memory";
  let description = [{
    ```mlir
    %t = tile.alloc : !tile.shared<128x64xf32>
      ⇒
    %t = tile.alloc {offset = 0 : i64} : !tile.shared<128x64xf32>
    ```
    On the cpu target tiles live as long as the CTA and lie one after another, each aligned to 256 bytes.

    On gpu targets each is aligned to 16 bytes, to 1024 with a swizzle, and so is every slot of a ring. Tiles share memory
    where a barrier at the kernel's top level (`tile.barrier`, or a `tile.fold` through another tile) stands between the
    last use of one and the first use of the other; asynchronous copies are over at the next `tile.async_wait 0` there,
    stores by tensor map at the next `tile.tma_store_wait 0`, products once waited for, and what other CTAs do between
    barriers of the cluster. A ring's barriers, *full* and *empty* of each
    slot, lie behind its tiles; tiles and rings in `consumers` are there once for each consumer.
    Fails, with the numbers, if what is needed is more than a CTA of the target may have.

    Sets the kernel's `shared_bytes`.
  }];
  let options = [Option<"target", "target", "std::string", "\"avx512\"", "row of ir/target">];
  let statistics = [Statistic<"tiles", "tiles", "shared tiles placed">];
}

#endif
