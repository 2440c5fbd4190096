// Kiln's dtypes and MLIR's element types name each other.
#include "ir/graph/DTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;

TEST(DTypes, EveryStoredDTypeComesBack) {
  MLIRContext context;
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    Type element = graph::elementType(dtype, &context);
    EXPECT_EQ(!element, dtype == tf32) << name(dtype); // f32 in memory
    if (!element) continue;
    EXPECT_EQ(element.getIntOrFloatBitWidth(), dtype == boolean ? 1 : bitWidth(dtype)) << name(dtype);
    EXPECT_EQ(graph::dtypeOf(element), dtype) << name(dtype);
    EXPECT_EQ(graph::dtypeOf(RankedTensorType::get({2}, element)), dtype) << name(dtype);
  }
}

TEST(DTypes, OtherTypesHaveNone) {
  MLIRContext context;
  Builder b(&context);
  for (Type type : {Type(b.getIntegerType(32, /*isSigned=*/false)), Type(b.getIntegerType(64, true)),
                    Type(b.getIndexType()), Type(b.getF128Type()), Type(b.getNoneType())})
    EXPECT_EQ(graph::dtypeOf(type), std::nullopt);
}
