// Who does what in a CTA: producer and consumer warpgroups, turns between consumers, clusters, the order of tiles.

#ifndef KILN_IR_TILE_ROLES
#define KILN_IR_TILE_ROLES

include "ir/tile/Ring.td"

def Tile_SpecializeOp : Tile_Op<"specialize", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the CTA's warpgroups part: the first produces, the others consume";
  let description = [{
    One thread of the first warpgroup runs the `producer`; each consumer warpgroup runs the `consumers`, whose block
    argument is its number, from 0. Ops that are collective are so over the warpgroup there; fragments are a
    warpgroup's. All rings' barriers are ready when the roles part, and the CTA, or its cluster, meets again behind them.
    Registers move between the roles.

    ```mlir
    tile.specialize producer registers 40 {
      …
    } consumers 2 registers 232 {
    ^consumer(%group: index):
      …
    }
    ```

    (C1) it stands in the kernel's own block, last before the return, once. (C2) there is a consumer, and the kernel has
    128·(1 + consumers) threads. (C3) registers are multiples of 8, 24 to 240, and all roles' together no more than a CTA may have: those of
    the launch. (C4) the consumers' block has one argument, an index. (C5) the producer runs no op that threads must
    meet for: no fragments, barriers or MMA.
  }];
  let arguments = (ins I64Attr:$consumers, I64Attr:$producer_registers, I64Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `producer` `registers` $producer_registers $producer `consumers` $consumers `registers` $consumer_registers $consumer attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===- Turns ------------------------------------------------------------------------------------------------------===//

def Tile_TurnsType : Tile_Type<"Turns", "turns"> {
  let summary = "something that consumer warpgroups have in turn, such as the tensor cores";
  let description = [{ `!tile.turns<2>`: of two warpgroups. (C1) there are 2 to 4. }];
  let parameters = (ins "int64_t":$groups);
  let assemblyFormat = "`<` $groups `>`";
  let genVerifyDecl = 1;
}

def Tile_AllocTurnsOp : Tile_Op<"alloc_turns", [MemoryEffects<[MemAlloc]>]> {
  let summary = "turns; consumer 0 has the first";
  let description = [{
    A named barrier per warpgroup. (C1) it stands in the kernel's own block, and there are as many consumers.
    (C2) there are named barriers left: a CTA has 16, one of which is its own and one each warpgroup's.
  }];
  let results = (outs Tile_TurnsType:$turns);
  let assemblyFormat = "attr-dict `:` type($turns)";
  let hasVerifier = 1;
}

def Tile_TakeTurnOp : Tile_Op<"take_turn", [Tile_Collective, Tile_Steps, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the consumer before this one has passed its turn";
  let description = [{ (C1) it stands in a `consumers` region. }];
  let arguments = (ins Tile_TurnsType:$turns);
  let assemblyFormat = "$turns attr-dict `:` type($turns)";
  let hasVerifier = 1;
}

def Tile_PassTurnOp : Tile_Op<"pass_turn", [Tile_Collective, Tile_Steps, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "gives the turn to the next consumer, the last to the first; waits for nobody";
  let description = [{ (C1) it stands in a `consumers` region. }];
  let arguments = (ins Tile_TurnsType:$turns);
  let assemblyFormat = "$turns attr-dict `:` type($turns)";
  let hasVerifier = 1;
}

//===- Clusters and launches --------------------------------------------------------------------------------------===//

def Tile_ClusterRankOp : Tile_Op<"cluster_rank", [Pure, Tile_InRange]> {
  let summary = "which CTA of its cluster this is, from 0";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterBarrierOp : Tile_Op<"cluster_barrier", [Tile_Barrier, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "every thread of the cluster arrives before any goes on; shared memory written before is seen after";
  let description = [{ (C1) it does not stand in a role. }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_RemoteOp : Tile_Op<"remote", [Pure]> {
  let summary = "the same tile of the cluster's CTA of that rank: distributed shared memory";
  let description = [{
    `tile.load` and `tile.store` reach it. The CTA must still run: a cluster meets before it ends.
    (C1) the result is the tile's.
  }];
  let arguments = (ins Tile_SharedType:$tile, Index:$rank);
  let results = (outs Tile_RemoteType:$result);
  let assemblyFormat = "$tile `at` $rank attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GridWaitOp : Tile_Op<"grid_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the launch before this one is done (programmatic dependent launch)";
  let assemblyFormat = "attr-dict";
}

def Tile_GridReleaseOp : Tile_Op<"grid_release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the launch behind this one may start; it still waits for this one's end where it says `tile.grid_wait`";
  let assemblyFormat = "attr-dict";
}

def Tile_ProxyFenceOp : Tile_Op<"proxy_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "this thread's writes to shared memory are seen by later asynchronous copies and `tile.wgmma`";
  let assemblyFormat = "attr-dict";
}

//===- The order of tiles -----------------------------------------------------------------------------------------===//

def Tile_CtaCountOp : Tile_Op<"cta_count", [Pure, Tile_InRange]> {
  let summary = "how many CTAs the grid has: what a persistent loop steps by";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ExtentOp : Tile_Op<"extent", [Pure, Tile_InRange]> {
  let summary = "an extent that the kernel's arguments name: 0 to 2^31 - 1, which is checked before a launch";
  let description = [{ (C1) some dimension of an argument has that name. }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Tile_StrideOp : Tile_Op<"stride", [Pure, Tile_InRange]> {
  let summary = "elements from one index of a dimension to the next";
  let description = [{ (C1) the memory is an argument. (C2) it has the dimension. }];
  let arguments = (ins Tile_GlobalType:$memory, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$memory `[` $dim `]` attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Tile_RasterizeOp : Tile_Op<"rasterize", [Pure]> {
  let summary = "row and column of the t-th tile when groups of `group` rows are walked column by column";
  let description = [{
    Tiles that run at the same time then share operands in L2. t is below rows·columns; the last group may have fewer
    rows. (C1) `group` is at least 1.
  }];
  let arguments = (ins Index:$tile, Index:$rows, Index:$columns, I64Attr:$group);
  let results = (outs Index:$row, Index:$column);
  let assemblyFormat = "$tile `of` `[` $rows `,` $columns `]` `group` $group attr-dict";
  let hasVerifier = 1;
}

#endif
