// A number in a launch plan: an expression over named extents. A plan of static shapes holds constants only, which cost
// no allocation; a plan with run-time extents has the same structs and evaluates the same expressions per call.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The value of each named extent.
using Bindings = std::map<std::string, int64_t, std::less<>>;

/// An immutable expression of 64-bit integers: value semantics, structural equality.
class Expr {
public:
  enum class Kind : uint8_t { Constant, Extent, Add, Sub, Mul, FloorDiv, CeilDiv, Min, Max };

  /// The constant `value`; implicit, so that plans of static shapes read as numbers.
  Expr(int64_t value = 0) : value(value) {}
  /// The extent `name`, bound when the plan runs.
  static Expr extent(std::string name);
  /// The expression that toString() printed, of the same structure, if its extents are named like variables. Throws
  /// Error (invalid input) on other text, and on text of more than 1024 operators or 64 levels of nesting.
  static Expr parse(std::string_view text);

  Kind kind() const;
  bool isConstant() const { return !node; }
  /// The constant's value; throws Error (internal) if this is no constant.
  int64_t constant() const;
  /// The extent's name; empty for any other kind.
  const std::string &extentName() const;
  /// The extents that it reads, each once, from left to right.
  std::vector<std::string> extents() const;

  /// The operands of any other kind than a constant or an extent; 0 for those.
  Expr left() const;
  Expr right() const;

  /// The value under `bindings`. Throws Error (invalid input) on an unbound extent, overflow, or a divisor below 1.
  int64_t evaluate(const Bindings &bindings = {}) const;
  /// The expression with the extents of `known` as constants; others stay.
  Expr substitute(const Bindings &known) const;
  /// Whether the extent `name` stands in it.
  bool names(std::string_view name) const;
  /// The text of the expression: "128", "n", "ceildiv(n, 64) * 4", "max(n + 1, 8)".
  std::string toString() const;

  bool operator==(const Expr &other) const;

  /// Constants fold; a fold that would overflow is kept and reported by evaluate().
  friend Expr operator+(const Expr &a, const Expr &b);
  friend Expr operator-(const Expr &a, const Expr &b);
  friend Expr operator*(const Expr &a, const Expr &b);
  friend Expr floorDiv(const Expr &a, const Expr &b);
  friend Expr ceilDiv(const Expr &a, const Expr &b);
  friend Expr min(const Expr &a, const Expr &b);
  friend Expr max(const Expr &a, const Expr &b);

private:
  struct Node;
  static Expr make(Kind kind, const Expr &a, const Expr &b);
  std::string print(int parentPrecedence) const;

  int64_t value = 0;
  std::shared_ptr<const Node> node;
};

Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
/// Rounds towards minus infinity.
Expr floorDiv(const Expr &a, const Expr &b);
/// Rounds towards plus infinity.
Expr ceilDiv(const Expr &a, const Expr &b);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);

} // namespace kiln
