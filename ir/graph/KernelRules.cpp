// Syntax and constraints of graph.kernel.
#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::graph;

// graph.kernel "row" (%a = %x : tensor<4xf32>, …) -> tensor<4xf32>, … attributes {…} { … }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr kind;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseAttribute(kind, "kind", result.attributes)) return failure();
  auto parseOne = [&]() -> ParseResult {
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) || parser.parseColonType(arguments.back().type))
      return failure();
    return success();
  };
  SmallVector<Type> inputTypes, resultTypes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne)) return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList([&] { return parser.parseType(resultTypes.emplace_back()); }))
    return failure();
  for (auto &argument : arguments) inputTypes.push_back(argument.type);
  result.addTypes(resultTypes);
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(operands, inputTypes, parser.getCurrentLocation(), result.operands) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ' << getKindAttr() << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), p, [&](auto pair) {
    auto [argument, operand] = pair;
    p.printOperand(argument);
    p << " = ";
    p.printOperand(operand);
    p << " : " << operand.getType();
  });
  p << ')';
  if (getNumResults()) p << " -> ";
  llvm::interleaveComma(getResultTypes(), p);
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getKindAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

CustomKernelOp KernelOp::getCustom() {
  if (getKind() != kCustomKind || getBody().front().empty()) return {};
  return dyn_cast<CustomKernelOp>(getBody().front().front());
}

/// "4xf32, 8xi64", or that there are none.
static std::string typeList(TypeRange types) {
  if (types.empty()) return "none";
  return llvm::join(llvm::map_range(types, [](Type type) { return str(type); }), ", ");
}

static LogicalResult checkLayouts(KernelOp op, std::optional<ArrayAttr> layouts, ValueRange values, StringRef what) {
  if (!layouts) return success();
  if (layouts->size() != values.size())
    return violate(op.getLoc(), "graph.kernel",
                   {"C3", fmt::format("one layout per {}", what.str()), std::to_string(values.size()),
                    std::to_string(layouts->size())});
  for (auto [layout, value] : llvm::zip(*layouts, values)) {
    size_t rank = shapeOf(value).size(), strides = cast<LayoutAttr>(layout).getStrides().size();
    if (rank != strides)
      return violate(op.getLoc(), "graph.kernel",
                     {"C3", fmt::format("one stride per dimension of each {}", what.str()), std::to_string(rank),
                      std::to_string(strides)});
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return violate(getLoc(), "graph.kernel",
                   {"C1", "one block argument per operand, of its type", typeList(getInputs().getTypes()),
                    typeList(block.getArgumentTypes())});
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return violate(getLoc(), "graph.kernel",
                   {"C2", "the region must yield the results", typeList(getResultTypes()),
                    yield ? typeList(yield.getValues().getTypes()) : "no graph.yield"});
  if (failed(checkLayouts(*this, getInputLayouts(), getInputs(), "operand"))) return failure();
  return checkLayouts(*this, getResultLayouts(), getOutputs(), "result");
}
