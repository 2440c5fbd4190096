// Syntax and constraints of the ops in Abbreviations.td.
#include "ir/tile/Rules.h"
#include "kiln/Error.h"
#include "runtime/Expr.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

LogicalResult SizeOp::verify() {
  auto tile = cast<SharedType>(getTile());
  int64_t rank = static_cast<int64_t>(tile.getShape().size()), dim = static_cast<int64_t>(getDim());
  if (dim >= 0 && dim < rank) return success();
  return violate(*this, {"C1", fmt::format("{} has {} dimensions", spell(tile), rank), fmt::format("0 to {}", rank - 1),
                         std::to_string(dim)});
}

LogicalResult UnravelOp::verify() {
  if (!getExtents().empty()) return success();
  return violate(*this, {"C1", "a grid has a dimension", "1 or more extents", "none"});
}

LogicalResult UnravelOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  types.assign(operands.size() - 1, IndexType::get(context));
  return success();
}

LogicalResult FoldColumnsOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType()), acc = cast<RankedTensorType>(getAcc().getType());
  auto isSum = [](RankedTensorType type) {
    return isa<WgmmaAttr>(type.getEncoding()) && isa<FloatType>(type.getElementType());
  };
  if (!isSum(x) || !isSum(acc) || x.getElementType() != acc.getElementType() || x.getDimSize(0) != acc.getDimSize(0))
    return violate(*this,
                   {"C1", "rows are folded into their own sums",
                    "#tile.wgmma fragments of the same rows and float elements", spell(x) + " into " + spell(acc)});
  if (x.getDimSize(1) % acc.getDimSize(1) == 0) return success();
  return violate(*this, {"C2", "every sum has as many columns", fmt::format("a divisor of {}", x.getDimSize(1)),
                         std::to_string(acc.getDimSize(1))});
}

LogicalResult MaskColumnsOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType());
  if (x.getRank() == 2 && isa<FloatType>(x.getElementType())) return success();
  return violate(*this,
                 {"C1", "what is masked has rows and columns, of floats", "a fragment of two dimensions", spell(x)});
}

//===- tile.index -------------------------------------------------------------------------------------------------===//

namespace {

/// Reads an expression over SSA values; its text, in which operand i is `v<i>`, is what the op keeps.
class IndexParser {
public:
  explicit IndexParser(OpAsmParser &parser) : parser(parser) {}

  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  std::string text;

  // sum ::= product (("+" | "-") product)*
  ParseResult sum(int depth) {
    if (product(depth)) return failure();
    while (true) {
      if (succeeded(parser.parseOptionalPlus()))
        text += " + ";
      else if (succeeded(parser.parseOptionalMinus()))
        text += " - ";
      else
        return success();
      if (product(depth)) return failure();
    }
  }

private:
  // product ::= factor ("*" factor)*
  ParseResult product(int depth) {
    if (factor(depth)) return failure();
    while (succeeded(parser.parseOptionalStar())) {
      text += " * ";
      if (factor(depth)) return failure();
    }
    return success();
  }

  // factor ::= "(" sum ")" | function "(" sum "," sum ")" | integer | value
  ParseResult factor(int depth) {
    if (depth > 32) return parser.emitError(parser.getCurrentLocation(), "more than 32 levels of parentheses");
    if (succeeded(parser.parseOptionalLParen())) {
      text += "(";
      if (sum(depth + 1) || parser.parseRParen()) return failure();
      text += ")";
      return success();
    }
    StringRef function;
    if (succeeded(parser.parseOptionalKeyword(&function, {"floordiv", "ceildiv", "min", "max"}))) {
      text += function.str() + "(";
      if (parser.parseLParen() || sum(depth + 1) || parser.parseComma()) return failure();
      text += ", ";
      if (sum(depth + 1) || parser.parseRParen()) return failure();
      text += ")";
      return success();
    }
    int64_t constant = 0;
    if (OptionalParseResult result = parser.parseOptionalInteger(constant); result.has_value()) {
      text += std::to_string(constant);
      return *result;
    }
    return value();
  }

  ParseResult value() {
    OpAsmParser::UnresolvedOperand operand;
    if (parser.parseOperand(operand)) return failure();
    auto same = [&](auto &other) { return other.name == operand.name && other.number == operand.number; };
    auto *found = llvm::find_if(operands, same);
    text += "v" + std::to_string(found - operands.begin());
    if (found == operands.end()) operands.push_back(operand);
    return success();
  }

  OpAsmParser &parser;
};

} // namespace

// tile.index (%blocks - 1 - %j) * %bk {…}
ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  IndexParser expression(parser);
  Type index = parser.getBuilder().getIndexType();
  if (expression.sum(0) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(expression.operands, index, result.operands))
    return failure();
  result.addAttribute(getExpressionAttrName(result.name), parser.getBuilder().getStringAttr(expression.text));
  result.addTypes(index);
  return success();
}

void IndexOp::print(OpAsmPrinter &p) {
  p << ' ';
  StringRef text = getExpression();
  // Operands are the only words that start with v.
  while (true) {
    size_t at = text.find('v');
    while (at != StringRef::npos && at > 0 && llvm::isAlpha(text[at - 1])) at = text.find('v', at + 1);
    p << text.take_front(at);
    if (at == StringRef::npos) break;
    text = text.drop_front(at + 1);
    unsigned number = 0;
    if (text.consumeInteger(10, number) || number >= getOperands().size()) break;
    p.printOperand(getOperands()[number]);
  }
  p.printOptionalAttrDict((*this)->getAttrs(), {getExpressionAttrName()});
}

LogicalResult IndexOp::verify() {
  kiln::Expr expression;
  try {
    expression = kiln::Expr::parse(getExpression());
  } catch (const kiln::Error &error) {
    return violate(*this, {"C1", error.rule, "an expression such as v0 * 2 + v1", "'" + getExpression().str() + "'"});
  }
  auto isOperand = [&](StringRef name) {
    unsigned number = 0;
    return name.consume_front("v") && !name.getAsInteger(10, number) && number < getOperands().size();
  };
  std::vector<std::string> names = expression.extents();
  auto stray = llvm::find_if_not(names, isOperand);
  if (stray == names.end()) return success();
  return violate(*this, {"C1", "an expression names operands",
                         fmt::format("names of {} operands, from v0 on", getOperands().size()), "'" + *stray + "'"});
}
