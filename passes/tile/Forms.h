//===- Forms.h - index values as sums of products -----------------------------------------------------------------===//
//
// What rules of whole programs know of integers: each value as a constant plus coefficients times products of values
// that stand for themselves, so that what is added and taken away again is gone, and a loop's variable may stand for
// what it is in one of its turns.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_FORMS_H
#define KILN_PASSES_TILE_FORMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <vector>

namespace kiln::tile {

/// Σ coefficient · (product of values); the constant is the coefficient of the product of none.
class Form {
public:
  /// Values in an order of their own; one that is there twice is squared.
  using Product = std::vector<const void *>;

  Form() = default;
  explicit Form(int64_t constant);
  static Form of(mlir::Value value);

  const std::map<Product, int64_t> &terms() const { return all; }
  std::optional<int64_t> asConstant() const;
  /// Each value that a product has, once.
  std::vector<mlir::Value> values() const;

  /// Nullopt where a coefficient is no i64, or there are many terms.
  std::optional<Form> plus(const Form &other, int64_t times = 1) const;
  std::optional<Form> times(const Form &other) const;

private:
  std::map<Product, int64_t> all; ///< none is 0

  bool add(const Product &product, int64_t coefficient);
};

/// Forms of the values of one program.
class Forms {
public:
  /// From here on `value` stands for `form`; what was asked for before is as it was.
  void set(mlir::Value value, Form form) { known[value] = std::move(form); }
  void forget(mlir::Value value) { known.erase(value); }

  /// What a value is; itself where nothing is known of it. Index arithmetic does not overflow.
  Form of(mlir::Value value) const;
  std::optional<int64_t> constantOf(mlir::Value value) const { return of(value).asConstant(); }
  /// Whether an i1 is true, where forms tell.
  std::optional<bool> isTrue(mlir::Value condition) const;

private:
  llvm::DenseMap<mlir::Value, Form> known;
};

/// Whether an op may be left out whenever the code around it runs: a branch around it is not known to be taken, or a
/// loop has no turns. What would be wrong there may never be.
bool mayBeLeftOut(mlir::Operation *op);

} // namespace kiln::tile

#endif
