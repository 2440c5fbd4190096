// What matmuls by warps are made of: asynchronous copies, matrix loads, MMA atoms.
#include "codegen/gpu/Access.h"
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;
using layout::FragmentKind;

namespace {

//===- Asynchronous copies ----------------------------------------------------------------------------------------===//

/// The box in chunks of 16 bytes, dealt to the threads along rows: of so few columns at a time that a thread meets each
/// row several times, 128 bytes further, which instructions say themselves; or of whole rows.
class BoxCopy {
public:
  BoxCopy(tile::AsyncCopyOp copy, ArrayRef<ValueRange> operands, Lowering &to)
      : copy(copy), to(to), a{to}, tile(copy.getTarget().getType()), source(to, copy.getSource(), operands[0][0]),
        target(to, copy.getTarget(), operands.back()[0]), offset(operands[1][0]), rows(to.low32(operands[2][0])),
        columns(to.low32(operands[3][0])) {
    if (copy.getStride())
      stride = arith::IndexCastOp::create(to.rewriter, to.loc, to.rewriter.getI64Type(), operands[4][0]);
    elements = 16 / tile::bytesOf(tile.getElementType());
    chunksPerRow = tile.getShape()[1] / elements;
    chunks = tile.getShape()[0] * chunksPerRow;
    width = chunksOfPass();
  }

  void run() {
    int64_t threads = to.threads();
    if (threads % width != 0 || chunks % threads != 0) {
      for (int64_t first = 0; first < chunks; first += threads) {
        startAt(first, first + threads <= chunks);
        copyChunk(0, 0);
      }
      return;
    }
    startAt(0, true);
    for (int64_t row = 0; row < tile.getShape()[0]; row += threads / width) {
      if (stride && row > 0) source.moveBy(bytesOf(threads / width));
      for (int64_t column = 0; column < chunksPerRow; column += width) copyChunk(row, column * elements);
    }
  }

private:
  tile::AsyncCopyOp copy;
  Lowering &to;
  Arithmetic a;
  tile::SharedType tile;
  Memory source, target;
  Value offset, rows, columns;
  int64_t elements, chunksPerRow, chunks;
  int64_t width;               ///< chunks of a row that the threads take at a time
  Value stride;                ///< of rows, i64, where it is no number
  Value rowsLeft, columnsLeft; ///< from the thread's first chunk on; null if all of the tile's are there

  /// The fewest chunks, of 128 bytes at least, of which the threads take the same in every pass; else a row's.
  int64_t chunksOfPass() const {
    constexpr int64_t kLine = 128 / 16;
    for (int64_t width = kLine; width < chunksPerRow; width *= 2)
      if (chunksPerRow % width == 0 && to.threads() % width == 0 && tile.getShape()[0] % (to.threads() / width) == 0)
        return width;
    return chunksPerRow;
  }

  /// What a limit leaves behind a place; null where it is known to leave all of the tile.
  Value leftOf(Value limit, Value lowered, Value place, int64_t extent) const {
    APInt constant;
    bool isAll = matchPattern(limit, m_ConstantInt(&constant)) && constant.sge(extent);
    return isAll ? Value() : a.sub(lowered, place);
  }
  /// Bytes from a row to the one so many further down, i64.
  Value bytesOf(int64_t down) {
    Value factor = to.i64(down * tile::bytesOf(tile.getElementType()));
    return LLVM::MulOp::create(to.rewriter, to.loc, stride, factor);
  }

  /// Offsets in the source count from the thread's chunk.
  void startSource(Value row, Value column) {
    if (!stride) {
      auto known = static_cast<int64_t>(*copy.getRowStride());
      return source.startAt(offset, {row, column}, known, (tile.getShape()[0] - 1) * known + tile.getShape()[1]);
    }
    OpBuilder &b = to.rewriter;
    Value down = LLVM::MulOp::create(b, to.loc, LLVM::SExtOp::create(b, to.loc, b.getI64Type(), row), stride);
    source.startAt(offset,
                   LLVM::AddOp::create(b, to.loc, down, LLVM::SExtOp::create(b, to.loc, b.getI64Type(), column)));
  }

  /// The thread's chunk from chunk `first` on; threads that have none repeat the last where not all have one.
  void startAt(int64_t first, bool whole) {
    Value number = to.thread();
    if (first > 0) number = a.add(number, a.c(first));
    if (!whole) number = a.min(number, a.c(chunks - 1));
    Value row = a.div(number, width), column = a.mul(a.rem(number, width), elements);
    startSource(row, column);
    target.startAt(to.i64(0), a.add(a.mul(row, tile.getShape()[1]), column));
    rowsLeft = leftOf(copy.getRows(), rows, row, tile.getShape()[0]);
    columnsLeft = leftOf(copy.getColumns(), columns, column, tile.getShape()[1]);
  }

  /// Bytes of the chunk so much further that are there; null for all.
  Value bytesAt(int64_t down, int64_t right) {
    Value inRows = rowsLeft ? a.less(a.c(down), rowsLeft) : Value();
    if (!columnsLeft || to.frame.wholeChunks.contains(copy)) {
      Value isThere = a.both(inRows, columnsLeft ? a.less(a.c(right), columnsLeft) : Value());
      // All or none, as a shifted bit: the backend makes no selections of selections of it, and so the assembler takes
      // the condition for the instruction's predicate.
      return isThere ? a.shl(LLVM::ZExtOp::create(to.rewriter, to.loc, to.rewriter.getI32Type(), isThere), 4) : Value();
    }
    Value left = a.max(a.min(a.sub(columnsLeft, a.c(right)), a.c(elements)), a.c(0));
    Value bytes = a.mul(left, 16 / elements);
    return inRows ? a.select(inRows, bytes, a.c(0)) : bytes;
  }

  /// The chunk so many rows and columns further, in the rows that the source has come to.
  void copyChunk(int64_t down, int64_t right) {
    int64_t past = stride ? right : down * static_cast<int64_t>(*copy.getRowStride()) + right;
    NVVM::CpAsyncOp::create(to.rewriter, to.loc, addressOf(to, target.inRow(down, right)),
                            addressOf(to, source.at(past)), 16, NVVM::LoadCacheModifierKind::CG, bytesAt(down, right));
  }
};

LogicalResult lowerAsyncCopy(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  BoxCopy(cast<tile::AsyncCopyOp>(op), operands, to).run();
  return success();
}

LogicalResult lowerAsyncCommit(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  NVVM::CpAsyncCommitGroupOp::create(to.rewriter, to.loc);
  return success();
}

LogicalResult lowerAsyncWait(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  auto pending = static_cast<int32_t>(cast<tile::AsyncWaitOp>(op).getPending());
  NVVM::CpAsyncWaitGroupOp::create(to.rewriter, to.loc, pending);
  return success();
}

//===- Matrix loads -----------------------------------------------------------------------------------------------===//

/// Every two registers of an operand are a thread's part of one 8x8 matrix. Four matrices that lie as those of an atom
/// do are one instruction; lane l gives the address of row l mod 8 of matrix l / 8.
LogicalResult lowerLoadMatrix(tile::LoadMatrixOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Arithmetic a{to};
  layout::Fragment f = *tile::distributionOf(load.getType());
  bool isB = f.kind == FragmentKind::MmaB, swapped = load.getTranspose();
  Memory memory(to, load.getSource(), operands[0][0]);
  int64_t rowLength = load.getSource().getType().getShape()[1];

  // Where this lane's row lies in the four matrices of an atom, in the fragment's coordinates i, j.
  Value lane = to.frame.lane, warp = to.warp();
  Value number = a.div(lane, 8), within = a.rem(lane, 8);
  Value i = a.mul(a.rem(number, 2), 8), j = a.mul(a.div(number, 2), 8);
  if (isB)
    j = a.add(j, a.mul(a.rem(warp, f.q), f.columns / f.q));
  else
    i = a.add(i, a.mul(a.div(warp, f.q), f.rows / f.p));
  (swapped ? j : i) = a.add(swapped ? j : i, within);
  Value row = swapped ? j : i, column = swapped ? i : j;
  // Places that are known are in the instruction, so that loads along a tile share what is computed.
  int64_t known = 0;
  auto moved = [&](Value place, Value from, ValueRange lowered, int64_t unit) {
    APInt constant;
    if (!matchPattern(from, m_ConstantInt(&constant))) return a.add(place, to.low32(lowered[0]));
    known += constant.getSExtValue() * unit;
    return place;
  };
  row = moved(row, load.getRow(), operands[1], rowLength);
  column = moved(column, load.getColumn(), operands[2], 1);
  memory.startAt(to.i64(0), a.add(a.mul(row, rowLength), column));

  auto layout = isB != swapped ? NVVM::MMALayout::col : NVVM::MMALayout::row; // col transposes each matrix
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Type pair = VectorType::get({2}, cast<RankedTensorType>(load.getType()).getElementType());
  auto placeOf = [&](int64_t matrix) { return f.registerPlace(2 * matrix); };
  int64_t matrices = f.registers() / 2;
  SmallVector<Value> units;
  for (int64_t m = 0; m < matrices;) {
    layout::Place first = placeOf(m);
    auto liesAt = [&](int64_t which, int64_t di, int64_t dj) {
      return which < matrices && placeOf(which) == layout::Place{first.row + di, first.column + dj};
    };
    int count = liesAt(m + 1, 8, 0) && liesAt(m + 2, 0, 8) && liesAt(m + 3, 8, 8) ? 4 : liesAt(m + 1, 8, 0) ? 2 : 1;
    int64_t offset = swapped ? first.column * rowLength + first.row : first.row * rowLength + first.column;
    SmallVector<Type> words(count, b.getI32Type());
    Type type = count == 1 ? words[0] : LLVM::LLVMStructType::getLiteral(b.getContext(), words);
    Value loaded = NVVM::LdMatrixOp::create(b, to.loc, type, addressOf(to, memory.at(known + offset)), count, layout,
                                            shape, NVVM::LdStMatrixEltType::B16);
    for (int w = 0; w < count; ++w) {
      Value word = count == 1 ? loaded : LLVM::ExtractValueOp::create(b, to.loc, loaded, w).getResult();
      units.push_back(LLVM::BitcastOp::create(b, to.loc, pair, word));
    }
    m += count;
  }
  return to.replace(load, units);
}

//===- MMA atoms --------------------------------------------------------------------------------------------------===//

/// m16n8k16 on the tensor cores; every accumulator meets its atoms in ascending k.
LogicalResult lowerMmaSync(tile::MmaOp mma, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  auto aType = cast<RankedTensorType>(mma.getA().getType());
  layout::Fragment left = *tile::distributionOf(aType), sums = *tile::distributionOf(mma.getType());
  int64_t ks = left.columns / 16, ms = sums.rows / sums.p / 16, ns = sums.columns / sums.q / 8;
  auto kind = aType.getElementType().isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  // bf16 pairs are i32 to the instruction, f16 pairs vectors.
  auto operand = [&](Value unit) -> Value {
    return kind == NVVM::MMATypes::f16 ? unit : LLVM::BitcastOp::create(b, to.loc, b.getI32Type(), unit).getResult();
  };
  SmallVector<Value> a, c;
  for (Value unit : operands[0]) a.push_back(operand(unit));
  SmallVector<Value> bs;
  for (Value unit : operands[1]) bs.push_back(operand(unit));
  Registers acc(b, to.loc, operands[2]);
  Type f32 = b.getF32Type(), type = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  for (int64_t k = 0; k < ks; ++k)
    for (int64_t m = 0; m < ms; ++m)
      for (int64_t n = 0; n < ns; ++n) {
        int64_t r = (m * ns + n) * 4, aFirst = (m * ks + k) * 4, bFirst = (k * ns + n) * 2;
        Value sum[] = {acc.get(r), acc.get(r + 1), acc.get(r + 2), acc.get(r + 3)};
        Value result = NVVM::MmaOp::create(
            b, to.loc, type, ArrayRef<Value>(a).slice(aFirst, 4), ArrayRef<Value>(bs).slice(bFirst, 2), ValueRange(sum),
            ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt, std::array{kind, kind},
            std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
        for (int i = 0; i < 4; ++i) acc.set(r + i, LLVM::ExtractValueOp::create(b, to.loc, result, i));
      }
  return to.replace(mma, acc.units());
}

/// One fma per element.
LogicalResult lowerOuter(tile::MmaOp mma, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  layout::Fragment sums = *tile::distributionOf(mma.getType());
  Registers left(b, to.loc, operands[0]), right(b, to.loc, operands[1]), acc(b, to.loc, operands[2]);
  int64_t ownRows = sums.rows / sums.p, ownColumns = sums.columns / sums.q;
  for (int64_t i = 0; i < ownRows; ++i)
    for (int64_t j = 0; j < ownColumns; ++j) {
      int64_t r = i * ownColumns + j;
      acc.set(r, LLVM::FMAOp::create(b, to.loc, left.get(i), right.get(j), acc.get(r)));
    }
  return to.replace(mma, acc.units());
}

LogicalResult lowerMma(tile::MmaOp mma, ArrayRef<ValueRange> operands, Lowering &to) {
  bool outer = tile::distributionOf(mma.getType())->kind == FragmentKind::Outer;
  return outer ? lowerOuter(mma, operands, to) : lowerMmaSync(mma, operands, to);
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::matrixRows() {
  static const Row rows[] = {
      {"tile.async_copy", lowerAsyncCopy}, {"tile.async_commit", lowerAsyncCommit},
      {"tile.async_wait", lowerAsyncWait}, {"tile.load_matrix", typed<lowerLoadMatrix>},
      {"tile.mma", typed<lowerMma>},
  };
  return rows;
}
