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

} // namespace
