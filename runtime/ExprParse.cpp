// Expr::parse(): the text that toString() prints, back as an expression of the same structure.
#include "kiln/Error.h"
#include "runtime/Expr.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace kiln {
namespace {

/// Both bounds keep the stack: of the parser, and of whoever walks the expression.
constexpr int kMaxNesting = 64, kMaxOperators = 1024;

using Make = Expr (*)(const Expr &, const Expr &);
struct FunctionRow {
  std::string_view name;
  Make make;
};
constexpr std::array<FunctionRow, 4> kFunctions = {{
    {"floordiv", [](const Expr &a, const Expr &b) { return floorDiv(a, b); }},
    {"ceildiv", [](const Expr &a, const Expr &b) { return ceilDiv(a, b); }},
    {"min", [](const Expr &a, const Expr &b) { return min(a, b); }},
    {"max", [](const Expr &a, const Expr &b) { return max(a, b); }},
}};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Expr whole() {
    Expr result = sum();
    if (at < text.size()) fail("an operator or the end");
    return result;
  }

private:
  [[noreturn]] void fail(std::string expected) const {
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "expression",
                 .rule = "an expression is of the form that plans print, with " + expected + " here",
                 .expected = std::move(expected),
                 .found = std::string(text.substr(0, 60)) + " ... at " + std::to_string(at)});
  }
  void skipSpace() {
    while (at < text.size() && text[at] == ' ') ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c) return false;
    ++at;
    skipSpace();
    return true;
  }
  void demand(char c) {
    if (!take(c)) fail(std::string("`") + c + "`");
  }
  void countOperator() {
    if (++operators > kMaxOperators) fail("at most " + std::to_string(kMaxOperators) + " operators");
  }

  Expr sum() {
    if (++nesting > kMaxNesting) fail("less nesting");
    Expr result = product();
    for (;;) {
      if (take('+'))
        result = result + product();
      else if (take('-'))
        result = result - product();
      else
        break;
      countOperator();
    }
    --nesting;
    return result;
  }

  Expr product() {
    Expr result = primary();
    while (take('*')) {
      countOperator();
      result = result * primary();
    }
    return result;
  }

  Expr primary() {
    skipSpace();
    if (at == text.size()) fail("a number or a name");
    if (take('(')) {
      Expr inner = sum();
      demand(')');
      return inner;
    }
    if (isDigit(text[at]) || text[at] == '-') return number();
    if (startsName(text[at])) return named();
    fail("a number or a name");
  }

  Expr number() {
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc()) fail("a 64-bit integer");
    at = static_cast<size_t>(end - text.data());
    return value;
  }

  Expr named() {
    size_t begin = at;
    while (at < text.size() && (startsName(text[at]) || isDigit(text[at]))) ++at;
    std::string_view name = text.substr(begin, at - begin);
    if (!take('(')) return Expr::extent(std::string(name));
    auto row = std::find_if(kFunctions.begin(), kFunctions.end(), [&](auto &r) { return r.name == name; });
    if (row == kFunctions.end()) fail("floordiv, ceildiv, min or max");
    countOperator();
    Expr a = sum();
    demand(',');
    Expr b = sum();
    demand(')');
    return row->make(a, b);
  }

  std::string_view text;
  size_t at = 0;
  int nesting = 0, operators = 0;
};

} // namespace

Expr Expr::parse(std::string_view text) { return Parser(text).whole(); }

} // namespace kiln
