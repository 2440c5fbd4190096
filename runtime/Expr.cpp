#include "runtime/Expr.h"
#include "kiln/Error.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace kiln {

struct Expr::Node {
  Kind kind;
  std::string name; ///< Extent
  Expr a, b;        ///< the operands otherwise
};

namespace {

using Fold = std::optional<int64_t> (*)(int64_t, int64_t);

template <typename F> std::optional<int64_t> checked(F f, int64_t a, int64_t b) {
  int64_t result = 0;
  if (f(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> foldFloorDiv(int64_t a, int64_t b) {
  if (b < 1) return std::nullopt;
  return a / b - (a % b < 0);
}

std::optional<int64_t> foldCeilDiv(int64_t a, int64_t b) {
  if (b < 1) return std::nullopt;
  return a / b + (a % b > 0);
}

/// How a binary kind computes and prints; `symbol` is infix where `precedence` is above 0, a function's name otherwise.
struct OpRow {
  Expr::Kind kind;
  const char *symbol;
  int precedence;
  Fold fold; ///< nothing if undefined or out of range
};

constexpr std::array<OpRow, 7> kOps = {{
    {Expr::Kind::Add, "+", 1,
     [](int64_t a, int64_t b) { return checked([](auto... x) { return __builtin_add_overflow(x...); }, a, b); }},
    {Expr::Kind::Sub, "-", 1,
     [](int64_t a, int64_t b) { return checked([](auto... x) { return __builtin_sub_overflow(x...); }, a, b); }},
    {Expr::Kind::Mul, "*", 2,
     [](int64_t a, int64_t b) { return checked([](auto... x) { return __builtin_mul_overflow(x...); }, a, b); }},
    {Expr::Kind::FloorDiv, "floordiv", 0, foldFloorDiv},
    {Expr::Kind::CeilDiv, "ceildiv", 0, foldCeilDiv},
    {Expr::Kind::Min, "min", 0, [](int64_t a, int64_t b) { return std::optional(std::min(a, b)); }},
    {Expr::Kind::Max, "max", 0, [](int64_t a, int64_t b) { return std::optional(std::max(a, b)); }},
}};

const OpRow &rowOf(Expr::Kind kind) {
  return *std::find_if(kOps.begin(), kOps.end(), [=](const OpRow &r) { return r.kind == kind; });
}

[[noreturn]] void fail(ErrorCode code, std::string rule, std::string found) {
  throw Error({.code = code, .op = "launch plan", .rule = std::move(rule), .found = std::move(found)});
}

} // namespace

Expr Expr::extent(std::string name) {
  Expr result;
  result.node = std::make_shared<const Node>(Node{Kind::Extent, std::move(name), {}, {}});
  return result;
}

Expr Expr::make(Kind kind, const Expr &a, const Expr &b) {
  if (a.isConstant() && b.isConstant())
    if (std::optional<int64_t> folded = rowOf(kind).fold(a.value, b.value)) return Expr(*folded);
  Expr result;
  result.node = std::make_shared<const Node>(Node{kind, {}, a, b});
  return result;
}

Expr::Kind Expr::kind() const { return node ? node->kind : Kind::Constant; }

int64_t Expr::constant() const {
  if (node) fail(ErrorCode::Internal, "this number must be a constant", toString());
  return value;
}

const std::string &Expr::extentName() const {
  static const std::string none;
  return node ? node->name : none;
}

std::vector<std::string> Expr::extents() const {
  if (!node) return {};
  if (node->kind == Kind::Extent) return {node->name};
  std::vector<std::string> names = node->a.extents();
  for (std::string &name : node->b.extents())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  return names;
}

Expr Expr::left() const { return node ? node->a : Expr(); }
Expr Expr::right() const { return node ? node->b : Expr(); }

int64_t Expr::evaluate(const Bindings &bindings) const {
  if (!node) return value;
  if (node->kind == Kind::Extent) {
    auto it = bindings.find(node->name);
    if (it == bindings.end()) fail(ErrorCode::InvalidInput, "every run-time extent is bound", node->name);
    return it->second;
  }
  std::optional<int64_t> result = rowOf(node->kind).fold(node->a.evaluate(bindings), node->b.evaluate(bindings));
  if (!result) fail(ErrorCode::InvalidInput, "an expression stays within 64 bits and divides by 1 or more", toString());
  return *result;
}

Expr Expr::substitute(const Bindings &known) const {
  if (!node) return *this;
  if (node->kind != Kind::Extent) return make(node->kind, node->a.substitute(known), node->b.substitute(known));
  auto it = known.find(node->name);
  return it == known.end() ? *this : Expr(it->second);
}

bool Expr::names(std::string_view name) const {
  if (!node) return false;
  if (node->kind == Kind::Extent) return node->name == name;
  return node->a.names(name) || node->b.names(name);
}

std::string Expr::toString() const { return print(0); }

std::string Expr::print(int parentPrecedence) const {
  if (!node) return std::to_string(value);
  if (node->kind == Kind::Extent) return node->name;
  const OpRow &row = rowOf(node->kind);
  if (row.precedence == 0) return fmt::format("{}({}, {})", row.symbol, node->a.print(0), node->b.print(0));
  // The right operand binds one tighter: a - (b - c) keeps its parentheses.
  std::string text =
      fmt::format("{} {} {}", node->a.print(row.precedence), row.symbol, node->b.print(row.precedence + 1));
  return row.precedence < parentPrecedence ? "(" + text + ")" : text;
}

bool Expr::operator==(const Expr &other) const {
  if (node == other.node) return value == other.value;
  if (!node || !other.node || node->kind != other.node->kind) return false;
  return node->name == other.node->name && node->a == other.node->a && node->b == other.node->b;
}

Expr operator+(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::Add, a, b); }
Expr operator-(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::Sub, a, b); }
Expr operator*(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::Mul, a, b); }
Expr floorDiv(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::FloorDiv, a, b); }
Expr ceilDiv(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::CeilDiv, a, b); }
Expr min(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::Min, a, b); }
Expr max(const Expr &a, const Expr &b) { return Expr::make(Expr::Kind::Max, a, b); }

} // namespace kiln
