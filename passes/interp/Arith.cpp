// Rows of arithmetic, comparisons, logic and choice.
#include "passes/interp/RowHelpers.h"
#include "passes/interp/numeric/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::interp {
namespace {

// Wrapping arithmetic is done unsigned: the low bits are the same, and nothing overflows.
int64_t addWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t subWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t mulWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t bitXor(int64_t a, int64_t b) { return a ^ b; }
/// x/0 = 0; the lowest value divided by -1 is itself once cut to its width.
int64_t guardedDiv(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? subWrapping(0, a) : a / b; }
int64_t guardedRem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

LogicalResult mulf(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  if (op->getOperand(0) == op->getOperand(1))
    map(square, *x[0], results[0]);
  else
    map(mul, *x[0], *x[1], results[0]);
  return success();
}

/// Division that upstream leaves undefined for some operands: meeting one means that a guard is missing.
template <int64_t (*F)(int64_t, int64_t)>
LogicalResult unguarded(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  int64_t lowest = results[0].dtype == DType::I32 ? INT32_MIN : INT64_MIN;
  for (int64_t i = 0; i < results[0].size(); ++i) {
    Integer a = x[0]->integerAt(i), b = x[1]->integerAt(i);
    if (a.either || b.either) continue;
    if (b.v == 0 || (b.v == -1 && a.v == lowest))
      return op->emitError() << "`" << op->getName() << "` of " << a.v << " and " << b.v
                             << " is undefined; `graph.divi` and `graph.remi` guard it";
  }
  map(F, *x[0], *x[1], results[0]);
  return success();
}

/// `and` (dominant 0) and `or` (dominant all ones): for bools one operand may settle the result on its own.
template <bool isAnd> LogicalResult logic(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  OracleTensor &result = results[0];
  for (int64_t i = 0; i < result.size(); ++i) {
    Integer a = x[0]->integerAt(i), b = x[1]->integerAt(i);
    int64_t dominant = isAnd ? 0 : 1;
    bool settled = result.dtype == DType::Bool && ((!a.either && a.v == dominant) || (!b.either && b.v == dominant));
    int64_t v = settled ? dominant : isAnd ? a.v & b.v : a.v | b.v;
    result.setInteger(i, {v, !settled && (a.either || b.either)});
  }
  return success();
}

/// The relations that make a float predicate true.
unsigned wantedRelations(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return kEqual;
  case P::OGT:
    return kGreater;
  case P::OGE:
    return kGreater | kEqual;
  case P::OLT:
    return kLess;
  case P::OLE:
    return kLess | kEqual;
  case P::ONE:
    return kLess | kGreater;
  case P::ORD:
    return kLess | kEqual | kGreater;
  case P::UEQ:
    return kEqual | kUnordered;
  case P::UGT:
    return kGreater | kUnordered;
  case P::UGE:
    return kGreater | kEqual | kUnordered;
  case P::ULT:
    return kLess | kUnordered;
  case P::ULE:
    return kLess | kEqual | kUnordered;
  case P::UNE:
    return kLess | kGreater | kUnordered;
  case P::UNO:
    return kUnordered;
  case P::AlwaysTrue:
    return kLess | kEqual | kGreater | kUnordered;
  }
  return 0;
}

LogicalResult cmpf(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  compareFloats(wantedRelations(cast<arith::CmpFOp>(op).getPredicate()), *x[0], *x[1], results[0]);
  return success();
}

bool relates(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

LogicalResult cmpi(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  int64_t sign = x[0]->dtype == DType::Bool ? -1 : 1; // as a signed one-bit integer, true is -1
  for (int64_t i = 0; i < results[0].size(); ++i) {
    Integer a = x[0]->integerAt(i), b = x[1]->integerAt(i);
    results[0].setInteger(i, {relates(predicate, sign * a.v, sign * b.v), a.either || b.either});
  }
  return success();
}

LogicalResult select(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  if (x[0]->shape != results[0].shape)
    return op->emitError() << "the condition of `arith.select` must have the result's shape";
  choose(*x[0], *x[1], *x[2], results[0]);
  return success();
}

constexpr StringRef kHalf = "half a unit in the last place; none for exact operands, whose rounded result is unique";
constexpr StringRef kNone = "none";
constexpr StringRef kStep = "none; `either` where the operands' ranges leave it open";

const InterpRow kRows[] = {
    {"arith.addf", binaryRow<add>, kHalf},
    {"arith.subf", binaryRow<sub>, kHalf},
    {"arith.mulf", mulf, kHalf},
    {"arith.divf", binaryRow<div>, "half a unit in the last place; unknown where the divisor's range holds 0"},
    {"arith.negf", unaryRow<neg>, kNone},
    {"arith.maximumf", binaryRow<maximum>, kNone},
    {"arith.minimumf", binaryRow<minimum>, kNone},
    {"arith.addi", integerBinaryRow<addWrapping>, kNone},
    {"arith.subi", integerBinaryRow<subWrapping>, kNone},
    {"arith.muli", integerBinaryRow<mulWrapping>, kNone},
    {"arith.maxsi", integerBinaryRow<larger>, kNone},
    {"arith.minsi", integerBinaryRow<smaller>, kNone},
    {"arith.divsi", unguarded<guardedDiv>, "none; an error where undefined"},
    {"arith.remsi", unguarded<guardedRem>, "none; an error where undefined"},
    {"graph.divi", integerBinaryRow<guardedDiv>, kNone},
    {"graph.remi", integerBinaryRow<guardedRem>, kNone},
    {"arith.cmpf", cmpf, kStep},
    {"arith.cmpi", cmpi, kNone},
    {"arith.andi", logic<true>, kNone},
    {"arith.ori", logic<false>, kNone},
    {"arith.xori", integerBinaryRow<bitXor>, kNone},
    {"arith.select", select,
     "the chosen side's; both sides' hull, `either` if they are apart, where the condition is open"},
};

} // namespace

ArrayRef<InterpRow> arithRows() { return kRows; }

} // namespace kiln::interp
