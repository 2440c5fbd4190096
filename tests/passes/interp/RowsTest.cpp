// The rows are complete.
#include "passes/interp/Rows.h"

#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "passes/functions/Functions.h"
#include "passes/interp/numeric/Functions.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <set>

namespace kiln::interp {
namespace {

TEST(InterpRows, EveryAcceptedOpHasOneRowWithItsBound) {
  std::set<std::string> names;
  for (const InterpRow &row : interpRows()) {
    EXPECT_TRUE(names.insert(row.op.str()).second) << row.op.str() << " has two rows";
    EXPECT_NE(row.function, nullptr) << row.op.str();
    EXPECT_FALSE(row.bound.empty()) << row.op.str();
    EXPECT_NE(graph::findAcceptedOp(row.op), nullptr) << row.op.str() << " is no accepted op";
  }
  for (const graph::AcceptedOp &op : graph::acceptedOps())
    EXPECT_EQ(names.count(op.name.str()), op.opClass == graph::OpClass::Structure ? 0u : 1u) << op.name.str();
}

TEST(InterpRows, FunctionAccuraciesAreWhatTheExpansionsPromise) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const FunctionAccuracy &accuracy : functionAccuracies()) {
    EXPECT_NE(graph::findAcceptedOp(accuracy.op), nullptr) << accuracy.op;
    EXPECT_EQ(functionUlps(accuracy.op), accuracy.ulps);
    for (DType dtype : {DType::F32, DType::F16, DType::BF16}) {
      const functions::FunctionRow *row = functions::findFunction(accuracy.op, ir::elementType(dtype, &context));
      ASSERT_NE(row, nullptr) << accuracy.op;
      EXPECT_EQ(row->maxUlp, functionUlps(accuracy.op, dtype)) << accuracy.op << ' ' << name(dtype);
    }
  }
  EXPECT_EQ(functionUlps("arith.addf"), 0.5);
}

} // namespace
} // namespace kiln::interp
