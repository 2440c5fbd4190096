//===- IndexPolynomial.h - index values as sums of products -------------------------------------------------------===//
//
// What rules of whole programs know of integers: each value as a constant plus coefficients times products of values
// that stand for themselves, so that what is added and taken away again is gone, and a loop's variable may stand for
// what it is in one of its turns.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_ANALYSIS_INDEXPOLYNOMIAL_H
#define KILN_IR_TILE_ANALYSIS_INDEXPOLYNOMIAL_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace kiln::tile {

/// Σ coefficient · (product of values); the constant is the coefficient of the product of none.
class IndexPolynomial {
public:
  /// Values in an order of their own; one that is there twice is squared.
  using Product = std::vector<const void *>;

  IndexPolynomial() = default;
  explicit IndexPolynomial(int64_t constant);
  static IndexPolynomial of(mlir::Value value);

  const std::map<Product, int64_t> &terms() const { return all; }
  std::optional<int64_t> asConstant() const;
  /// Each value that a product has, once.
  std::vector<mlir::Value> values() const;

  /// Nullopt where a coefficient is no i64, or there are many terms.
  std::optional<IndexPolynomial> plus(const IndexPolynomial &other, int64_t times = 1) const;
  std::optional<IndexPolynomial> times(const IndexPolynomial &other) const;

private:
  std::map<Product, int64_t> all; ///< none is 0

  bool add(const Product &product, int64_t coefficient);
};

/// Polynomials of the values of one program.
class IndexPolynomials {
public:
  using LooksInto = std::function<bool(mlir::Operation *)>;

  IndexPolynomials() = default;
  /// Values made by other ops than those that `looksInto` takes stand for themselves. Casts that it takes change
  /// nothing.
  explicit IndexPolynomials(LooksInto looksInto) : looksInto(std::move(looksInto)) {}

  /// From here on `value` stands for `polynomial`; what was asked for before is as it was.
  void set(mlir::Value value, IndexPolynomial polynomial) { known[value] = std::move(polynomial); }
  void forget(mlir::Value value) { known.erase(value); }

  /// What a value is; itself where nothing is known of it. Index arithmetic does not overflow.
  IndexPolynomial of(mlir::Value value) const;
  std::optional<int64_t> constantOf(mlir::Value value) const { return of(value).asConstant(); }
  /// Whether an i1 is true, where polynomials tell.
  std::optional<bool> isTrue(mlir::Value condition) const;

private:
  llvm::DenseMap<mlir::Value, IndexPolynomial> known;
  LooksInto looksInto;
};

/// Whether an op may be left out whenever the code around it runs: a branch around it is not known to be taken, or a
/// loop has no turns. What would be wrong there may never be.
bool mayBeLeftOut(mlir::Operation *op);

} // namespace kiln::tile

#endif
