// What the rows emit: verified IR of the operand's own type, the same bits as the plain functions, and how many
// operations each takes.
#include "ir/DTypes.h"
#include "ir/graph/Graph.h"
#include "ir/tile/Tile.h"
#include "passes/functions/Functions.h"
#include "tests/passes/functions/HalfKernels.h"
#include "tests/passes/functions/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

using namespace kiln::functions;
using namespace mlir;

namespace {

/// A module with one function whose body is the expansions of some rows, all on the function's arguments.
class Emitted {
public:
  Emitted(MLIRContext &context, Type type, llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> functions,
          Facilities facilities = {})
      : module(ModuleOp::create(UnknownLoc::get(&context))) {
    Location loc = UnknownLoc::get(&context);
    OpBuilder builder(module->getBodyRegion());
    llvm::SmallVector<Type> results(functions.size(), type);
    function = func::FuncOp::create(builder, loc, "f", builder.getFunctionType({type, type}, results));
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    llvm::SmallVector<Value> values;
    for (auto [name, form] : functions) {
      const FunctionRow *row = findFunction(name, getElementTypeOrSelf(type));
      // Only an operation with a form is looked at.
      Operation *op = nullptr;
      if (!form.empty()) {
        auto kind = form == "tanh" ? kiln::graph::GeluForm::tanh : kiln::graph::GeluForm::exact;
        op = kiln::graph::GeluOp::create(builder, loc, type, kind, body->getArgument(0));
      }
      unsigned arity = name == "math.powf" ? 2 : 1;
      values.push_back(row->emit(builder, loc, op, body->getArguments().take_front(arity), facilities));
      if (op) op->erase();
    }
    func::ReturnOp::create(builder, loc, values);
  }

  /// Merges equal operations, as every pipeline does.
  LogicalResult cse() {
    PassManager manager(module->getContext());
    manager.addPass(createCSEPass());
    return manager.run(*module);
  }

  /// Operations by name.
  std::map<std::string, int> count() {
    std::map<std::string, int> counts;
    for (Operation &op : function.getBody().front().without_terminator()) ++counts[op.getName().getStringRef().str()];
    return counts;
  }

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

/// Operations that cost an instruction: constants and reinterpretation do not.
int cost(const std::map<std::string, int> &counts) {
  int sum = 0;
  for (const auto &[name, n] : counts) sum += name == "arith.constant" || name == "arith.bitcast" ? 0 : n;
  return sum;
}

class Emission : public ::testing::Test {
protected:
  Emission() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, kiln::graph::GraphDialect,
                        kiln::tile::TileDialect>();
  }
  Type elementOf(const FunctionRow &row) {
    for (Type type : std::initializer_list<Type>{Float32Type::get(&context), BFloat16Type::get(&context)})
      if (row.elementType == type.getTypeID()) return type;
    return Float16Type::get(&context);
  }
  MLIRContext context;
};

TEST_F(Emission, KeepsTheOperandsTypeAndOnlyTakesArithmetic) {
  const std::set<std::string> elementary = {
      "arith.constant", "arith.bitcast",  "arith.addf",   "arith.subf",   "arith.mulf",   "arith.divf",  "arith.negf",
      "arith.maximumf", "arith.minimumf", "arith.cmpf",   "arith.cmpi",   "arith.select", "arith.addi",  "arith.subi",
      "arith.muli",     "arith.andi",     "arith.ori",    "arith.xori",   "arith.shli",   "arith.shrui", "arith.shrsi",
      "arith.extui",    "arith.trunci",   "arith.sitofp", "arith.fptosi", "math.fma",     "math.absf",   "math.sqrt",
      "arith.extf",     "arith.truncf",   "tile.lookup"};
  Attribute layout = StringAttr::get(&context, "layout");
  for (const FunctionRow &row : functionRows())
    for (int kind = 0; kind < 8; ++kind) {
      Type element = elementOf(row), type = element;
      if (kind % 4 == 1) type = VectorType::get({16}, element);
      if (kind % 4 == 2) type = RankedTensorType::get({4, 4}, element);
      if (kind % 4 == 3) type = RankedTensorType::get({16}, element, layout);
      bool unit = kind >= 4; // with a special function unit
      llvm::StringRef form = row.op == "graph.gelu" ? "exact" : "";
      Emitted emitted(context, type, {{row.op, form}}, {.approx = unit});
      ASSERT_TRUE(succeeded(verify(*emitted.module))) << row.op.str();
      auto counts = emitted.count();
      EXPECT_EQ(counts.erase("tile.approx") > 0, unit && row.isApproximate) << row.op.str();
      for (auto &[name, n] : counts) EXPECT_TRUE(elementary.count(name)) << row.op.str() << ": " << name;
      for (Operation &op : emitted.function.getBody().front().without_terminator())
        if (auto tensor = dyn_cast<RankedTensorType>(op.getResult(0).getType()))
          EXPECT_EQ(tensor.getEncoding(), cast<RankedTensorType>(type).getEncoding()) << row.op.str();
    }
}

/// One step of an emitted scalar function: results from operands, all as the low bits of 64.
using Step = uint64_t (*)(ScalarBuilder &, llvm::ArrayRef<uint64_t>, Operation *);

float asFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t asBits(float x) { return std::bit_cast<uint32_t>(x); }

/// Truncates to the width of an operation's result.
uint64_t fitted(uint64_t value, Operation *op) {
  return op->getResult(0).getType().isInteger(64) ? value : static_cast<uint32_t>(value);
}

#define FLOATS(expression)                                                                                             \
  [](ScalarBuilder &b, llvm::ArrayRef<uint64_t> v, Operation *) -> uint64_t {                                          \
    auto x = [&](int k) { return asFloat(v[k]); };                                                                     \
    return asBits(expression);                                                                                         \
  }
#define INTEGERS(expression)                                                                                           \
  [](ScalarBuilder &, llvm::ArrayRef<uint64_t> v, Operation *op) -> uint64_t { return fitted(expression, op); }

kiln::DType dtypeOf(Value value) { return *kiln::ir::dtypeOf(value.getType()); }

const std::map<llvm::StringRef, Step> &steps() {
  static const std::map<llvm::StringRef, Step> rows = {
      {"arith.addf", FLOATS(b.add(x(0), x(1)))},
      {"arith.subf", FLOATS(b.sub(x(0), x(1)))},
      {"arith.mulf", FLOATS(b.mul(x(0), x(1)))},
      {"arith.divf", FLOATS(b.div(x(0), x(1)))},
      {"math.fma", FLOATS(b.fma(x(0), x(1), x(2)))},
      {"arith.negf", FLOATS(b.neg(x(0)))},
      {"math.absf", FLOATS(b.abs(x(0)))},
      {"math.sqrt", FLOATS(b.sqrt(x(0)))},
      {"arith.maximumf", FLOATS(b.max(x(0), x(1)))},
      {"arith.minimumf", FLOATS(b.min(x(0), x(1)))},
      {"arith.sitofp", INTEGERS(asBits(static_cast<float>(static_cast<int32_t>(v[0]))))},
      {"arith.fptosi", INTEGERS(static_cast<uint32_t>(static_cast<int32_t>(asFloat(v[0]))))},
      {"arith.cmpf",
       [](ScalarBuilder &, llvm::ArrayRef<uint64_t> v, Operation *op) -> uint64_t {
         bool less = cast<arith::CmpFOp>(op).getPredicate() == arith::CmpFPredicate::OLT;
         return less ? asFloat(v[0]) < asFloat(v[1]) : asFloat(v[0]) == asFloat(v[1]);
       }},
      {"arith.cmpi",
       [](ScalarBuilder &, llvm::ArrayRef<uint64_t> v, Operation *op) -> uint64_t {
         bool less = cast<arith::CmpIOp>(op).getPredicate() == arith::CmpIPredicate::ult;
         return less ? v[0] < v[1] : v[0] == v[1];
       }},
      {"arith.extf",
       [](ScalarBuilder &, llvm::ArrayRef<uint64_t> v, Operation *op) -> uint64_t {
         return asBits(static_cast<float>(kiln::decodeFloat(dtypeOf(op->getOperand(0)), v[0])));
       }},
      {"arith.truncf",
       [](ScalarBuilder &, llvm::ArrayRef<uint64_t> v, Operation *op) -> uint64_t {
         return kiln::encodeFloat(dtypeOf(op->getResult(0)), asFloat(v[0]));
       }},
      {"arith.select", INTEGERS(v[0] ? v[1] : v[2])},
      {"arith.bitcast", INTEGERS(v[0])},
      {"arith.extui", INTEGERS(v[0])},
      {"arith.trunci", INTEGERS(v[0])},
      {"arith.addi", INTEGERS(v[0] + v[1])},
      {"arith.subi", INTEGERS(v[0] - v[1])},
      {"arith.muli", INTEGERS(v[0] * v[1])},
      {"arith.andi", INTEGERS(v[0] & v[1])},
      {"arith.ori", INTEGERS(v[0] | v[1])},
      {"arith.xori", INTEGERS(v[0] ^ v[1])},
      {"arith.shli", INTEGERS(v[0] << v[1])},
      {"arith.shrui", INTEGERS(v[0] >> v[1])},
      {"arith.shrsi", INTEGERS(static_cast<uint64_t>(static_cast<int32_t>(v[0]) >> v[1]))},
      {"arith.constant",
       [](ScalarBuilder &, llvm::ArrayRef<uint64_t>, Operation *op) -> uint64_t {
         Attribute value = cast<arith::ConstantOp>(op).getValue();
         if (auto number = dyn_cast<FloatAttr>(value)) return number.getValue().bitcastToAPInt().getZExtValue();
         return cast<IntegerAttr>(value).getValue().getZExtValue();
       }},
  };
  return rows;
}

/// Runs an emitted function of scalars, given and returned as the low bits of 64.
uint64_t evaluateBits(func::FuncOp function, uint64_t x, uint64_t y) {
  ScalarBuilder b;
  llvm::DenseMap<Value, uint64_t> values;
  values[function.getArgument(0)] = x;
  values[function.getArgument(1)] = y;
  for (Operation &op : function.getBody().front().without_terminator()) {
    llvm::SmallVector<uint64_t> operands;
    for (Value operand : op.getOperands()) operands.push_back(values.lookup(operand));
    if (auto lookup = dyn_cast<kiln::tile::LookupOp>(op)) {
      auto table = cast<DenseElementsAttr>(lookup.getTable()).getValues<float>();
      for (auto [c, column] : llvm::enumerate(lookup.getColumns()))
        values[column] = asBits(table[operands[0] * lookup.getNumResults() + c]);
      continue;
    }
    values[op.getResult(0)] = steps().at(op.getName().getStringRef())(b, operands, &op);
  }
  return values.lookup(function.getBody().front().getTerminator()->getOperand(0));
}

float evaluate(func::FuncOp function, float x, float y) {
  return asFloat(evaluateBits(function, asBits(x), asBits(y)));
}

/// Equal bits, or both NaN.
bool same(float x, float y) { return (x != x && y != y) || asBits(x) == asBits(y); }

TEST_F(Emission, HasTheBitsOfThePlainFunctions) {
  ScalarBuilder b;
  Type f32 = Float32Type::get(&context);
  for (const Kernel &kernel : kernels) {
    Emitted emitted(context, f32, {{kernel.op, kernel.form}});
    for (uint32_t bits = 0; bits < 0xff800000u; bits += 0x01234567) {
      float x = std::bit_cast<float>(bits);
      ASSERT_TRUE(same(evaluate(emitted.function, x, 0), kernel.run(b, x))) << kernel.op << " at " << x;
    }
  }
  Emitted power(context, f32, {{"math.powf", ""}});
  for (float x : {-2.0f, 0.5f, 1.0f, 3.7f, 1e-40f, -0.0f})
    for (float y : {-3.0f, -0.5f, 0.0f, 2.0f, 100.25f, std::numeric_limits<float>::infinity()})
      EXPECT_TRUE(same(evaluate(power.function, x, y), pow(b, x, y))) << x << " ^ " << y;
}

template <class Half> void haveTheirBits(MLIRContext &context, Type type, kiln::DType dtype) {
  ScalarBuilder b;
  for (const HalfKernel<ScalarBuilder> &kernel : halfKernels<Half, ScalarBuilder>) {
    Emitted emitted(context, type, {{kernel.op, kernel.form}});
    for (uint32_t bits = 0; bits < 1 << 16; bits += 37) {
      float y = kernel.run(b, static_cast<float>(kiln::decodeFloat(dtype, bits)));
      uint64_t got = evaluateBits(emitted.function, bits, 0);
      bool bothNan = y != y && std::isnan(kiln::decodeFloat(dtype, got));
      ASSERT_TRUE(bothNan || got == kiln::encodeFloat(dtype, y)) << kernel.op << " at " << bits;
    }
  }
}

TEST_F(Emission, HasTheBitsOfThePlainHalfFunctions) {
  haveTheirBits<half::BF16>(context, BFloat16Type::get(&context), kiln::bf16);
  haveTheirBits<half::F16>(context, Float16Type::get(&context), kiln::f16);
}

TEST_F(Emission, CountsOperations) {
  Type type = RankedTensorType::get({16}, Float32Type::get(&context));
  auto operations = [&](llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> functions) {
    Emitted emitted(context, type, functions);
    EXPECT_TRUE(succeeded(emitted.cse()));
    return emitted.count();
  };
  for (const FunctionRow &row : functionRows())
    for (llvm::StringRef form : {"exact", "tanh"}) {
      if (row.op != "graph.gelu" && form == "tanh") continue;
      auto counts = operations({{row.op, row.op == "graph.gelu" ? form : ""}});
      std::printf("%-15s %-5s %3d operations, %2d fma, %d div\n", row.op.data(),
                  row.op == "graph.gelu" ? form.data() : "", cost(counts), counts["math.fma"], counts["arith.divf"]);
      EXPECT_LE(cost(counts), 110) << row.op.str();
    }
  // The reduction and both polynomials of sin and cos are the same operations.
  int sine = cost(operations({{"math.sin", ""}})), both = cost(operations({{"math.sin", ""}, {"math.cos", ""}}));
  std::printf("%-21s %3d operations together\n", "math.sin, math.cos", both);
  EXPECT_LE(both, sine + 8);
}

/// What a GPU runs beside memory: a sign that flips is a flag of the next instruction, and casts work on pairs.
int gpuCost(std::map<std::string, int> counts) {
  for (const char *free : {"arith.negf", "math.absf", "arith.extf", "arith.truncf"}) counts.erase(free);
  return cost(counts);
}

TEST_F(Emission, HalfFunctionsKeepTheirBudgets) {
  struct Budget {
    std::vector<std::pair<llvm::StringRef, llvm::StringRef>> functions;
    int most;
  };
  const Budget budgets[] = {{{{"math.sin", ""}, {"math.cos", ""}}, 26},
                            {{{"math.tanh", ""}}, 14},
                            {{{"math.exp", ""}}, 8},
                            {{{"graph.sigmoid", ""}}, 12},
                            {{{"math.erf", ""}}, 14},
                            {{{"graph.gelu", "exact"}}, 20},
                            {{{"graph.gelu", "tanh"}}, 20},
                            {{{"math.log", ""}}, 24},
                            {{{"math.rsqrt", ""}}, 8}};
  for (Type element : std::initializer_list<Type>{BFloat16Type::get(&context), Float16Type::get(&context)})
    for (const Budget &budget : budgets) {
      Emitted emitted(context, RankedTensorType::get({16}, element), budget.functions, {.approx = true});
      ASSERT_TRUE(succeeded(emitted.cse()));
      auto counts = emitted.count();
      std::printf("%-5s %-14s %-5s %3d operations, %d approximations, %d divisions\n", element.isF16() ? "f16" : "bf16",
                  budget.functions.back().first.data(), budget.functions.back().second.data(), gpuCost(counts),
                  counts["tile.approx"], counts["arith.divf"]);
      EXPECT_LE(gpuCost(counts), budget.most) << budget.functions[0].first.str();
      EXPECT_EQ(counts["arith.divf"] + counts["math.sqrt"], 0);
    }
}

TEST_F(Emission, FindsRowsByNameAndType) {
  Type f32 = Float32Type::get(&context);
  EXPECT_NE(findFunction("math.exp", f32), nullptr);
  EXPECT_EQ(findFunction("math.exp", Float64Type::get(&context)), nullptr);
  EXPECT_EQ(findFunction("math.absf", f32), nullptr);
}

} // namespace
