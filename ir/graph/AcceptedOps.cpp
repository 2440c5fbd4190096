#include "ir/graph/AcceptedOps.h"
#include "ir/DTypes.h"
#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::graph;
using kiln::ir::fitsMemory;
using kiln::ir::kMemoryLimit;
using kiln::ir::kMemoryRule;

namespace {
constexpr OpClass kElementwise = OpClass::Elementwise;
constexpr Elements kWide = kAll & ~kHalves;
constexpr OpLevel kGraph = OpLevel::Graph, kDecomposed = OpLevel::Decomposed, kBoth = OpLevel::Both;

const AcceptedOp kRows[] = {
    // Arithmetic.
    {"arith.addf", kElementwise, kBoth, kFloats, kFloats, "sum"},
    {"arith.subf", kElementwise, kBoth, kFloats, kFloats, "difference"},
    {"arith.mulf", kElementwise, kBoth, kFloats, kFloats, "product"},
    {"arith.divf", kElementwise, kBoth, kFloats, kFloats, "quotient, correctly rounded"},
    {"arith.negf", kElementwise, kBoth, kFloats, kFloats, "sign flipped, of NaN too"},
    {"arith.maximumf", kElementwise, kBoth, kFloats, kFloats, "larger of two; NaN wins, -0 < +0"},
    {"arith.minimumf", kElementwise, kBoth, kFloats, kFloats, "smaller of two; NaN wins, -0 < +0"},
    {"arith.addi", kElementwise, kBoth, kInts, kInts, "sum, wrapping"},
    {"arith.subi", kElementwise, kBoth, kInts, kInts, "difference, wrapping"},
    {"arith.muli", kElementwise, kBoth, kInts, kInts, "product, wrapping"},
    {"arith.maxsi", kElementwise, kBoth, kInts, kInts, "larger of two signed integers"},
    {"arith.minsi", kElementwise, kBoth, kInts, kInts, "smaller of two signed integers"},
    {"arith.divsi", kElementwise, kDecomposed, kInts, kInts, "signed division; only behind graph.divi's guards"},
    {"arith.remsi", kElementwise, kDecomposed, kInts, kInts, "signed remainder; only behind graph.remi's guards"},
    {"graph.divi", kElementwise, kGraph, kInts, kInts, ""},
    {"graph.remi", kElementwise, kGraph, kInts, kInts, ""},
    // Comparisons, logic, choice.
    {"arith.cmpf", kElementwise, kBoth, kFloats, kBool,
     "comparison; with NaN only the unordered predicates and une hold"},
    {"arith.cmpi", kElementwise, kBoth, kInts | kBool, kBool, "comparison, signed or unsigned"},
    {"arith.andi", kElementwise, kBoth, kInts | kBool, kInts | kBool, "and, bit by bit"},
    {"arith.ori", kElementwise, kBoth, kInts | kBool, kInts | kBool, "or, bit by bit"},
    {"arith.xori", kElementwise, kBoth, kInts | kBool, kInts | kBool, "exclusive or, bit by bit"},
    {"arith.select", kElementwise, kBoth, kAll, kAll, "where(condition, a, b)"},
    // Casts.
    {"arith.sitofp", kElementwise, kBoth, kInts, kFloats, "integer to float, rounded once, to nearest even", kAll,
     kF32},
    {"arith.uitofp", kElementwise, kBoth, kBool, kFloats, "bool to float: 0 or 1", kAll, kF32},
    {"arith.extf", kElementwise, kBoth, kHalves, kF32, "f16 or bf16 to f32, exact"},
    {"arith.truncf", kElementwise, kBoth, kF32, kHalves, "f32 to f16 or bf16, rounded to nearest even"},
    {"arith.extui", kElementwise, kBoth, kBool, kInts, "bool to integer: 0 or 1"},
    {"arith.extsi", kElementwise, kBoth, kI32, kI64, "i32 to i64"},
    {"arith.trunci", kElementwise, kBoth, kI64, kI32, "i64 to i32, wrapping"},
    {"arith.fptosi", kElementwise, kDecomposed, kF32, kInts, "only behind graph.fptosi's clamp"},
    {"graph.fptosi", kElementwise, kGraph, kFloats, kInts, ""},
    // Functions.
    {"math.absf", kElementwise, kBoth, kFloats, kFloats, "sign cleared"},
    {"math.floor", kElementwise, kBoth, kFloats, kFloats, "largest integer not above"},
    {"math.ceil", kElementwise, kBoth, kFloats, kFloats, "smallest integer not below"},
    {"math.fma", kElementwise, kBoth, kFloats, kFloats, "a·b + c, rounded once"},
    {"math.sqrt", kElementwise, kBoth, kFloats, kFloats, "square root, correctly rounded"},
    {"math.rsqrt", kElementwise, kBoth, kFloats, kFloats, "1/sqrt(x), within 2 ulp"},
    {"math.exp", kElementwise, kBoth, kFloats, kFloats, "e^x, within 2 ulp"},
    {"math.log", kElementwise, kBoth, kFloats, kFloats, "natural logarithm, within 2 ulp"},
    {"math.sin", kElementwise, kBoth, kFloats, kFloats, "sine, within 2 ulp at every argument"},
    {"math.cos", kElementwise, kBoth, kFloats, kFloats, "cosine, within 2 ulp at every argument"},
    {"math.tanh", kElementwise, kBoth, kFloats, kFloats, "hyperbolic tangent, within 2 ulp"},
    {"math.erf", kElementwise, kBoth, kFloats, kFloats, "error function, within 2 ulp, |erf| <= 1"},
    {"graph.relu", kElementwise, kGraph, kFloats, kFloats, ""},
    {"graph.sigmoid", kElementwise, kBoth, kFloats, kFloats, ""},
    {"graph.gelu", kElementwise, kBoth, kFloats, kFloats, ""},
    // Constants and indices.
    {"arith.constant", kElementwise, kBoth, kAll, kAll, "the same scalar everywhere, or a small dense tensor"},
    {"graph.iota", OpClass::Index, kBoth, 0, kFloats | kInts, "", kAll, kWide},
    // Data movement.
    {"graph.broadcast", OpClass::View, kBoth, kAll, kAll, ""},
    {"graph.reshape", OpClass::View, kBoth, kAll, kAll, ""},
    {"graph.transpose", OpClass::View, kBoth, kAll, kAll, ""},
    {"graph.slice", OpClass::View, kBoth, kAll, kAll, ""},
    {"graph.concat", OpClass::Index, kBoth, kAll, kAll, ""},
    {"graph.gather", OpClass::Index, kBoth, kAll, kAll, ""},
    // Reductions and composites.
    {"graph.reduce", OpClass::Reduction, kBoth, kAll, kAll, "", kWide, kWide},
    {"graph.matmul", OpClass::Matmul, kBoth, kFloats, kFloats, "", kAll, kF32},
    {"graph.softmax", OpClass::Composite, kGraph, kFloats, kFloats, ""},
    {"graph.layer_norm", OpClass::Composite, kGraph, kFloats, kFloats, ""},
    // Programs.
    {"graph.custom_kernel", OpClass::Program, kBoth, kAll | kNarrow, kAll | kNarrow, "", kAll | kNarrow,
     kAll | kNarrow},
    // Structure.
    {"graph.kernel", OpClass::Structure, kDecomposed, kAll, kAll, ""},
    {"graph.yield", OpClass::Structure, kBoth, kAll, kAll, ""},
    {"func.return", OpClass::Structure, kBoth, kAll, kAll, "ends a graph with its outputs"},
};

bool takes(Elements accepted, TypeRange types) {
  return llvm::all_of(types, [&](Type type) { return (elementBit(getElementTypeOrSelf(type)) & accepted) != 0; });
}

constexpr ElementRow kElements[] = {{kF32, "f32"},           {kF16, "f16"},       {kBF16, "bf16"},
                                    {kI32, "i32"},           {kI64, "i64"},       {kBool, "bool"},
                                    {kF8E4M3FN, "f8E4M3FN"}, {kF8E5M2, "f8E5M2"}, {kI8, "i8"}};

} // namespace

ArrayRef<ElementRow> kiln::graph::elementRows() { return kElements; }

std::string kiln::graph::elementNames(Elements elements, StringRef separator) {
  std::string text;
  for (const ElementRow &row : kElements)
    if (elements & row.bit) text += ((text.empty() ? "" : separator) + row.name).str();
  return text;
}

Elements kiln::graph::elementBit(Type element) {
  std::optional<DType> dtype = ir::dtypeOf(element);
  auto *row =
      llvm::find_if(kElements, [&](const ElementRow &row) { return dtype && row.name == StringRef(name(*dtype)); });
  return row == std::end(kElements) ? 0 : row->bit;
}

ArrayRef<AcceptedOp> kiln::graph::acceptedOps() { return kRows; }

const AcceptedOp *kiln::graph::findAcceptedOp(StringRef name) {
  for (const AcceptedOp &row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

/// One broken rule, with what holds it and what stands there.
static LogicalResult refuse(Operation *op, const Twine &rule, const Twine &expected, const Twine &found,
                            StringRef hint = {}) {
  InFlightDiagnostic diag = op->emitError() << "'" << op->getName().getStringRef() << "' " << rule;
  diag.attachNote() << "expected: " << expected;
  diag.attachNote() << "found: " << found;
  if (!hint.empty()) diag.attachNote() << "try: " << hint;
  return diag;
}

static std::string list(TypeRange types) {
  return llvm::join(llvm::map_range(types, [](Type type) { return str(type); }), ", ");
}

static bool isPlainTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding();
}

/// Scalars, vectors, dynamic extents and encodings have no place in a graph.
static LogicalResult verifyTensors(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (isPlainTensor(type)) {
      if (fitsMemory(cast<RankedTensorType>(type))) continue;
      return violate(op->getLoc(), op->getName().getStringRef(), {"", kMemoryRule, kMemoryLimit, str(type)});
    }
    std::string found;
    llvm::raw_string_ostream(found) << type;
    return refuse(op, "works on tensors only", "a static tensor without an encoding, such as tensor<4xf32>", found);
  }
  return success();
}

/// The text of a flag that promises something about the values, or allows what the contract does not; empty if none.
static std::string flagOf(Operation *op) {
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto attr = flags.getFastMathFlagsAttr(); attr && attr.getValue() != arith::FastMathFlags::none)
      return "fastmath<" + arith::stringifyFastMathFlags(attr.getValue()) + ">";
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (auto attr = flags.getOverflowAttr(); attr && attr.getValue() != arith::IntegerOverflowFlags::none)
      return "overflow<" + arith::stringifyIntegerOverflowFlags(attr.getValue()) + ">";
  if (op->hasAttr("isExact")) return "exact";
  return "";
}

/// Rules about attributes: flags, and the form of a constant's elements.
static LogicalResult verifyAttributes(Operation *op) {
  if (std::string flag = flagOf(op); !flag.empty())
    return refuse(op, "takes no flags: every op is rounded or wraps as the contract says", "no flags", flag);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant || isa<DenseElementsAttr>(constant.getValue())) return success();
  StringRef form = isa<DenseResourceElementsAttr>(constant.getValue()) ? "dense_resource<...>"
                   : isa<SparseElementsAttr>(constant.getValue())      ? "sparse<...>"
                                                                       : "another attribute";
  return refuse(op, "spells its elements out", "dense<...>", form, "an argument with graph.param holds large weights");
}

LogicalResult kiln::graph::verifyAcceptedOp(Operation *op, OpLevel level) {
  StringRef name = op->getName().getStringRef();
  const AcceptedOp *row = findAcceptedOp(name);
  if (!row)
    return op->emitError() << "'" << name << "' is not an op of the graph level"
                           << "; the accepted ops are listed by `kiln ops`";
  if (row->level != OpLevel::Both && row->level != level)
    return op->emitError() << "'" << name << "' may only stand " << (row->level == OpLevel::Graph ? "before" : "after")
                           << " graph-decompose";
  if (row->opClass == OpClass::Structure) return success(); // holds what others made
  if (failed(verifyTensors(op))) return failure();
  bool select = name == "arith.select"; // its condition is bool whatever it chooses between
  TypeRange operands(op->getOperands().drop_front(select ? 1 : 0));
  Elements from = row->operandsAt(level), to = row->resultsAt(level);
  if (!takes(from, operands) || !takes(to, op->getResultTypes())) {
    std::string arrow = from ? " to " : "";
    return refuse(op, "does not take these dtypes", elementNames(from) + arrow + elementNames(to),
                  list(op->getOperandTypes()) + (op->getNumOperands() ? " to " : "") + list(op->getResultTypes()));
  }
  return verifyAttributes(op);
}

/// Arguments and results must be what ops take; a declaration holds no graph.
static LogicalResult verifySignature(func::FuncOp function) {
  if (function.isExternal()) return success();
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
    if (isPlainTensor(type) && !fitsMemory(cast<RankedTensorType>(type)))
      return violate(function.getLoc(), "func.func", {"", kMemoryRule, kMemoryLimit, str(type)});
    if (isPlainTensor(type) && elementBit(getElementTypeOrSelf(type))) continue;
    InFlightDiagnostic diag = function.emitError()
                              << "arguments and results must be static tensors of a dtype that ops take";
    diag.attachNote() << "expected: a type such as tensor<8x128xf32>; the dtypes are " << elementNames(kAll);
    std::string found;
    llvm::raw_string_ostream(found) << type;
    diag.attachNote() << "found: " << found;
    return diag;
  }
  return success();
}

LogicalResult kiln::graph::verifyGraphLevel(ModuleOp module, OpLevel level) {
  LogicalResult result = success();
  module.walk([&](func::FuncOp function) {
    if (failed(verifySignature(function))) result = failure();
    function.getBody().walk([&](Operation *op) {
      if (failed(verifyAcceptedOp(op, level))) result = failure();
    });
  });
  return result;
}
