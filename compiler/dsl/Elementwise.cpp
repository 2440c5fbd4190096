// Elementwise functions and operators of the DSL: rows that say which op of the graph level serves each class of dtype.
#include "compiler/dsl/Operands.h"
#include "compiler/kiln/Ops.h"
#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {
/// Which op computes a function on floats, integers and bools; empty where the function does not take them.
struct Row {
  StringRef onFloat, onInt = {}, onBool = {};
};

enum class Class { Float, Int, Bool };

Class classOf(Type element) {
  if (isa<FloatType>(element)) return Class::Float;
  return element.isInteger(1) ? Class::Bool : Class::Int;
}

/// The op of a row for an element type; throws where there is none.
StringRef pick(const OpScope &scope, const Row &row, Type element) {
  const StringRef names[] = {row.onFloat, row.onInt, row.onBool};
  StringRef op = names[static_cast<int>(classOf(element))];
  if (!op.empty()) return op;
  std::string takes;
  for (auto [name, text] : {std::pair{row.onFloat, "a float"}, {row.onInt, "an integer"}, {row.onBool, "a bool"}})
    if (!name.empty()) takes += (takes.empty() ? "" : " or ") + std::string(text);
  fail(scope.call(), "the op does not take this dtype", takes + " tensor", std::string(name(dtypeOf(element))),
       row.onFloat.empty() ? "" : "cast(x, kiln::f32)");
}

Tensor nary(StringRef name, const Row &row, std::initializer_list<const Operand *> operands) {
  OpScope scope(name, operands);
  SmallVector<Value> values = scope.unify(operands);
  Type type = values.front().getType();
  return scope.tensor(scope.build(pick(scope, row, getElementTypeOrSelf(type)), values, {}, type));
}

Tensor compare(StringRef name, CmpFPredicate onFloat, CmpIPredicate onInt, const Operand &a, const Operand &b) {
  OpScope scope(name, {&a, &b});
  SmallVector<Value> values = scope.unify({&a, &b});
  Type element = getElementTypeOrSelf(values.front());
  bool equality = onInt == CmpIPredicate::eq || onInt == CmpIPredicate::ne;
  Row row{"arith.cmpf", "arith.cmpi", equality ? "arith.cmpi" : ""};
  StringRef op = pick(scope, row, element);
  Attribute predicate = op == "arith.cmpf" ? Attribute(arith::CmpFPredicateAttr::get(scope.b().getContext(), onFloat))
                                           : arith::CmpIPredicateAttr::get(scope.b().getContext(), onInt);
  Type type = RankedTensorType::get(shapeOf(values.front()), scope.b().getI1Type());
  return scope.tensor(scope.build(op, values, scope.attr("predicate", predicate), type));
}

/// x op c for a constant c of x's type.
Value withConstant(OpScope &scope, StringRef op, Value x, Attribute element, bool constantFirst = false) {
  Value c = scope.build("arith.constant", {},
                        scope.attr("value", DenseElementsAttr::get(cast<RankedTensorType>(x.getType()), element)),
                        x.getType());
  return scope.build(op, constantFirst ? ValueRange{c, x} : ValueRange{x, c}, {}, x.getType());
}
} // namespace

#define KILN_BINARY(NAME, SPELLING, ...)                                                                               \
  Tensor kiln::NAME(const Operand &a, const Operand &b) { return nary(SPELLING, Row{__VA_ARGS__}, {&a, &b}); }
KILN_BINARY(operator+, "+", "arith.addf", "arith.addi")
KILN_BINARY(operator-, "-", "arith.subf", "arith.subi")
KILN_BINARY(operator*, "*", "arith.mulf", "arith.muli")
KILN_BINARY(operator/, "/", "arith.divf", "graph.divi")
KILN_BINARY(operator%, "%", "", "graph.remi")
KILN_BINARY(maximum, "maximum", "arith.maximumf", "arith.maxsi", "arith.ori")
KILN_BINARY(minimum, "minimum", "arith.minimumf", "arith.minsi", "arith.andi")
KILN_BINARY(operator&&, "&&", "", "", "arith.andi")
KILN_BINARY(operator||, "||", "", "", "arith.ori")
KILN_BINARY(operator&, "&", "", "arith.andi", "arith.andi")
KILN_BINARY(operator|, "|", "", "arith.ori", "arith.ori")
KILN_BINARY(operator^, "^", "", "arith.xori", "arith.xori")
#undef KILN_BINARY

#define KILN_COMPARE(NAME, SPELLING, ON_FLOAT, ON_INT)                                                                 \
  Tensor kiln::NAME(const Operand &a, const Operand &b) {                                                              \
    return compare(SPELLING, CmpFPredicate::ON_FLOAT, CmpIPredicate::ON_INT, a, b);                                    \
  }
KILN_COMPARE(operator==, "==", OEQ, eq)
KILN_COMPARE(operator!=, "!=", UNE, ne)
KILN_COMPARE(operator<, "<", OLT, slt)
KILN_COMPARE(operator<=, "<=", OLE, sle)
KILN_COMPARE(operator>, ">", OGT, sgt)
KILN_COMPARE(operator>=, ">=", OGE, sge)
#undef KILN_COMPARE

#define KILN_UNARY(NAME, SPELLING, OP)                                                                                 \
  Tensor kiln::NAME(const Operand &x) { return nary(SPELLING, Row{OP}, {&x}); }
KILN_UNARY(exp, "exp", "math.exp")
KILN_UNARY(log, "log", "math.log")
KILN_UNARY(sqrt, "sqrt", "math.sqrt")
KILN_UNARY(rsqrt, "rsqrt", "math.rsqrt")
KILN_UNARY(tanh, "tanh", "math.tanh")
KILN_UNARY(erf, "erf", "math.erf")
KILN_UNARY(sin, "sin", "math.sin")
KILN_UNARY(cos, "cos", "math.cos")
KILN_UNARY(floor, "floor", "math.floor")
KILN_UNARY(ceil, "ceil", "math.ceil")
KILN_UNARY(sigmoid, "sigmoid", "graph.sigmoid")
#undef KILN_UNARY

Tensor kiln::fma(const Operand &a, const Operand &b, const Operand &c) {
  return nary("fma", {"math.fma"}, {&a, &b, &c});
}

Tensor kiln::operator-(const Operand &x) {
  OpScope scope("-", {&x});
  Value v = scope.value(x);
  StringRef op = pick(scope, {"arith.negf", "arith.subi"}, scope.elementOf(x));
  if (op == "arith.negf") return scope.tensor(scope.build(op, v, {}, v.getType()));
  return scope.tensor(withConstant(scope, op, v, scope.b().getZeroAttr(scope.elementOf(x)), /*constantFirst=*/true));
}

Tensor kiln::operator!(const Operand &x) {
  OpScope scope("!", {&x});
  StringRef op = pick(scope, {"", "", "arith.xori"}, scope.elementOf(x));
  return scope.tensor(withConstant(scope, op, scope.value(x), scope.b().getBoolAttr(true)));
}

Tensor kiln::operator~(const Operand &x) {
  OpScope scope("~", {&x});
  Type element = scope.elementOf(x);
  StringRef op = pick(scope, {"", "arith.xori", "arith.xori"}, element);
  Attribute ones = scope.b().getIntegerAttr(element, llvm::APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  return scope.tensor(withConstant(scope, op, scope.value(x), ones));
}

Tensor kiln::abs(const Operand &x) {
  OpScope scope("abs", {&x});
  Value v = scope.value(x);
  StringRef op = pick(scope, {"math.absf", "arith.maxsi"}, scope.elementOf(x));
  if (op == "math.absf") return scope.tensor(scope.build(op, v, {}, v.getType()));
  Value negated =
      withConstant(scope, "arith.subi", v, scope.b().getZeroAttr(scope.elementOf(x)), /*constantFirst=*/true);
  return scope.tensor(scope.build(op, {v, negated}, {}, v.getType()));
}

Tensor kiln::relu(const Operand &x) {
  OpScope scope("relu", {&x});
  Value v = scope.value(x);
  StringRef op = pick(scope, {"graph.relu", "arith.maxsi"}, scope.elementOf(x));
  if (op == "graph.relu") return scope.tensor(scope.build(op, v, {}, v.getType()));
  return scope.tensor(withConstant(scope, op, v, scope.b().getZeroAttr(scope.elementOf(x))));
}

Tensor kiln::gelu(const Operand &x, Gelu form) {
  OpScope scope("gelu", {&x});
  Value v = scope.value(x);
  auto attr = graph::GeluFormAttr::get(scope.b().getContext(),
                                       form == Gelu::Exact ? graph::GeluForm::exact : graph::GeluForm::tanh);
  StringRef op = pick(scope, {"graph.gelu"}, scope.elementOf(x));
  return scope.tensor(scope.build(op, v, scope.attr("form", attr), v.getType()));
}

Tensor kiln::clip(const Operand &x, const Operand &low, const Operand &high) {
  OpScope scope("clip", {&x, &low, &high});
  SmallVector<Value> v = scope.unify({&x, &low, &high});
  Type type = v[0].getType(), element = getElementTypeOrSelf(type);
  Value raised = scope.build(pick(scope, {"arith.maximumf", "arith.maxsi"}, element), {v[0], v[1]}, {}, type);
  return scope.tensor(scope.build(pick(scope, {"arith.minimumf", "arith.minsi"}, element), {raised, v[2]}, {}, type));
}

Tensor kiln::where(const Operand &condition, const Operand &a, const Operand &b) {
  OpScope scope("where", {&condition, &a, &b});
  Value c = scope.value(condition);
  if (!getElementTypeOrSelf(c).isInteger(1))
    fail(scope.call(), "the condition must be bool", "bool", graph::str(c.getType()), "cast(condition, kiln::boolean)");
  SmallVector<Value> v = scope.unify({&a, &b});
  auto shape = broadcastShapes(shapeOf(c), shapeOf(v[0]));
  if (!shape)
    fail(scope.call(), "the condition must broadcast with the values", shapeString(shapeOf(v[0])),
         graph::str(c.getType()));
  for (Value &value : v) value = scope.broadcast(value, *shape);
  return scope.tensor(scope.build("arith.select", {scope.broadcast(c, *shape), v[0], v[1]}, {}, v[0].getType()));
}

namespace {
constexpr StringRef kThroughF32 = "f32";

/// The op of a cast between two different dtypes, to all but bool; empty where there is none.
StringRef castOp(DType from, DType to) {
  auto isHalf = [](DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; };
  auto isNumber = [](DType dtype) { return dtype == DType::I32 || dtype == DType::I64; };
  bool fromFloat = from == DType::F32 || isHalf(from), toFloat = to == DType::F32 || isHalf(to);
  if (isHalf(from) && isHalf(to)) return kThroughF32;
  if (fromFloat && toFloat) return isHalf(from) ? "arith.extf" : "arith.truncf";
  if (fromFloat && isNumber(to)) return "graph.fptosi";
  if (isNumber(from) && toFloat) return "arith.sitofp";
  if (isNumber(from) && isNumber(to)) return from == DType::I32 ? "arith.extsi" : "arith.trunci";
  if (from == DType::Bool && toFloat) return "arith.uitofp";
  return from == DType::Bool && isNumber(to) ? "arith.extui" : "";
}
} // namespace

Tensor kiln::cast(const Operand &x, DType dtype) {
  OpScope scope("cast", {&x});
  Value v = scope.value(x);
  DType from = dtypeOf(v.getType());
  if (from == dtype) return scope.tensor(v);
  Type element = ir::elementType(dtype, scope.b().getContext());
  if (dtype == DType::Bool) { // x != 0
    Operand zero = isFloat(from) ? Operand(0.0, scope.call().where) : Operand(0, scope.call().where);
    return compare("cast", CmpFPredicate::UNE, CmpIPredicate::ne, x, zero);
  }
  StringRef op = castOp(from, dtype);
  if (op.empty())
    fail(scope.call(), "there is no such cast yet", "between " + graph::elementNames(graph::kAll),
         fmt::format("{} to {}", name(from), name(dtype)));
  auto to = RankedTensorType::get(shapeOf(v), element);
  if (op == kThroughF32) { // between the 16-bit floats: the first is exact
    v = scope.build("arith.extf", v, {}, to.clone(scope.b().getF32Type()));
    op = "arith.truncf";
  }
  return scope.tensor(scope.build(op, v, {}, to));
}
