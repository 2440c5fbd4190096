// Kiln's dtypes and MLIR's element types name each other.
#include "ir/DTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;

TEST(DTypes, EveryStoredDTypeComesBack) {
  MLIRContext context;
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    Type element = ir::elementType(dtype, &context);
    EXPECT_EQ(!element, dtype == tf32) << name(dtype); // f32 in memory
    if (!element) continue;
    EXPECT_EQ(element.getIntOrFloatBitWidth(), dtype == boolean ? 1 : bitWidth(dtype)) << name(dtype);
    EXPECT_EQ(ir::dtypeOf(element), dtype) << name(dtype);
    EXPECT_EQ(ir::dtypeOf(RankedTensorType::get({2}, element)), dtype) << name(dtype);
  }
}

TEST(DTypes, OtherTypesHaveNone) {
  MLIRContext context;
  Builder b(&context);
  for (Type type : {Type(b.getIntegerType(32, /*isSigned=*/false)), Type(b.getIntegerType(64, true)),
                    Type(b.getIndexType()), Type(b.getF128Type()), Type(b.getNoneType())})
    EXPECT_EQ(ir::dtypeOf(type), std::nullopt);
}

TEST(DTypes, SayHowElementsAreStoredSummedAndMultiplied) {
  MLIRContext context;
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    Type element = ir::elementType(dtype, &context);
    EXPECT_EQ(ir::accumulatorOf(ir::accumulatorOf(dtype)), ir::accumulatorOf(dtype)) << name(dtype);
    if (std::optional<ir::MmaAtom> atom = ir::atomOf(dtype)) // tensor cores take 32 bytes of k
      EXPECT_EQ(atom->k * bitWidth(dtype), 256) << name(dtype);
    if (!element) continue;
    EXPECT_EQ(ir::storageOf(element).getIntOrFloatBitWidth(), std::max(bitWidth(dtype), 8)) << name(dtype);
    EXPECT_EQ(ir::dtypeOf(ir::accumulatorOf(RankedTensorType::get({2}, element))), ir::accumulatorOf(dtype));
    EXPECT_EQ(ir::atomOf(element).has_value(), ir::atomOf(dtype).has_value()) << name(dtype);
  }
  EXPECT_EQ(ir::storageOf(ir::elementType(boolean, &context)), IntegerType::get(&context, 8));
  EXPECT_EQ(ir::storageOf(ir::elementType(bf16, &context)), IntegerType::get(&context, 16));
  EXPECT_EQ(ir::storageOf(IndexType::get(&context)), IndexType::get(&context));
  EXPECT_EQ(ir::accumulatorOf(i8), i32);
  EXPECT_TRUE(ir::isWidened(ir::elementType(f16, &context)));
  EXPECT_FALSE(ir::isWidened(ir::elementType(i8, &context)));
  EXPECT_EQ(ir::atomOf(bf16)->k, 16);
  EXPECT_FALSE(ir::atomOf(f32));
}
