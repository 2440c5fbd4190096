#include "ir/tile/analysis/IndexPolynomial.h"
#include "ir/tile/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace kiln::tile {

using namespace mlir;

//===- One polynomial ---------------------------------------------------------------------------------------------===//

IndexPolynomial::IndexPolynomial(int64_t constant) { add({}, constant); }

IndexPolynomial IndexPolynomial::of(Value value) {
  IndexPolynomial polynomial;
  polynomial.add({value.getAsOpaquePointer()}, 1);
  return polynomial;
}

bool IndexPolynomial::add(const Product &product, int64_t coefficient) {
  constexpr size_t kMostTerms = 32;
  int64_t &sum = all[product];
  if (llvm::AddOverflow(sum, coefficient, sum)) return false;
  if (sum == 0) all.erase(product);
  return all.size() <= kMostTerms;
}

std::optional<int64_t> IndexPolynomial::asConstant() const {
  if (all.empty()) return 0;
  if (all.size() == 1 && all.begin()->first.empty()) return all.begin()->second;
  return std::nullopt;
}

std::vector<Value> IndexPolynomial::values() const {
  std::vector<const void *> found;
  for (const auto &[product, coefficient] : all) found.insert(found.end(), product.begin(), product.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<Value> values;
  for (const void *value : found) values.push_back(Value::getFromOpaquePointer(value));
  return values;
}

std::optional<IndexPolynomial> IndexPolynomial::plus(const IndexPolynomial &other, int64_t times) const {
  IndexPolynomial sum = *this;
  for (const auto &[product, coefficient] : other.all) {
    int64_t scaled = 0;
    if (llvm::MulOverflow(coefficient, times, scaled) || !sum.add(product, scaled)) return std::nullopt;
  }
  return sum;
}

std::optional<IndexPolynomial> IndexPolynomial::times(const IndexPolynomial &other) const {
  constexpr size_t kMostFactors = 6;
  IndexPolynomial result;
  for (const auto &[left, a] : all)
    for (const auto &[right, b] : other.all) {
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      int64_t coefficient = 0;
      if (product.size() > kMostFactors || llvm::MulOverflow(a, b, coefficient) || !result.add(product, coefficient))
        return std::nullopt;
    }
  return result;
}

//===- Polynomials of values --------------------------------------------------------------------------------------===//

/// Ops that only constants are known of.
static std::optional<int64_t> fold(Operation *op, int64_t a, int64_t b) {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::RemSIOp, arith::RemUIOp>(op);
  // One rounding is as another, and signed as unsigned, where nothing is negative.
  if (isDivision && (a < 0 || b <= 0)) return std::nullopt;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) return a % b;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) return a / b + (a % b != 0);
  if (isDivision) return a / b;
  if (isa<arith::MinSIOp>(op)) return std::min(a, b);
  if (isa<arith::MaxSIOp>(op)) return std::max(a, b);
  return std::nullopt;
}

/// Of a comparison of what is `apart`; `signs`: both sides are known not to be negative.
static std::optional<bool> compare(arith::CmpIPredicate predicate, int64_t apart, bool signs) {
  using P = arith::CmpIPredicate;
  bool isUnsigned = llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  if (isUnsigned && !signs && apart != 0) return std::nullopt;
  switch (predicate) {
  case P::eq:
    return apart == 0;
  case P::ne:
    return apart != 0;
  case P::slt:
  case P::ult:
    return apart < 0;
  case P::sle:
  case P::ule:
    return apart <= 0;
  case P::sgt:
  case P::ugt:
    return apart > 0;
  case P::sge:
  case P::uge:
    return apart >= 0;
  }
  return std::nullopt;
}

namespace {

/// One question to polynomials: what expressions share is looked into once.
class Question {
public:
  Question(const llvm::DenseMap<Value, IndexPolynomial> &known, const IndexPolynomials::LooksInto &looksInto)
      : known(known), looksInto(looksInto) {}

  IndexPolynomial of(Value value, int depth = kDepth);
  std::optional<bool> isTrue(Value condition, int depth = kDepth);

private:
  static constexpr int kDepth = 12; ///< how deep expressions are looked into
  const llvm::DenseMap<Value, IndexPolynomial> &known;
  const IndexPolynomials::LooksInto &looksInto;
  llvm::DenseMap<std::pair<Value, int>, IndexPolynomial> answers;
  llvm::DenseMap<std::pair<Value, int>, std::optional<bool>> truths;

  std::optional<IndexPolynomial> ofOp(Operation *op, int depth);
  std::optional<bool> isTrueOf(Operation *op, int depth);
};

} // namespace

std::optional<IndexPolynomial> Question::ofOp(Operation *op, int depth) {
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth - 1); };
  if (isa<arith::AddIOp, LLVM::AddOp>(op)) return operand(0).plus(operand(1));
  if (isa<arith::SubIOp, LLVM::SubOp>(op)) return operand(0).plus(operand(1), -1);
  if (isa<arith::MulIOp, LLVM::MulOp>(op)) return operand(0).times(operand(1));
  if (looksInto && isa<CastOpInterface, LLVM::SExtOp, LLVM::ZExtOp>(op)) return operand(0);
  if (isa<arith::IndexCastOp>(op) && isa<IndexType>(op->getOperand(0).getType())) {
    // What is no constant may be cut.
    IndexPolynomial from = operand(0);
    std::optional<int64_t> constant = from.asConstant();
    return constant && llvm::isInt<31>(*constant) ? std::optional(from) : std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<bool> condition = isTrue(select.getCondition(), depth - 1);
    return condition ? std::optional(operand(*condition ? 1 : 2)) : std::nullopt;
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1) return std::nullopt;
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect())) return std::nullopt;
  std::optional<int64_t> a = operand(0).asConstant(), b = a ? operand(1).asConstant() : std::nullopt;
  std::optional<int64_t> folded = a && b ? fold(op, *a, *b) : std::nullopt;
  return folded ? std::optional(IndexPolynomial(*folded)) : std::nullopt;
}

/// Whether a number is one of a type: what is computed with fewer bits than polynomials have may wrap.
static bool fits(std::optional<int64_t> number, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return !number || !integer || integer.getWidth() >= 64 || llvm::isIntN(integer.getWidth(), *number);
}

IndexPolynomial Question::of(Value value, int depth) {
  if (auto set = known.find(value); set != known.end()) return set->second;
  if (std::optional<int64_t> constant = tile::constantOf(value)) return IndexPolynomial(*constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || !value.getType().isIntOrIndex() || (looksInto && !looksInto(op)))
    return IndexPolynomial::of(value);
  if (auto answer = answers.find({value, depth}); answer != answers.end()) return answer->second;
  IndexPolynomial polynomial = ofOp(op, depth).value_or(IndexPolynomial::of(value));
  if (!fits(polynomial.asConstant(), value.getType())) polynomial = IndexPolynomial::of(value);
  answers[{value, depth}] = polynomial;
  return polynomial;
}

std::optional<bool> Question::isTrueOf(Operation *op, int depth) {
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    std::optional<bool> a = isTrue(op->getOperand(0), depth - 1), b = isTrue(op->getOperand(1), depth - 1);
    bool decides = isa<arith::OrIOp>(op); // the value that one side alone decides with
    if ((a && *a == decides) || (b && *b == decides)) return decides;
    return a && b ? std::optional(!decides) : std::nullopt;
  }
  auto compared = dyn_cast<arith::CmpIOp>(op);
  if (!compared) return std::nullopt;
  IndexPolynomial left = of(compared.getLhs(), depth - 1), right = of(compared.getRhs(), depth - 1);
  std::optional<IndexPolynomial> difference = left.plus(right, -1);
  std::optional<int64_t> apart = difference ? difference->asConstant() : std::nullopt;
  bool signs = left.asConstant().value_or(-1) >= 0 && right.asConstant().value_or(-1) >= 0;
  return apart ? compare(compared.getPredicate(), *apart, signs) : std::nullopt;
}

std::optional<bool> Question::isTrue(Value condition, int depth) {
  if (std::optional<int64_t> constant = tile::constantOf(condition)) return *constant != 0;
  Operation *op = condition.getDefiningOp();
  if (!op || depth == 0 || !condition.getType().isInteger(1)) return std::nullopt;
  if (auto truth = truths.find({condition, depth}); truth != truths.end()) return truth->second;
  std::optional<bool> truth = isTrueOf(op, depth);
  truths[{condition, depth}] = truth;
  return truth;
}

IndexPolynomial IndexPolynomials::of(Value value) const { return Question(known, looksInto).of(value); }
std::optional<bool> IndexPolynomials::isTrue(Value condition) const {
  return Question(known, looksInto).isTrue(condition);
}

bool mayBeLeftOut(Operation *op) {
  for (Operation *around = op->getParentOp(); !isa<KernelOp>(around); op = around, around = op->getParentOp()) {
    if (isa<SpecializeOp, FillOp>(around)) continue;
    if (auto loop = dyn_cast<scf::ForOp>(around)) {
      std::optional<APInt> turns = loop.getStaticTripCount();
      if (turns && turns->isZero()) return true;
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(around);
    if (!branch) return true;
    bool isThen = op->getParentRegion() == &branch.getThenRegion();
    if (IndexPolynomials().isTrue(branch.getCondition()) != isThen) return true;
  }
  return false;
}

} // namespace kiln::tile
