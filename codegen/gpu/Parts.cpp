// Fragments of two dimensions: parts, slices along rows and columns, other layouts, matrix stores. Layouts are
// separable, so what a thread does is the same for all: registers are matched by where thread 0 has them.
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/ByteFloats.h"
#include "codegen/gpu/Registers.h"
#include "codegen/gpu/Shuffle.h"
#include "codegen/gpu/TileAddress.h"
#include "ir/tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;
using layout::Fragment;

namespace {

/// Registers by their place in thread 0.
class Places {
public:
  explicit Places(const Fragment &fragment) {
    for (int64_t r = 0; r < fragment.registers(); ++r) {
      layout::Place place = fragment.registerPlace(r);
      registers[{place.row, place.column}] = r;
    }
  }
  /// The register of a place; -1 if the thread has none there.
  int64_t at(int64_t row, int64_t column) const {
    auto found = registers.find({row, column});
    return found == registers.end() ? -1 : found->second;
  }

private:
  DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
};

/// A fragment whose register r is register from(r) of `x`.
LogicalResult rearrange(Operation *op, ValueRange x, Lowering &to, llvm::function_ref<int64_t(layout::Place)> from) {
  Fragment fragment = *tile::distributionOf(op->getResult(0).getType());
  Registers source(to.rewriter, to.loc, x), result(to.rewriter, to.loc, fragment.registers());
  for (int64_t r = 0; r < result.size(); ++r) {
    int64_t register_ = from(fragment.registerPlace(r));
    if (register_ < 0) return op->emitOpError("needs an element that another thread has");
    // A pair that stays one is not taken apart.
    if (result.inPairs() && source.inPairs() && r % 2 == 0 && register_ % 2 == 0 &&
        from(fragment.registerPlace(r + 1)) == register_ + 1) {
      result.setPair(r, source.pair(register_));
      ++r;
      continue;
    }
    result.set(r, source.get(register_));
  }
  return to.replace(op, result.units());
}

LogicalResult lowerExtract(tile::ExtractOp extract, ArrayRef<ValueRange> operands, Lowering &to) {
  APInt row, column;
  if (!matchPattern(extract.getRow(), m_ConstantInt(&row)) ||
      !matchPattern(extract.getColumn(), m_ConstantInt(&column))) {
    InFlightDiagnostic diag = extract.emitOpError("needs offsets that are constants");
    diag.attachNote() << "a register has no address; a loop that says {tile.unroll} has constants once it is unrolled";
    return diag;
  }
  Places places(*tile::distributionOf(extract.getSource().getType()));
  return rearrange(extract, operands[0], to, [&](layout::Place place) {
    return places.at(place.row + row.getSExtValue(), place.column + column.getSExtValue());
  });
}

LogicalResult lowerRelayout(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<tile::WgmmaAAttr>(type.getEncoding()) && tile::bytesOf(type.getElementType()) == 1 &&
      op->getOperand(0).getType() != type)
    return exchangeInQuads(op, operands[0], to);
  Places places(*tile::distributionOf(op->getOperand(0).getType()));
  return rearrange(op, operands[0], to, [&](layout::Place place) { return places.at(place.row, place.column); });
}

//===- Rows and columns -------------------------------------------------------------------------------------------===//

LogicalResult lowerBroadcast(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Fragment slice = *tile::distributionOf(op->getOperand(0).getType());
  Places places(slice);
  bool perRow = slice.kind == layout::FragmentKind::WgmmaRows;
  return rearrange(op, operands[0], to,
                   [&](layout::Place place) { return places.at(0, perRow ? place.row : place.column); });
}

LogicalResult lowerReduceRows(tile::ReduceRowsOp reduce, ArrayRef<ValueRange> operands, Lowering &to) {
  Fragment from = *tile::distributionOf(reduce.getX().getType()), into = *tile::distributionOf(reduce.getType());
  Registers x(to.rewriter, to.loc, operands[0]), result(to.rewriter, to.loc, into.registers());
  auto join = [&](Value l, Value r) { return tile::combine(to.rewriter, to.loc, reduce.getKind(), l, r); };
  Places rows(into);
  SmallVector<Value> sums(into.registers());
  for (int64_t r = 0; r < x.size(); ++r) { // registers of a row ascend by column
    Value &sum = sums[rows.at(0, from.registerPlace(r).row)];
    sum = sum ? join(sum, x.get(r)) : x.get(r);
  }
  for (int64_t mask : {1, 2})
    for (Value &sum : sums) sum = join(sum, shuffleXor(to, sum, mask));
  for (auto [r, sum] : llvm::enumerate(sums)) result.set(static_cast<int64_t>(r), sum);
  return to.replace(reduce, result.units());
}

LogicalResult lowerCoordinates(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  Arithmetic a{to};
  Fragment fragment = *tile::distributionOf(op->getResult(0).getType());
  bool ofRows = fragment.rows > 1 && cast<tile::CoordinatesOp>(op).getDim() == 0;
  ThreadPlace thread = threadPlaceOf(fragment, to);
  Registers result(to.rewriter, to.loc, fragment.registers());
  for (int64_t r = 0; r < result.size(); ++r) {
    layout::Place place = fragment.registerPlace(r);
    result.set(r, ofRows ? a.add(thread.row, place.row) : a.add(thread.column, place.column));
  }
  return to.replace(op, result.units());
}

//===- Shared tiles -----------------------------------------------------------------------------------------------===//

/// Bytes from a tile's first element to one of its parts, whole rows of panels.
Value offsetOfPart(const layout::SharedTile &tile, Value row, Value column, Lowering &to) {
  Arithmetic a{to};
  Value bytes = a.mul(to.low32(row), tile.rowBytes());
  if (tile.panels() == 1) return a.add(bytes, a.mul(to.low32(column), tile.elementBytes));
  return a.add(bytes, a.mul(a.div(to.low32(column), tile.panel), tile.panelBytes()));
}

LogicalResult lowerSubtile(tile::SubtileOp part, ArrayRef<ValueRange> operands, Lowering &to) {
  Value offset = offsetOfPart(tile::tileOf(part.getSource().getType()), operands[1][0], operands[2][0], to);
  to.rewriter.replaceOp(part, Arithmetic{to}.past(operands[0][0], offset));
  return success();
}

/// Pairs of registers are parts of 8x8 matrices; two atoms that lie side by side are four of them, one instruction.
/// Lane l gives the address of row l mod 8 of matrix l / 8.
LogicalResult lowerStoreMatrix(tile::StoreMatrixOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Arithmetic a{to};
  Fragment f = *tile::distributionOf(store.getValue().getType());
  bool swapped = store.getTranspose();
  auto matrices = static_cast<int64_t>(operands[0].size());
  int64_t acrossN = f.columns / f.q / 8, pairs = acrossN % 2 == 0 ? 2 : 1; // atoms of an instruction
  // Where this lane's row of its matrix lies, from where lane 0 has its registers.
  Value lane = to.frame.lane, within = a.rem(lane, 8), matrix = a.div(lane, 8);
  Value i = a.mul(a.rem(matrix, 2), 8), j = pairs == 2 ? a.mul(a.rem(a.div(matrix, 2), 2), 8) : a.c(0);
  (swapped ? j : i) = a.add(swapped ? j : i, within);
  ThreadPlace block = blockPlaceOf(f, to);
  if (block.row) i = a.add(i, block.row);
  if (block.column) j = a.add(j, block.column);
  Value row = swapped ? j : i, column = swapped ? i : j;

  TileAddress tile(to, tile::tileOf(store.getTarget().getType()), operands[1][0]);
  APInt constant;
  int64_t rowsFrom = 0, columnsFrom = 0, span = 16;
  if (matchPattern(store.getRow(), m_ConstantInt(&constant)))
    rowsFrom = constant.getSExtValue();
  else
    row = a.add(row, to.low32(operands[2][0]));
  if (matchPattern(store.getColumn(), m_ConstantInt(&constant)))
    columnsFrom = constant.getSExtValue();
  else
    column = a.add(column, to.low32(operands[3][0])), span = 0;
  if (swapped || block.column) span = 0;
  tile.startAt(row, column, span);

  auto layout = swapped ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (int64_t m = 0; m < matrices; m += 2 * pairs) {
    layout::Place first = f.registerPlace(2 * m);
    int64_t rows = swapped ? first.column : first.row, columns = swapped ? first.row : first.column;
    SmallVector<Value> words;
    for (int64_t w = 0; w < 2 * pairs; ++w)
      words.push_back(LLVM::BitcastOp::create(b, to.loc, b.getI32Type(), operands[0][m + w]));
    Place place = tile.at(rowsFrom + rows, columnsFrom + columns);
    NVVM::StMatrixOp::create(b, to.loc, a.past(place.pointer, place.offset), words, layout, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::partRows() {
  static const Row rows[] = {
      {"tile.extract", typed<lowerExtract>},
      {"tile.relayout", lowerRelayout},
      {"tile.broadcast", lowerBroadcast},
      {"tile.reduce_rows", typed<lowerReduceRows>},
      {"tile.coordinates", lowerCoordinates},
      {"tile.subtile", typed<lowerSubtile>},
      {"tile.store_matrix", typed<lowerStoreMatrix>, GpuFeature::BulkCopies},
  };
  return rows;
}
