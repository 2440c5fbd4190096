#include "codegen/gpu/Loops.h"
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;

namespace {

/// A number that grows by 1 each turn: the counter + `base` + `distance`.
struct Counted {
  Value base; ///< made outside of the loop; null for 0
  int64_t distance = 0;
};

/// A loop's remainders by one number of what starts from one base.
struct Remainders {
  Value base;
  int64_t by;
  bool operator==(const Remainders &) const = default;
};

/// What is asked of one counted number.
struct Uses {
  SmallVector<Operation *> remainders; ///< x mod by
  SmallVector<Operation *> parities;   ///< x / by mod 2
};

class CarriedRemainders {
public:
  CarriedRemainders(scf::ForOp loop, IRRewriter &b) : loop(loop), b(b) {}

  /// Returns the loop, which is another one where it carries more.
  scf::ForOp run() {
    if (!loop.getInductionVar().getType().isInteger(32) || !matchPattern(loop.getStep(), m_One())) return loop;
    for (Operation &op : *loop.getBody()) collect(&op);
    while (!groups.empty()) {
      auto [key, uses] = groups.pop_back_val();
      carry(key, uses);
    }
    return loop;
  }

private:
  using Distances = llvm::MapVector<int64_t, Uses>;

  scf::ForOp loop;
  IRRewriter &b;
  SmallVector<std::pair<Remainders, Distances>> groups;
  tile::IndexPolynomials polynomials{[this](Operation *op) { return looksInto(op); }};

  /// Sums and differences in the loop, and what is widened and cut again.
  bool looksInto(Operation *op) {
    if (loop.isDefinedOutsideOfLoop(op->getResult(0))) return false;
    if (isa<arith::AddIOp, LLVM::AddOp, arith::SubIOp, LLVM::SubOp>(op)) return true;
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) return false;
    Operation *widened = op->getOperand(0).getDefiningOp();
    return op->getResult(0).getType().isIndex() ||
           (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(widened) &&
            widened->getOperand(0).getType() == op->getResult(0).getType());
  }

  /// The value as a counted number, where it is one.
  std::optional<Counted> counted(Value value) {
    Counted number;
    bool counts = false;
    tile::IndexPolynomial polynomial = polynomials.of(value);
    for (const auto &[product, coefficient] : polynomial.terms()) {
      if (product.empty()) {
        number.distance = coefficient;
        continue;
      }
      Value factor = Value::getFromOpaquePointer(product.front());
      bool isCounter = factor == loop.getInductionVar();
      if (product.size() > 1 || coefficient != 1) return std::nullopt;
      if (!isCounter && (number.base || !loop.isDefinedOutsideOfLoop(factor))) return std::nullopt;
      counts |= isCounter;
      if (!isCounter) number.base = factor;
    }
    return counts ? std::optional(number) : std::nullopt;
  }

  void collect(Operation *op) {
    if (!isa<LLVM::URemOp, LLVM::UDivOp>(op)) return;
    std::optional<int64_t> by = tile::constantOf(op->getOperand(1));
    if (!by || *by < 2 || llvm::isPowerOf2_64(static_cast<uint64_t>(*by))) return;
    std::optional<Counted> number = counted(op->getOperand(0));
    if (!number) return;
    Remainders key{number->base, *by};
    auto *group = llvm::find_if(groups, [&](const auto &entry) { return entry.first == key; });
    if (group == groups.end()) group = &groups.emplace_back(key, Distances());
    Uses &uses = group->second[number->distance];
    if (isa<LLVM::URemOp>(op)) {
      uses.remainders.push_back(op);
      return;
    }
    for (Operation *user : op->getUsers())
      if (isa<LLVM::AndOp>(user) && tile::constantOf(user->getOperand(1)) == 1) uses.parities.push_back(user);
  }

  Value i32(int64_t value) {
    return LLVM::ConstantOp::create(b, loop.getLoc(), b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  /// The counted number of a group before the first turn.
  Value firstOf(const Remainders &key, int64_t distance) {
    Value first = loop.getLowerBound();
    if (key.base) first = LLVM::AddOp::create(b, loop.getLoc(), first, key.base);
    return LLVM::AddOp::create(b, loop.getLoc(), first, i32(distance));
  }

  /// Values of the loop: for each distance the remainder, and the parity where it is asked for. A remainder will be in
  /// a turn what the one ahead of it is now.
  void carry(const Remainders &key, const Distances &distances) {
    Location loc = loop.getLoc();
    b.setInsertionPoint(loop);
    Value by = i32(key.by), one = i32(1), zero = i32(0);
    SmallVector<Value> firsts;
    for (const auto &[distance, uses] : distances) {
      Value first = firstOf(key, distance);
      firsts.push_back(LLVM::URemOp::create(b, loc, first, by));
      if (!uses.parities.empty())
        firsts.push_back(LLVM::AndOp::create(b, loc, LLVM::UDivOp::create(b, loc, first, by), one));
    }
    auto next = [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> carried) {
      llvm::DenseMap<int64_t, Value> now;
      unsigned i = 0;
      for (const auto &[distance, uses] : distances) {
        now[distance] = carried[i];
        i += uses.parities.empty() ? 1 : 2;
      }
      SmallVector<Value> yielded;
      for (const auto &[distance, uses] : distances) {
        auto ahead = llvm::find_if(now, [&](auto &other) { return (other.first - distance - 1) % key.by == 0; });
        if (ahead != now.end() && uses.parities.empty()) {
          yielded.push_back(ahead->second);
          continue;
        }
        Value more = LLVM::AddOp::create(inside, loc, now[distance], one);
        Value wraps = LLVM::ICmpOp::create(inside, loc, LLVM::ICmpPredicate::eq, more, by);
        yielded.push_back(LLVM::SelectOp::create(inside, loc, wraps, zero, more));
        if (uses.parities.empty()) continue;
        Value parity = carried[llvm::find(carried, now[distance]) - carried.begin() + 1];
        Value other = LLVM::XOrOp::create(inside, loc, parity, one);
        yielded.push_back(LLVM::SelectOp::create(inside, loc, wraps, other, parity));
      }
      return yielded;
    };
    auto made = loop.replaceWithAdditionalYields(b, firsts, /*replaceInitOperandUsesInLoop=*/false, next);
    if (failed(made)) return;
    loop = cast<scf::ForOp>(*made);
    auto carried = loop.getRegionIterArgs().take_back(firsts.size()).begin();
    for (const auto &[distance, uses] : distances) {
      for (Operation *op : uses.remainders) op->getResult(0).replaceAllUsesWith(*carried);
      ++carried;
      if (uses.parities.empty()) continue;
      for (Operation *op : uses.parities) op->getResult(0).replaceAllUsesWith(*carried);
      ++carried;
    }
  }
};

} // namespace

void kiln::codegen::gpu::improveLoops(LLVM::LLVMFuncOp function) {
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); }); // inner ones first
  IRRewriter b(function.getContext());
  for (scf::ForOp loop : loops) carrySources(CarriedRemainders(loop, b).run(), b);
}
