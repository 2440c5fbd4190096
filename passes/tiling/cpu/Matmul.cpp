// The cpu skeleton of matmul kernels.
//
//   one CTA per bm × bn tile of the result (of one batch):
//     for each chunk of bk along k:
//       pack a[bm × bk] row by row, b[bk × bn] in panels of nr columns (the prologue is computed here, once per CTA)
//       for panel of nr columns, for mr rows: accumulators += outer products over the chunk, k ascending
//     for row, for vector of columns: the epilogue on the accumulated tile, stored
//
// Operands of 16 bits are packed as f32. Each element is one chain of fma over ascending k whatever the tile sizes, so
// every schedule gives the same bits.
#include "passes/tiling/Loops.h"
#include "passes/tiling/cpu/Families.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::cpu;

namespace {

class MatmulBuilder {
public:
  MatmulBuilder(SkeletonContext &context, MatmulSchedule schedule)
      : context(context), form(context.form), b(context.builder), index{context.builder, context.loc}, s(schedule) {}

  FailureOr<int64_t> run() {
    rank = form.extents.size();
    m = form.extents[rank - 2];
    n = form.extents[rank - 1];
    graph::MatmulOp matmul = form.matmul;
    k = graph::shapeOf(matmul.getA())[matmul.getTransposeA() ? rank - 2 : rank - 1];
    element = matmul.getType().getElementType();
    for (int64_t d = 0; d + 2 < rank; ++d) {
      batchDims.push_back(d);
      batches *= form.extents[d];
    }
    if (batches == 0 || m == 0 || n == 0) return 0;
    mTiles = llvm::divideCeil(m, s.bm);
    nTiles = llvm::divideCeil(n, s.bn);
    kBlocks = llvm::divideCeil(k, s.bk);
    packLanes = std::min<int64_t>(s.nr, s.bk);
    lda = llvm::divideCeil(s.bk, packLanes) * packLanes + kPad;
    aTile = allocShared(context, {s.bm, lda}, element);
    bTile = allocShared(context, {s.bn / s.nr, s.bk, s.nr}, element);
    cTile = allocShared(context, {s.bm, s.bn}, element);

    Value cta = tile::CtaIdOp::create(b, context.loc, b.getIndexType());
    batch = index.div(cta, mTiles * nTiles);
    nTile = index.rem(cta, nTiles);
    Value mTile = index.rem(index.div(cta, nTiles), mTiles);
    firstRow = index.mul(mTile, s.bm);
    rows = index.min(index.constant(s.bm), index.sub(index.constant(m), firstRow));
    paddedRows = index.mul(index.div(index.add(rows, index.constant(s.mr - 1)), s.mr), s.mr);
    Value columns = index.min(index.constant(s.bn), index.sub(index.constant(n), index.mul(nTile, s.bn)));
    panels = index.div(index.add(columns, index.constant(s.nr - 1)), s.nr);

    if (kBlocks != 1) clearAccumulators();
    if (failed(
            forLoop(b, context.loc, index.constant(0), index.constant(kBlocks), 1, [&](Value block) -> LogicalResult {
              depth = index.min(index.constant(s.bk), index.sub(index.constant(k), index.mul(block, s.bk)));
              if (failed(packA(block)) || failed(packB(block))) return failure();
              return multiply();
            })))
      return failure();
    if (failed(epilogue())) return failure();
    return batches * mTiles * nTiles;
  }

private:
  SkeletonContext &context;
  const graph::KernelForm &form;
  OpBuilder &b;
  IndexBuilder index;
  MatmulSchedule s;
  Type element;
  SmallVector<int64_t> batchDims;
  int64_t rank = 0, batches = 1, m = 0, n = 0, k = 0, mTiles = 0, nTiles = 0, kBlocks = 0, packLanes = 0, lda = 0;
  Value aTile, bTile, cTile;
  const Emitter::Anchors noAnchors; ///< while operands are packed
  Value batch, nTile, firstRow;     ///< this CTA's place
  Value rows, paddedRows;           ///< rows of this CTA, and rounded up to mr
  Value panels;                     ///< panels of nr columns of this CTA
  Value depth;                      ///< k's of this chunk

  /// Elements between packed rows beyond bk, so that rows do not meet in one cache set.
  static constexpr int64_t kPad = 16;

  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, b.getContext()); }
  Value mask(Value count, int64_t lanes) {
    return tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), lanes), count);
  }
  void storeShared(Value value, Value tileValue, Value offset) {
    tile::StoreOp::create(b, context.loc, value, tileValue, offset, Value(), IntegerAttr());
  }
  /// An operand's fragment with the accumulator's elements: 16-bit operands are packed as f32.
  Value widened(Value fragment) {
    auto type = cast<RankedTensorType>(fragment.getType());
    if (type.getElementType() == element) return fragment;
    return arith::ExtFOp::create(b, context.loc, type.clone(element), fragment);
  }
  Value zeros(RankedTensorType type) {
    Value zero = arith::ConstantOp::create(b, context.loc, b.getZeroAttr(element));
    return tile::SplatOp::create(b, context.loc, type, zero);
  }
  LogicalResult loop(Value low, Value high, int64_t step, llvm::function_ref<LogicalResult(Value)> body) {
    return forLoop(b, context.loc, low, high, step, body);
  }
  /// Iteration space with k as its last dimension: the batch from dimension 0, m, n and k as given.
  AffineMap iteration(unsigned dims, AffineExpr row, AffineExpr column, AffineExpr depthExpr) {
    SmallVector<AffineExpr> results(rank + (depthExpr ? 1 : 0));
    delinearize(dim(0), batchDims, form.extents, results);
    results[rank - 2] = row;
    results[rank - 1] = column;
    if (depthExpr) results[rank] = depthExpr;
    return AffineMap::get(dims, 0, results, b.getContext());
  }

  void clearAccumulators() {
    auto type = tile::simd(element, s.nr);
    (void)loop(index.constant(0), index.constant(s.bm * s.bn), s.nr, [&](Value i) {
      storeShared(zeros(type), cTile, i);
      return success();
    });
  }

  /// Rows of a, vectors along k. Skeleton dimensions: batch, m, k block, k chunk, lane.
  LogicalResult packA(Value block) {
    AffineMap operand = graph::matmulOperandMaps(form.matmul).first;
    int64_t chunks = llvm::divideCeil(s.bk, packLanes);
    Value chunkCount = index.div(index.add(depth, index.constant(packLanes - 1)), packLanes);
    auto type = tile::simd(element, packLanes);
    if (failed(loop(index.constant(0), rows, 1, [&](Value row) {
          return loop(index.constant(0), chunkCount, 1, [&](Value chunk) -> LogicalResult {
            Point point{{batches, m, kBlocks, chunks, packLanes},
                        {batch, index.add(firstRow, row), block, chunk},
                        iteration(5, dim(1), getAffineConstantExpr(0, b.getContext()),
                                  dim(2) * s.bk + dim(3) * packLanes + dim(4)),
                        packLanes};
            if (k % packLanes != 0 || s.bk % packLanes != 0)
              point.residue = mask(index.sub(depth, index.mul(chunk, packLanes)), packLanes);
            Emitter emitter(b, context.loc, context.memories, noAnchors, point);
            FailureOr<Value> value = emitter.emitFragment(graph::MatmulOp(form.matmul).getA(), operand);
            if (failed(value)) return failure();
            storeShared(widened(*value), aTile, index.add(index.mul(row, lda), index.mul(chunk, packLanes)));
            return success();
          });
        })))
      return failure();
    // Rows that only fill the last register tile: their products are dropped, but must not be slow to make.
    return loop(rows, paddedRows, 1, [&](Value row) {
      return loop(index.constant(0), chunkCount, 1, [&](Value chunk) {
        storeShared(zeros(type), aTile, index.add(index.mul(row, lda), index.mul(chunk, packLanes)));
        return success();
      });
    });
  }

  /// Panels of b, vectors along n. Skeleton dimensions: batch, n tile, panel, k block, k, lane.
  LogicalResult packB(Value block) {
    AffineMap operand = graph::matmulOperandMaps(form.matmul).second;
    return loop(index.constant(0), panels, 1, [&](Value panel) {
      return loop(index.constant(0), depth, 1, [&](Value depthIndex) -> LogicalResult {
        Point point{{batches, nTiles, s.bn / s.nr, kBlocks, s.bk, s.nr},
                    {batch, nTile, panel, block, depthIndex},
                    iteration(6, getAffineConstantExpr(0, b.getContext()), dim(1) * s.bn + dim(2) * s.nr + dim(5),
                              dim(3) * s.bk + dim(4)),
                    s.nr};
        point.residue = columnResidue(panel);
        Emitter emitter(b, context.loc, context.memories, noAnchors, point);
        FailureOr<Value> value = emitter.emitFragment(graph::MatmulOp(form.matmul).getB(), operand);
        if (failed(value)) return failure();
        storeShared(widened(*value), bTile, index.mul(index.add(index.mul(panel, s.bk), depthIndex), s.nr));
        return success();
      });
    });
  }

  Value columnResidue(Value panel) {
    if (n % s.nr == 0) return {};
    Value done = index.add(index.mul(nTile, s.bn), index.mul(panel, s.nr));
    return mask(index.sub(index.constant(n), done), s.nr);
  }

  /// The chunk's products, one register tile after another.
  LogicalResult multiply() {
    auto accType = tile::simd(element, s.mr, s.nr);
    auto aType = tile::simdColumn(element, s.mr);
    auto bType = tile::simd(element, s.nr);
    IntegerAttr aRows = b.getI64IntegerAttr(lda), cRows = b.getI64IntegerAttr(s.bn);
    return loop(index.constant(0), panels, 1, [&](Value panel) {
      return loop(index.constant(0), paddedRows, s.mr, [&](Value row) -> LogicalResult {
        Value c = index.add(index.mul(row, s.bn), index.mul(panel, s.nr));
        Value init = kBlocks == 1 ? zeros(accType)
                                  : Value(tile::LoadOp::create(b, context.loc, accType, cTile, c, Value(), cRows));
        Value aBase = index.mul(row, lda), bBase = index.mul(panel, s.bk * s.nr);
        auto sums =
            forLoop(b, context.loc, index.constant(0), depth, 1, init,
                    [&](Value i, ValueRange acc) -> FailureOr<SmallVector<Value>> {
                      Value av =
                          tile::LoadOp::create(b, context.loc, aType, aTile, index.add(aBase, i), Value(), aRows);
                      Value bv = tile::LoadOp::create(b, context.loc, bType, bTile,
                                                      index.add(bBase, index.mul(i, s.nr)), Value(), IntegerAttr());
                      return SmallVector<Value>{tile::MmaOp::create(b, context.loc, accType, av, bv, acc[0])};
                    });
        if (failed(sums)) return failure();
        tile::StoreOp::create(b, context.loc, (*sums)[0], cTile, c, Value(), cRows);
        return success();
      });
    });
  }

  /// Outputs, row by row. Skeleton dimensions: batch, m, n tile, panel, lane.
  LogicalResult epilogue() {
    return loop(index.constant(0), rows, 1, [&](Value row) {
      return loop(index.constant(0), panels, 1, [&](Value panel) -> LogicalResult {
        Point point{{batches, m, nTiles, s.bn / s.nr, s.nr},
                    {batch, index.add(firstRow, row), nTile, panel},
                    iteration(5, dim(1), dim(2) * s.bn + dim(3) * s.nr + dim(4), AffineExpr()),
                    s.nr};
        point.residue = columnResidue(panel);
        Emitter::Anchors anchors;
        Value c = index.add(index.mul(row, s.bn), index.mul(panel, s.nr));
        anchors[graph::MatmulOp(form.matmul).getResult()] =
            tile::LoadOp::create(b, context.loc, tile::simd(element, s.nr), cTile, c, Value(), IntegerAttr());
        Emitter emitter(b, context.loc, context.memories, anchors, point);
        return storeOutputs(context, emitter, /*perRow=*/false);
      });
    });
  }
};

} // namespace

FailureOr<int64_t> cpu::buildMatmul(SkeletonContext &context) {
  auto schedule = parseSchedule<MatmulSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return MatmulBuilder(context, *schedule).run();
}
