// What matmuls by warps are made of: asynchronous copies, matrix loads, MMA atoms.
#include "codegen/gpu/Access.h"
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;
using layout::FragmentKind;

namespace {

//===- Asynchronous copies ----------------------------------------------------------------------------------------===//

/// The box in chunks of 16 bytes, dealt to the threads along rows. A thread's chunks lie in one column where the
/// threads are whole rows, so that all but the row is computed once.
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
  }

  void run() {
    int64_t threads = to.threads();
    bool inColumns = threads % chunksPerRow == 0; // a thread's chunks lie below one another
    for (int64_t first = 0; first < chunks; first += threads) {
      bool whole = first + threads <= chunks;
      if (first == 0 || !inColumns || !whole) startAt(first, whole);
      copyChunk(inColumns && whole ? first / chunksPerRow : 0);
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
  Value stride;             ///< of rows, i64, where it is no number
  Value row, column, bytes; ///< of the thread's chunk that offsets count from

  /// Offsets in the source count from row `row` of the thread's column.
  void startSource(Value row) {
    if (!stride) {
      auto known = static_cast<int64_t>(*copy.getRowStride());
      return source.startAt(offset, {row, column}, known, (tile.getShape()[0] - 1) * known);
    }
    OpBuilder &b = to.rewriter;
    Value down = LLVM::MulOp::create(b, to.loc, LLVM::SExtOp::create(b, to.loc, b.getI64Type(), row), stride);
    source.startAt(offset, LLVM::AddOp::create(b, to.loc, down, LLVM::SExtOp::create(b, to.loc, b.getI64Type(), column)));
  }

  /// The thread's chunk from chunk `first` on; threads that have none repeat the last. Where threads are whole rows and
  /// every one has a chunk, the thread's very first.
  void startAt(int64_t first, bool whole) {
    Value number = to.thread();
    if (first > 0) number = a.add(number, a.c(first));
    if (!whole) number = a.min(number, a.c(chunks - 1));
    row = a.div(number, chunksPerRow);
    column = a.mul(a.rem(number, chunksPerRow), elements);
    startSource(row);
    target.startAt(to.i64(0), a.add(a.mul(row, tile.getShape()[1]), column));
    Value left = a.max(a.min(a.sub(columns, column), a.c(elements)), a.c(0));
    bytes = a.mul(left, 16 / elements);
  }

  void copyChunk(int64_t down) {
    Value here = down == 0 ? row : a.add(row, a.c(down));
    Value some = a.select(a.less(here, rows), bytes, a.c(0));
    // Constant strides are offsets in the instruction.
    if (stride && down > 0) startSource(here);
    int64_t past = stride ? 0 : down * static_cast<int64_t>(*copy.getRowStride());
    NVVM::CpAsyncOp::create(to.rewriter, to.loc, addressOf(to, target.at(down * tile.getShape()[1])),
                            addressOf(to, source.at(past)), 16, NVVM::LoadCacheModifierKind::CG, some);
  }
};

LogicalResult lowerAsyncCopy(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  BoxCopy(cast<tile::AsyncCopyOp>(op), operands, to).run();
  to.rewriter.eraseOp(op);
  return success();
}

LogicalResult lowerAsyncCommit(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
  return success();
}

LogicalResult lowerAsyncWait(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  auto pending = static_cast<int32_t>(cast<tile::AsyncWaitOp>(op).getPending());
  to.rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, pending);
  return success();
}

//===- Matrix loads -----------------------------------------------------------------------------------------------===//

/// Every two registers of an operand are a thread's part of one 8x8 matrix. Four matrices that lie as those of an atom
/// do are one instruction; lane l gives the address of row l mod 8 of matrix l / 8.
LogicalResult lowerLoadMatrix(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  auto load = cast<tile::LoadMatrixOp>(op);
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
  row = a.add(row, to.low32(operands[1][0]));
  column = a.add(column, to.low32(operands[2][0]));
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
    Value loaded = NVVM::LdMatrixOp::create(b, to.loc, type, addressOf(to, memory.at(offset)), count, layout, shape,
                                            NVVM::LdStMatrixEltType::B16);
    for (int w = 0; w < count; ++w) {
      Value word = count == 1 ? loaded : LLVM::ExtractValueOp::create(b, to.loc, loaded, w).getResult();
      units.push_back(LLVM::BitcastOp::create(b, to.loc, pair, word));
    }
    m += count;
  }
  return to.replace(op, units);
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

LogicalResult lowerMma(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  auto mma = cast<tile::MmaOp>(op);
  bool outer = tile::distributionOf(mma.getType())->kind == FragmentKind::Outer;
  return outer ? lowerOuter(mma, operands, to) : lowerMmaSync(mma, operands, to);
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::matrixRows() {
  static const Row rows[] = {
      {"tile.async_copy", lowerAsyncCopy},
      {"tile.async_commit", lowerAsyncCommit},
      {"tile.async_wait", lowerAsyncWait},
      {"tile.load_matrix", lowerLoadMatrix},
      {"tile.mma", lowerMma},
  };
  return rows;
}
