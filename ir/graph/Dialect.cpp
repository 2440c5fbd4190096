#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::graph;

#include "ir/graph/GraphDialect.cpp.inc"
#include "ir/graph/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/graph/GraphAttrs.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/graph/GraphAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/graph/Graph.cpp.inc"
      >();
}

std::string kiln::graph::str(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    for (int64_t extent : tensor.getShape()) os << extent << 'x';
    os << tensor.getElementType();
  } else {
    os << type;
  }
  return text;
}

std::string kiln::graph::str(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

ArrayRef<int64_t> kiln::graph::shapeOf(Value v) { return cast<RankedTensorType>(v.getType()).getShape(); }
