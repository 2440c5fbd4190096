#include "codegen/gpu/Shifted.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;
using P = LLVM::ICmpPredicate;

namespace {
constexpr int64_t kWord = 16;  ///< bytes
constexpr int64_t kPieces = 4; ///< registers of a word
} // namespace

//===- i32 arithmetic ---------------------------------------------------------------------------------------------===//

Value ShiftedRuns::add(Value x, int64_t y) {
  return y == 0 ? x : LLVM::AddOp::create(b, to.loc, x, to.i32(y)).getResult();
}
Value ShiftedRuns::choose(Value condition, Value x, Value y) {
  return LLVM::SelectOp::create(b, to.loc, condition, x, y);
}
Value ShiftedRuns::compare(P predicate, Value x, int64_t y) {
  return LLVM::ICmpOp::create(b, to.loc, predicate, x, to.i32(y));
}
/// x in 0 … high.
Value ShiftedRuns::clamp(Value x, int64_t high) {
  return LLVM::SMinOp::create(b, to.loc, LLVM::SMaxOp::create(b, to.loc, x, to.i32(0)), to.i32(high));
}
/// The bits of elements 0 … x - 1, x being at most 16.
Value ShiftedRuns::below(Value x) { return add(LLVM::ShlOp::create(b, to.loc, to.i32(1), x), -1); }
Value ShiftedRuns::onlyIf(Value predicate, Value more) {
  return !predicate ? more : !more ? predicate : LLVM::AndOp::create(b, to.loc, predicate, more).getResult();
}
/// Bytes as elements, rounded down.
Value ShiftedRuns::logOf(Value x) {
  return bytes == 1
             ? x
             : LLVM::AShrOp::create(b, to.loc, x, to.i32(llvm::Log2_64(static_cast<uint64_t>(bytes)))).getResult();
}

//===- Places -----------------------------------------------------------------------------------------------------===//

ShiftedRuns::ShiftedRuns(Lowering &to, Memory &memory, const layout::Fragment &fragment, RunMask &mask, Value offset,
                         int64_t aligned)
    : to(to), b(to.rewriter), fragment(fragment), mask(mask), elements(memory), words(memory), aligned(aligned),
      bytes(memory.bytes), run(contiguousRegisters(fragment)) {
  Value inBytes = LLVM::MulOp::create(b, to.loc, to.low32(offset), to.i32(bytes));
  past = LLVM::AndOp::create(b, to.loc, inBytes, to.i32(kWord - 1)); // threads and runs are whole words apart
  words.moveBy(LLVM::SubOp::create(b, to.loc, to.i32(0), past));
  if (mask.isPrefix())
    reach = LLVM::AddOp::create(b, to.loc, LLVM::MulOp::create(b, to.loc, mask.left(), to.i32(bytes)), past);
}

/// Of the run in register r and `more` elements behind those of all threads.
ShiftedRuns::Extent ShiftedRuns::extentOf(int64_t r, int64_t more) const {
  if (mask.isUniform()) return Extent::Whole;
  if (!mask.count()) return Extent::Partly;
  int64_t begin = column(r), end = begin + run * fragment.threads();
  return *mask.count() <= begin ? Extent::Absent : *mask.count() >= end + more ? Extent::Whole : Extent::Partly;
}

/// The registers from byte `past` of the first on (down), or from 16 - `past` on (up): a word fewer. What alignment
/// rules out is not done.
SmallVector<Value> ShiftedRuns::moved(ArrayRef<Value> from, bool up) {
  SmallVector<Value> now(from);
  size_t count = from.size() - kPieces;
  auto stage = [&](size_t step, llvm::function_ref<Value(Value, Value)> pick) {
    for (size_t i = 0; i + step < now.size(); ++i) now[i] = pick(now[i], now[i + step]);
    now.resize(now.size() - step);
  };
  auto skip = [&](size_t step) {
    if (up) now.erase(now.begin(), now.begin() + static_cast<int64_t>(step));
  };
  for (int64_t by : {8, 4}) {
    auto step = static_cast<size_t>(by / 4);
    if (aligned * bytes > by) {
      skip(step);
      continue;
    }
    Value condition = compare(P::ne, LLVM::AndOp::create(b, to.loc, past, to.i32(by)), 0);
    stage(step,
          [&](Value low, Value high) { return up ? choose(condition, low, high) : choose(condition, high, low); });
  }
  if (aligned * bytes >= 4) {
    skip(1);
  } else {
    Value bits = LLVM::MulOp::create(b, to.loc, past, to.i32(8)); // modulo 32
    stage(1, [&](Value low, Value high) -> Value {
      if (up) return LLVM::FshlOp::create(b, to.loc, high, low, bits);
      return LLVM::FshrOp::create(b, to.loc, high, low, bits);
    });
  }
  now.resize(count);
  return now;
}

//===- Loads ------------------------------------------------------------------------------------------------------===//

/// The registers of the word `byte` bytes past the start of `from`; zero where a predicate does not hold.
SmallVector<Value, 4> ShiftedRuns::loadWord(Memory &from, int64_t byte, Value predicate) {
  Place place = from.at(byte / bytes);
  Type i32 = b.getI32Type();
  SmallVector<Value, 4> result;
  if (predicate) {
    auto load = ptx::LoadOp::create(b, to.loc, SmallVector<Type>(kPieces, i32), place.pointer, predicate, place.offset,
                                    from.readOnly);
    result.assign(load.getValues().begin(), load.getValues().end());
    return result;
  }
  Value loaded = LLVM::LoadOp::create(b, to.loc, VectorType::get({kPieces}, i32), addressOf(to, place), kWord,
                                      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/from.readOnly);
  for (int64_t i = 0; i < kPieces; ++i) result.push_back(laneOf(b, to.loc, loaded, i));
  return result;
}

/// The words that the run in register r lies in; `last` starts where the last one of a run that is cut in two does, and
/// a word before it for others: it always holds an element.
SmallVector<Value> ShiftedRuns::loadRun(Memory &last, int64_t r, Extent extent) {
  int64_t first = column(r) * bytes, count = run * bytes / kWord;
  SmallVector<Value> from;
  for (int64_t i = 0; i <= count; ++i) {
    Value predicate = mask.isUniform() ? mask.at(r, column(r)) : Value();
    if (extent == Extent::Partly)
      predicate = i == 0 ? mask.at(r, column(r)) : compare(P::sgt, reach, first + i * kWord);
    llvm::append_range(from, loadWord(i == count ? last : words, first + i * kWord, predicate));
  }
  return from;
}

void ShiftedRuns::load(Registers &result) {
  Words packing(to, elements);
  Type word = packing.wordType(run);
  Memory last = words;
  last.moveBy(choose(compare(P::eq, past, 0), to.i32(-kWord), to.i32(0)));
  SmallVector<SmallVector<Value>> runs; // all loads come before what waits for one
  for (int64_t r = 0; r < result.size(); r += run)
    if (Extent extent = extentOf(r, 0); extent != Extent::Absent) runs.push_back(loadRun(last, r, extent));
  for (int64_t r = 0; r < result.size(); r += run) {
    Extent extent = extentOf(r, 0);
    if (extent == Extent::Absent) {
      for (int64_t i = r; i < r + run; ++i) result.set(i, zeroOf(b, to.loc, elements.element));
      continue;
    }
    SmallVector<Value> shifted = moved(runs[static_cast<size_t>(r / run)], /*up=*/false);
    for (Value &value : shifted)
      if (value.getType() != word) value = LLVM::BitcastOp::create(b, to.loc, word, value);
    packing.unpack(result, r, run, shifted);
    if (extent == Extent::Partly && run > mask.granule()) zeroWhereAbsent(result, r, run, mask, fragment, to);
  }
}

//===- Stores -----------------------------------------------------------------------------------------------------===//

/// Which elements of a run lie in a word that other warps, or nobody here, have the rest of: those of lane 0 in its
/// first word, those of lane 31 behind its last; a bit each. Null if there are none.
Value ShiftedRuns::endsOf(bool first, bool last) {
  Value ends;
  if (first) {
    Value head = below(logOf(LLVM::SubOp::create(b, to.loc, to.i32(kWord), past)));
    head = choose(compare(P::eq, past, 0), to.i32(0), head);
    ends = choose(compare(P::eq, to.frame.lane, 0), head, to.i32(0));
  }
  if (last) {
    Value kept = logOf(LLVM::SubOp::create(b, to.loc, to.i32(run * bytes), past));
    Value tail = LLVM::ShlOp::create(b, to.loc, to.i32(-1), kept);
    ends = choose(compare(P::eq, to.frame.lane, 31), tail, ends ? ends : to.i32(0));
  }
  return ends;
}

/// Which elements of the run in register r lie in the word that the end of a prefix cuts, or behind it.
Value ShiftedRuns::cutOf(int64_t r) {
  Value end = LLVM::AndOp::create(b, to.loc, add(reach, -column(r) * bytes), to.i32(-kWord));
  Value from = clamp(logOf(LLVM::SubOp::create(b, to.loc, end, past)), run);
  return LLVM::ShlOp::create(b, to.loc, to.i32(-1), from);
}

/// The words of the run in register r that are all there.
void ShiftedRuns::storeWords(ArrayRef<Value> shifted, int64_t r, Extent extent, bool isFirst) {
  int64_t first = column(r) * bytes;
  for (int64_t i = 0; i < run * bytes / kWord; ++i) {
    Value predicate = mask.isUniform() ? mask.at(r, column(r)) : Value();
    if (extent == Extent::Partly) predicate = compare(P::sge, reach, first + (i + 1) * kWord);
    if (i == 0 && isFirst) {
      Value alone = LLVM::OrOp::create(b, to.loc, compare(P::ne, to.frame.lane, 0), compare(P::eq, past, 0));
      predicate = onlyIf(predicate, alone);
    }
    ArrayRef<Value> pieces = shifted.slice(static_cast<size_t>(i * kPieces), kPieces);
    Place place = words.at((first + i * kWord) / bytes);
    if (predicate)
      ptx::StoreOp::create(b, to.loc, pieces, place.pointer, predicate, place.offset);
    else
      LLVM::StoreOp::create(b, to.loc, vectorOf(b, to.loc, pieces), addressOf(to, place), kWord);
  }
}

/// One by one, those elements of the run in register r that have a bit.
void ShiftedRuns::storeElements(Registers &value, int64_t r, Value which) {
  Words packing(to, elements);
  int64_t step = std::min({aligned, run, mask.granule(), packing.most()});
  for (int64_t i = 0; i < run; i += step) {
    Value predicate = compare(P::ne, LLVM::AndOp::create(b, to.loc, which, to.i32(int64_t(1) << i)), 0);
    if (mask.isUniform()) predicate = onlyIf(mask.at(r, column(r)), predicate);
    packing.store(value, r + i, column(r) + i, step, predicate);
  }
}

void ShiftedRuns::store(Registers &value) {
  Words packing(to, elements);
  Type i32 = b.getI32Type();
  Value before = LLVM::AndOp::create(b, to.loc, add(to.frame.lane, 31), to.i32(31));
  Value isFirstLane = compare(P::eq, to.frame.lane, 0);
  SmallVector<Value, 4> ofLastRun; // what lane 0 got in the run before: of lane 31
  for (int64_t r = 0; r < value.size(); r += run) {
    bool isFirst = !isOneWarps() || r == 0, isLast = !isOneWarps() || r + run == value.size();
    // A run is not whole where a word that it shares with the next is not.
    Extent extent = extentOf(r, isLast ? 0 : kWord / bytes);
    if (extent == Extent::Absent) break;
    SmallVector<Value> own = packing.pack(value, r, run);
    for (Value &piece : own)
      if (piece.getType() != i32) piece = LLVM::BitcastOp::create(b, to.loc, i32, piece);
    SmallVector<Value, 4> got;
    for (Value piece : ArrayRef(own).take_back(kPieces))
      got.push_back(
          NVVM::ShflOp::create(b, to.loc, i32, to.i32(-1), piece, before, to.i32(31), NVVM::ShflKind::idx, UnitAttr()));
    SmallVector<Value> all(got.begin(), got.end());
    if (!ofLastRun.empty())
      for (auto [piece, last] : llvm::zip(all, ofLastRun)) piece = choose(isFirstLane, last, piece);
    if (isOneWarps()) ofLastRun = got;
    llvm::append_range(all, own);
    storeWords(moved(all, /*up=*/true), r, extent, isFirst);
    Value which = endsOf(isFirst, isLast);
    if (extent == Extent::Partly) {
      Value there = below(clamp(add(mask.left(), -column(r)), run)), cut = cutOf(r);
      if (which) cut = LLVM::OrOp::create(b, to.loc, which, cut);
      which = LLVM::AndOp::create(b, to.loc, there, cut);
    }
    if (which) storeElements(value, r, which);
  }
}
