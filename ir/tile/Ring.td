// Rings of shared tiles: stages in turn, filled by asynchronous copies and read behind barriers.

#ifndef KILN_IR_TILE_RING
#define KILN_IR_TILE_RING

include "ir/tile/TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "stages of one or more shared tiles, used in turn";
  let description = [{
    `!tile.ring<4 x !tile.shared<128x64xbf16, swizzle = 128>, !tile.shared<256x64xbf16, swizzle = 128>>`: iteration i uses
    slot i mod 4, a tile of each type; there is at least one.

    (C1) there is at least one stage.
  }];
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"SharedType", "a slot's tiles">:$tiles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The first tile: the slot of a ring that has one.
    SharedType getTile() const { return getTiles().front(); }
  }];
}

def Tile_MBarrierType : Tile_Type<"MBarrier", "mbarrier"> {
  let summary = "a barrier in shared memory that counts arrivals, and bytes of asynchronous copies";
}

def Tile_AllocRingOp : Tile_Op<"alloc_ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring of shared tiles that lives as long as the CTA; contents start undefined";
  let description = [{
    In a `consumers` region each consumer warpgroup has a ring of its own.

    `readers` gives every slot two barriers, *full* and *empty*, for `tile.fill`, `tile.ring_wait` and
    `tile.ring_release`: so many warpgroups read each slot and release it. With `multicast` a fill may write the slots of
    every CTA of the cluster, and readers release the slot to all of them.

    `offset`, in bytes, is set by `tile-assign-shared`; barriers lie behind the tiles.

    (C1) `readers` is 1 to 8. (C2) `multicast` needs `readers`, and a cluster of more than one CTA. (C3) a ring with
    barriers stands in the kernel's own block, before roles part. (C4) there are as many warpgroups that read: consumers,
    or, without roles, the CTA's.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$readers, UnitAttr:$multicast, OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "(`readers` $readers^)? (`multicast` $multicast^)? attr-dict `:` type($ring)";
  let builders = [OpBuilder<(ins "RingType":$ring, CArg<"::mlir::IntegerAttr", "{}">:$offset), [{
    build($_builder, $_state, ring, ::mlir::IntegerAttr(), ::mlir::UnitAttr(), offset);
  }]>];
  let hasVerifier = 1;
}

def Tile_SlotOp : Tile_Op<"slot", [Pure]> {
  let summary = "the tiles in the ring's slot of an iteration: iteration mod stages";
  let description = [{ The iteration is not negative. (C1) the results are the ring's tiles. }];
  let arguments = (ins Tile_RingType:$ring, Index:$iteration);
  let results = (outs Variadic<Tile_SharedType>:$tiles);
  let assemblyFormat = "$ring `[` $iteration `]` attr-dict `:` type($ring) `->` type($tiles)";
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill", [Tile_Collective, Tile_Steps, SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "waits until the iteration's slot is free, announces its bytes and starts the copies that fill it";
  let description = [{
    Iteration i's slot is free once its readers released iteration i - stages; the op derives slot and phase from i, so
    that a wrong one cannot be written. The block's arguments are the slot's tiles and its full barrier, which the copies
    in it signal. One thread runs it: in a `producer` region the producer, without roles the CTA's first.

    ```mlir
    tile.fill %ring[%i] {
    ^slot(%as: !tile.shared<128x64xbf16, swizzle = 128>, %full: !tile.mbarrier):
      tile.tma_load %a[%m, %k], %as signal %full : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16, swizzle = 128>
    } : !tile.ring<4 x !tile.shared<128x64xbf16, swizzle = 128>>
    ```

    (C1) the ring has barriers. (C2) the block's arguments are the slot's tiles and a barrier. (C3) the copies in the block,
    with those of the cluster's other CTAs where they are multicast, write each byte of the slot once: what is announced
    is what comes. (C4) the block holds copies that signal the slot's barrier, and pure ops. (C5) it does not stand in
    `consumers`.
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$iteration);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring `[` $iteration `]` $body attr-dict `:` type($ring)";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_RingWaitOp : Tile_Op<"ring_wait", [Tile_Collective, Tile_Steps, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the iteration's slot is full; its tiles";
  let description = [{ (C1) the ring has barriers. (C2) the results are the ring's tiles. }];
  let arguments = (ins Tile_RingType:$ring, Index:$iteration);
  let results = (outs Variadic<Tile_SharedType>:$tiles);
  let assemblyFormat = "$ring `[` $iteration `]` attr-dict `:` type($ring) `->` type($tiles)";
  let hasVerifier = 1;
}

def Tile_RingReleaseOp : Tile_Op<"ring_release", [Tile_Collective, Tile_Steps, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "this warpgroup has read the iteration's slot: it may be filled again";
  let description = [{
    With a condition that is false nothing is released; it is uniform over the warpgroup, and no branch.

    (C1) the ring has barriers. (C2) what `tile.wgmma` reads from the slot has been waited for. For the iteration that a
    `tile.ring_wait` names (the same value) there is a `tile.wgmma_wait` between the group that reads its tiles and the
    release, with at least as many `tile.wgmma` between the two as it leaves in flight. For another iteration, which is
    taken to be an earlier one, as many stand before the wait in its block, or behind the group. (C3) what threads load
    from the slot they have loaded: a `tile.barrier`, or an op that is one, stands behind.
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$iteration, Optional<I1>:$condition);
  let assemblyFormat = "$ring `[` $iteration `]` (`if` $condition^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

#endif
