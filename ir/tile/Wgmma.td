// Warpgroup MMA: products of shared tiles whose sums are in flight until they are waited for.

#ifndef KILN_IR_TILE_WGMMA
#define KILN_IR_TILE_WGMMA

include "ir/tile/Layouts.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_PendingType : Tile_Type<"Pending", "pending"> {
  let summary = "an accumulator in flight: only `tile.wgmma` and `tile.wgmma_wait` take it";
  let description = [{ (C1) it is a `#tile.wgmma` fragment. }];
  let parameters = (ins "::mlir::RankedTensorType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
  let genVerifyDecl = 1;
}
def Tile_Accumulator : AnyTypeOf<[Tile_PendingType, Tile_Fragment]>;
def Tile_WgmmaA : AnyTypeOf<[Tile_SharedType, Tile_Fragment]>;

def Tile_WgmmaNoneOp : Tile_Op<"wgmma_none", [Pure]> {
  let summary = "an accumulator that holds nothing yet: the first `tile.wgmma` on it does not accumulate";
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_WgmmaOp : Tile_Op<"wgmma", [Tile_Accesses, Tile_Collective]> {
  let summary = "starts acc + a·b on a warpgroup's tensor core; one group in flight";
  let description = [{
    acc is MxN, a MxK and b KxN: a shared tile of that shape, or of the other one with `transpose_a` or `transpose_b`; a may be
    a `#tile.wgmma_a` fragment. Atoms of 64 rows and 16 columns (32 bytes) of a meet each sum in ascending k. With a
    condition that is false acc is taken to be zero, whatever it holds. Earlier writes of acc and a by this warpgroup are
    seen; shared tiles must have been filled by copies that were waited for, or stand behind `tile.proxy_fence` and a
    barrier.

    | acc | a and b |
    |---|---|
    | f32 | bf16; f16; tf32 (as f32); f8E4M3FN, f8E5M2 |
    | f16 | f16; f8E4M3FN, f8E5M2 |
    | i32 | i8, signed or `unsigned` |

    (C1) element types are those of one row. (C2) extents match, the result is what acc is. (C3) M is a multiple of 64, K
    of 32 bytes, N of 8 (16 for i8 from 32 on), 8 to 256. (C4) shared operands have rows, or panels, as long as their
    swizzle. (C5) only 16-bit elements may have their rows along M or N: of others a is MxK and b NxK, transposed.
    (C6) a fragment of a is `#tile.wgmma_a`, and not transposed. (C7) only integers are `unsigned`, a and
    b alike: what mixes signs is no instruction of the PTX that sm_90a's drivers are given (8.0; 8.4 has it).
  }];
  let arguments = (ins Tile_WgmmaA:$a, Tile_SharedType:$b, Tile_Accumulator:$acc, Optional<I1>:$accumulate,
                       UnitAttr:$transpose_a, UnitAttr:$unsigned_a, UnitAttr:$transpose_b, UnitAttr:$unsigned_b);
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = [{
    $a (`transpose` $transpose_a^)? (`unsigned` $unsigned_a^)? `,` $b (`transpose` $transpose_b^)?
    (`unsigned` $unsigned_b^)? `,` $acc (`if` $accumulate^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaWaitOp : Tile_Op<"wgmma_wait", [Tile_Collective, Tile_Completes, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `in_flight` of this warpgroup's latest groups are not done";
  let description = [{
    The result is a fragment where the group that makes it is done then; where it may be one of those in flight, it stays
    pending. A group is done if as many `tile.wgmma` as `in_flight` follow it in this block before the wait, or as many
    stand in the block before the wait and the group is from outside it. Waiting for a `tile.wgmma_none` that met no
    `tile.wgmma` gives values that are not defined.

    (C1) `in_flight` is 0 to 7. (C2) the result is a fragment where the group is done, else pending.
  }];
  let arguments = (ins Tile_PendingType:$pending, DefaultValuedAttr<I64Attr, "0">:$in_flight);
  let results = (outs Tile_Accumulator:$result);
  let assemblyFormat = "$pending (`in_flight` $in_flight^)? attr-dict `:` type($pending) `->` type($result)";
  let hasVerifier = 1;
}

#endif
