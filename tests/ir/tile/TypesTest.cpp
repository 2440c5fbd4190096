// What the syntax of memory types cannot say, but a program that builds them can.
#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

/// The error that `build` reports, its notes in brackets; empty if it reports none.
std::string errorOf(MLIRContext &context, llvm::function_ref<void(function_ref<InFlightDiagnostic()>)> build) {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes()) text += " [" + note.str() + "]";
    return success();
  });
  build([&] { return mlir::emitError(UnknownLoc::get(&context)); });
  return text;
}

TEST(TileTypes, NegativeExtentsAreRefused) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileDialect>();
  Type f32 = Float32Type::get(&context);
  auto global = [&](ArrayRef<int64_t> shape) {
    return errorOf(context, [&](auto emitError) {
      EXPECT_EQ(!GlobalType::getChecked(emitError, &context, shape, f32, ArrayRef<int64_t>()), shape.back() < 0);
    });
  };
  auto shared = [&](ArrayRef<int64_t> shape) {
    return errorOf(context, [&](auto emitError) {
      EXPECT_EQ(!SharedType::getChecked(emitError, &context, shape, f32, int64_t(0)), shape.back() < 0);
    });
  };
  EXPECT_EQ(global({4, -1}), "'!tile.global': extents must not be negative [expected: 0 or more] [found: -1]");
  EXPECT_EQ(shared({-7}), "'!tile.shared': extents must not be negative [expected: 0 or more] [found: -7]");
  EXPECT_EQ(global({4, 0}), "");
  EXPECT_EQ(shared({0}), "");
}

TEST(TileTypes, ARingWithoutTilesIsRefused) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileDialect>();
  auto ring = [&](ArrayRef<SharedType> tiles) {
    return errorOf(context, [&](auto emitError) {
      EXPECT_EQ(!RingType::getChecked(emitError, &context, int64_t(2), tiles), tiles.empty());
    });
  };
  EXPECT_EQ(ring({}), "'!tile.ring': a stage must have a tile [expected: 1 or more] [found: none]");
  EXPECT_EQ(ring(SharedType::get(&context, {8}, Float32Type::get(&context), 0)), "");
}

TEST(TileTypes, TilesOfASlotLieBehindEachOther) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileDialect>();
  Type bf16 = BFloat16Type::get(&context);
  auto small = SharedType::get(&context, {3}, bf16, 0);
  auto large = SharedType::get(&context, {9, 64}, bf16, 128);
  auto ring = RingType::get(&context, 3, {small, large, small, small});
  EXPECT_EQ(slotOffset(ring, 0), 0);
  EXPECT_EQ(slotOffset(ring, 1), 1024);        // a swizzle starts at its period
  EXPECT_EQ(slotOffset(ring, 2), 1024 + 1152); // 9 rows of 128 bytes
  EXPECT_EQ(slotOffset(ring, 3), 1024 + 1152 + 16);
  EXPECT_EQ(slotBytes(ring), 3072); // up to the strictest alignment
  EXPECT_EQ(barriersOffset(ring), 3 * 3072);
  auto huge = SharedType::get(&context, {int64_t(1) << 62}, bf16, 0);
  EXPECT_EQ(slotBytes(RingType::get(&context, 3, {small, huge})), INT64_MAX);
}

} // namespace
