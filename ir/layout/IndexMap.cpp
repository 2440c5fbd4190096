#include "ir/layout/IndexMap.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

using namespace mlir;
using namespace kiln::layout;

namespace {

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// One order for all expressions, so that equal sums are the same expression: dimensions, symbols, constants, the rest.
int compareAtoms(AffineExpr a, AffineExpr b) {
  if (a == b) return 0;
  if (a.getKind() != b.getKind()) return a.getKind() > b.getKind() ? -1 : 1; // DimId is among the last kinds
  if (auto dim = dyn_cast<AffineDimExpr>(a)) return dim.getPosition() < cast<AffineDimExpr>(b).getPosition() ? -1 : 1;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(a))
    return symbol.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1 : 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(a))
    return constant.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  auto x = cast<AffineBinaryOpExpr>(a), y = cast<AffineBinaryOpExpr>(b);
  int left = compareAtoms(x.getLHS(), y.getLHS());
  return left ? left : compareAtoms(x.getRHS(), y.getRHS());
}

/// constant + Σ coefficient · atom, where an atom is a dimension, a symbol, a division or a remainder.
struct Sum {
  int64_t constant = 0;
  SmallVector<std::pair<AffineExpr, int64_t>> terms;

  void add(AffineExpr atom, int64_t coefficient) {
    for (auto &[other, sum] : terms)
      if (other == atom) {
        sum += coefficient;
        return;
      }
    terms.push_back({atom, coefficient});
  }
  void prune() {
    llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
  }
  AffineExpr expr(MLIRContext *context) const {
    auto ordered = terms;
    llvm::sort(ordered, [](auto &a, auto &b) { return compareAtoms(a.first, b.first) < 0; });
    AffineExpr result = getAffineConstantExpr(0, context);
    for (auto [atom, coefficient] : ordered) result = result + atom * coefficient;
    return result + constant;
  }
};

/// Simplifies bottom up; one instance per expression.
class Simplifier {
public:
  Simplifier(Extents extents, MLIRContext *context) : extents(extents), context(context) {}

  Sum run(AffineExpr expr) {
    if (auto known = memo.find(expr); known != memo.end()) return known->second;
    Sum sum;
    accumulate(expr, 1, sum);
    sum.prune();
    rejoin(sum);
    memo[expr] = sum;
    return sum;
  }

private:
  Extents extents;
  MLIRContext *context;
  llvm::DenseMap<AffineExpr, Sum> memo; ///< divisions look at the same parts again and again

  void accumulate(AffineExpr expr, int64_t factor, Sum &sum) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      sum.constant += factor * constant.getValue();
      return;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() < extents.size() && extents[dim.getPosition()] == 1)
      return; // always 0
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) return sum.add(expr, factor);
    auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      accumulate(binary.getLHS(), factor, sum);
      return accumulate(binary.getRHS(), factor, sum);
    case AffineExprKind::Mul:
      if (right) return accumulate(binary.getLHS(), factor * right.getValue(), sum);
      break;
    case AffineExprKind::FloorDiv:
      if (right && right.getValue() > 0) return addScaled(divide(run(binary.getLHS()), right.getValue()), factor, sum);
      break;
    case AffineExprKind::Mod:
      if (right && right.getValue() > 0)
        return addScaled(remainder(run(binary.getLHS()), right.getValue()), factor, sum);
      break;
    default:
      break;
    }
    sum.add(expr, factor);
  }

  static void addScaled(const Sum &part, int64_t factor, Sum &sum) {
    sum.constant += part.constant * factor;
    for (auto [atom, coefficient] : part.terms) sum.add(atom, coefficient * factor);
  }

  std::optional<Bounds> range(const Sum &sum) {
    Bounds total{sum.constant, sum.constant};
    for (auto [atom, coefficient] : sum.terms) {
      std::optional<Bounds> r = boundsOf(atom, extents);
      if (!r) return std::nullopt;
      int64_t a = r->low * coefficient, b = r->high * coefficient;
      total.low += std::min(a, b);
      total.high += std::max(a, b);
    }
    return total;
  }

  /// sum = unit · quotient + rest, with every term of the quotient whole.
  static void split(const Sum &sum, int64_t unit, Sum &quotient, Sum &rest) {
    quotient.constant = floorDiv(sum.constant, unit);
    rest.constant = sum.constant - quotient.constant * unit;
    for (auto [atom, coefficient] : sum.terms)
      if (coefficient % unit == 0)
        quotient.terms.push_back({atom, coefficient / unit});
      else
        rest.terms.push_back({atom, coefficient});
  }

  /// The largest divisor g > 1 of `divisor` such that sum = g·q + r with 0 <= r < g; 1 if there is none.
  int64_t coarseUnit(const Sum &sum, int64_t divisor) {
    for (auto [atom, coefficient] : sum.terms) {
      int64_t g = std::gcd(std::abs(coefficient), divisor);
      if (g <= 1 || g == divisor) continue;
      Sum quotient, rest;
      split(sum, g, quotient, rest);
      std::optional<Bounds> r = range(rest);
      if (r && r->low >= 0 && r->high < g) return g;
    }
    return 1;
  }

  Sum divide(const Sum &sum, int64_t divisor) {
    Sum quotient, rest;
    split(sum, divisor, quotient, rest);
    if (std::optional<Bounds> r = range(rest)) {
      int64_t q = floorDiv(r->low, divisor);
      if (q == floorDiv(r->high, divisor)) {
        quotient.constant += q;
        return quotient;
      }
    }
    if (int64_t g = coarseUnit(rest, divisor); g > 1) {
      Sum coarse, fine;
      split(rest, g, coarse, fine);
      addScaled(divide(coarse, divisor / g), 1, quotient);
      return quotient;
    }
    if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].second == 1)
      if (auto inner = dyn_cast<AffineBinaryOpExpr>(rest.terms[0].first))
        if (auto by = dyn_cast<AffineConstantExpr>(inner.getRHS())) {
          int64_t d = by.getValue();
          if (inner.getKind() == AffineExprKind::FloorDiv) { // (x / d) / divisor
            addScaled(divide(run(inner.getLHS()), d * divisor), 1, quotient);
            return quotient;
          }
          if (inner.getKind() == AffineExprKind::Mod && d % divisor == 0) { // (x mod d) / divisor
            addScaled(remainder(divide(run(inner.getLHS()), divisor), d / divisor), 1, quotient);
            return quotient;
          }
        }
    quotient.add(rest.expr(context).floorDiv(divisor), 1);
    return quotient;
  }

  Sum remainder(const Sum &sum, int64_t divisor) {
    Sum quotient, rest;
    split(sum, divisor, quotient, rest);
    if (std::optional<Bounds> r = range(rest)) {
      int64_t q = floorDiv(r->low, divisor);
      if (q == floorDiv(r->high, divisor)) {
        rest.constant -= q * divisor;
        return rest;
      }
    }
    if (int64_t g = coarseUnit(rest, divisor); g > 1) { // g·((sum / g) mod (divisor / g)) + fine
      Sum coarse, fine;
      split(rest, g, coarse, fine);
      addScaled(remainder(coarse, divisor / g), g, fine);
      return fine;
    }
    if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].second == 1)
      if (auto inner = dyn_cast<AffineBinaryOpExpr>(rest.terms[0].first);
          inner && inner.getKind() == AffineExprKind::Mod)
        if (auto by = dyn_cast<AffineConstantExpr>(inner.getRHS()); by && by.getValue() % divisor == 0)
          return remainder(run(inner.getLHS()), divisor); // (x mod kd) mod d
    Sum result;
    result.add(rest.expr(context) % divisor, 1);
    return result;
  }

  /// a·(x mod d) + a·d·(x / d) = a·x, as often as it applies.
  void rejoin(Sum &sum) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [atom, coefficient] : sum.terms) {
        auto mod = dyn_cast<AffineBinaryOpExpr>(atom);
        if (!mod || mod.getKind() != AffineExprKind::Mod) continue;
        auto by = dyn_cast<AffineConstantExpr>(mod.getRHS());
        if (!by) continue;
        int64_t d = by.getValue();
        Sum x = run(mod.getLHS()), quotient = divide(x, d);
        if (quotient.terms.size() != 1 || quotient.constant != 0 || quotient.terms[0].second != 1) continue;
        AffineExpr division = quotient.terms[0].first;
        auto *found =
            llvm::find_if(sum.terms, [&](auto &t) { return t.first == division && t.second == coefficient * d; });
        if (found == sum.terms.end()) continue;
        AffineExpr modAtom = atom;
        int64_t scale = coefficient;
        llvm::erase_if(sum.terms, [&](auto &t) { return t.first == division || t.first == modAtom; });
        addScaled(x, scale, sum);
        sum.prune();
        changed = true;
        break;
      }
    }
  }
};

} // namespace

std::optional<Bounds> kiln::layout::boundsOf(AffineExpr expr, Extents extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) return Bounds{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= extents.size() || extents[dim.getPosition()] < 1) return std::nullopt;
    return Bounds{0, extents[dim.getPosition()] - 1};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return std::nullopt;
  std::optional<Bounds> l = boundsOf(binary.getLHS(), extents), r = boundsOf(binary.getRHS(), extents);
  if (!l || !r) {
    // A remainder is bounded whatever it is taken of.
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() == AffineExprKind::Mod && by && by.getValue() > 0) return Bounds{0, by.getValue() - 1};
    return std::nullopt;
  }
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return Bounds{l->low + r->low, l->high + r->high};
  case AffineExprKind::Mul: {
    if (r->low != r->high) return std::nullopt;
    int64_t a = l->low * r->low, b = l->high * r->low;
    return Bounds{std::min(a, b), std::max(a, b)};
  }
  case AffineExprKind::FloorDiv:
    if (r->low != r->high || r->low < 1) return std::nullopt;
    return Bounds{floorDiv(l->low, r->low), floorDiv(l->high, r->low)};
  case AffineExprKind::Mod:
    if (r->low != r->high || r->low < 1) return std::nullopt;
    if (floorDiv(l->low, r->low) == floorDiv(l->high, r->low))
      return Bounds{l->low - floorDiv(l->low, r->low) * r->low, l->high - floorDiv(l->high, r->low) * r->low};
    return Bounds{0, r->low - 1};
  default:
    return std::nullopt;
  }
}

AffineExpr kiln::layout::simplify(AffineExpr expr, Extents extents) {
  return Simplifier(extents, expr.getContext()).run(expr).expr(expr.getContext());
}

AffineMap kiln::layout::simplify(AffineMap map, Extents extents) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) results.push_back(simplify(expr, extents));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

AffineMap kiln::layout::compose(AffineMap outer, AffineMap inner, Extents extents) {
  return simplify(outer.compose(inner), extents);
}

AffineMap kiln::layout::nameLargeResults(AffineMap map, llvm::function_ref<AffineExpr(AffineExpr)> name) {
  SmallVector<AffineExpr> results;
  unsigned symbols = map.getNumSymbols();
  for (AffineExpr expr : map.getResults()) {
    int64_t nodes = 0;
    expr.walk([&](AffineExpr) { ++nodes; });
    results.push_back(nodes > kMaxExpressionNodes ? name(expr) : expr);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(results.back())) symbols = std::max(symbols, symbol.getPosition() + 1);
  }
  return AffineMap::get(map.getNumDims(), symbols, results, map.getContext());
}

SmallVector<int64_t> kiln::layout::rowMajorStrides(Extents shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t kiln::layout::elementCount(Extents shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

int64_t kiln::layout::elementCount(Extents extents, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= extents[d];
  return count;
}

AffineMap kiln::layout::identity(MLIRContext *context, Extents extents) {
  return simplify(AffineMap::getMultiDimIdentityMap(extents.size(), context), extents);
}

AffineMap kiln::layout::reshapeMap(MLIRContext *context, Extents from, Extents to) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (auto [i, stride] : llvm::enumerate(rowMajorStrides(to))) linear = linear + getAffineDimExpr(i, context) * stride;
  SmallVector<AffineExpr> results;
  for (auto [extent, stride] : llvm::zip(from, rowMajorStrides(from))) {
    // Every map into an empty tensor is as good as any other.
    AffineExpr index =
        extent == 0 || stride == 0 ? getAffineConstantExpr(0, context) : linear.floorDiv(stride) % extent;
    results.push_back(simplify(index, to));
  }
  return AffineMap::get(to.size(), 0, results, context);
}

AffineExpr kiln::layout::linearOffset(AffineMap map, ArrayRef<int64_t> strides, Extents extents) {
  AffineExpr offset = getAffineConstantExpr(0, map.getContext());
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides)) offset = offset + expr * stride;
  return simplify(offset, extents);
}

std::optional<Linear> kiln::layout::linearIn(AffineExpr expr, unsigned dim, Extents extents) {
  Sum sum = Simplifier(extents, expr.getContext()).run(expr);
  Sum rest;
  rest.constant = sum.constant;
  int64_t coefficient = 0;
  for (auto [atom, c] : sum.terms) {
    if (auto d = dyn_cast<AffineDimExpr>(atom); d && d.getPosition() == dim)
      coefficient = c;
    else if (atom.isFunctionOfDim(dim))
      return std::nullopt;
    else
      rest.terms.push_back({atom, c});
  }
  return Linear{coefficient, rest.expr(expr.getContext())};
}
