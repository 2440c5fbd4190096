// Registers of tile programs, counted by hand.
#include "passes/tile/RegisterNeed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

/// What fragments need in a kernel of one warpgroup with this body, which ends with what it last computed in use.
int64_t fragmentsOf(const std::string &body) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  const std::string head = R"(
!A = !tile.shared<64x64xbf16, swizzle = 128>
!B = !tile.shared<256x64xbf16, swizzle = 128>
!F = tensor<64x256xf32, #tile.wgmma>
!H = tensor<64x256xbf16, #tile.wgmma>
!R = tensor<64xf32, #tile.wgmma_rows>
!P = !tile.pending<!F>
tile.kernel @k(%x: f32, %n: index, %out: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !A
  %b = tile.alloc : !B
  %t = tile.alloc : !tile.shared<64x256xf32>
  %h = tile.alloc : !tile.shared<64x256xbf16>
  %s = tile.alloc : !tile.shared<64xf32>
)";
  auto module = parseSourceString<ModuleOp>(head + body + "\n  tile.return\n}\n", &context);
  if (!module) return -1;
  return registerNeed((*module->getOps<KernelOp>().begin()).getBody()).fragments;
}

/// A load of 64x256 f32, 128 registers, named `name`; a store.
std::string load(const char *name) {
  return fmt::format("  %{} = tile.load %t[%c0] rows 256 : !tile.shared<64x256xf32> -> !F\n", name);
}
std::string store(const char *name) {
  return fmt::format("  tile.store %{}, %t[%c0] rows 256 : !F, !tile.shared<64x256xf32>\n", name);
}

TEST(RegisterNeed, CountsWhatIsLiveAtOnce) {
  EXPECT_EQ(fragmentsOf(""), 0);
  EXPECT_EQ(fragmentsOf(load("f") + store("f")), 128);
  EXPECT_EQ(fragmentsOf(load("f") + load("g") + store("f") + store("g")), 256);
  EXPECT_EQ(fragmentsOf(load("f") + store("f") + load("g") + store("g")), 128);
}

TEST(RegisterNeed, ElementwiseOpsWorkInPlace) {
  EXPECT_EQ(fragmentsOf(load("f") + "  %g = math.exp2 %f : !F\n" + store("g")), 128);
  EXPECT_EQ(fragmentsOf(load("f") + "  %g = math.exp2 %f : !F\n" + store("g") + store("f")), 256);
  // Two 16-bit elements share a register.
  EXPECT_EQ(fragmentsOf("  %f = tile.load %h[%c0] rows 256 : !tile.shared<64x256xbf16> -> !H\n"
                        "  tile.store %f, %h[%c0] rows 256 : !H, !tile.shared<64x256xbf16>"),
            64);
}

TEST(RegisterNeed, CoordinatesSplatsAndMasksAreComputedWhereTheyAreUsed) {
  EXPECT_EQ(fragmentsOf(load("f") + R"(
  %columns = tile.coordinates 1 : tensor<64x256xi32, #tile.wgmma>
  %c = arith.constant 9 : i32
  %limit = tile.splat %c : i32 -> tensor<64x256xi32, #tile.wgmma>
  %zeros = tile.splat %x : f32 -> !F
  %mask = arith.cmpi slt, %columns, %limit : tensor<64x256xi32, #tile.wgmma>
  %g = arith.select %mask, %f, %zeros : tensor<64x256xi1, #tile.wgmma>, !F
)" + store("g")),
            128);
}

TEST(RegisterNeed, LoopsHoldWhatTheyCarryAndUseAgain) {
  // The sums, and a factor from around the loop that each turn uses.
  EXPECT_EQ(fragmentsOf(load("f") + R"(
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> !F {
    %row = tile.load %s[%c0] : !tile.shared<64xf32> -> f32
    %g = tile.splat %row : f32 -> !F
    %next = arith.addf %acc, %g : !F
    scf.yield %next : !F
  }
)" + store("sum")),
            128);
  EXPECT_EQ(fragmentsOf(load("f") + load("w") + R"(
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> !F {
    %next = arith.mulf %acc, %w : !F
    scf.yield %next : !F
  }
)" + store("sum")),
            256);
}

TEST(RegisterNeed, WhatIsTakenApartIsFreedPartByPart) {
  std::string parts = "  %q = tile.alloc : !tile.shared<64x64xbf16>\n";
  for (int i = 0; i < 4; ++i)
    parts += fmt::format(R"(
  %c{0}_ = arith.constant {1} : index
  %p{0} = tile.extract %f[%c0, %c{0}_] : !F -> tensor<64x64xf32, #tile.wgmma>
  %y{0} = arith.truncf %p{0} : tensor<64x64xf32, #tile.wgmma> to tensor<64x64xbf16, #tile.wgmma>
  tile.store %y{0}, %q[%c0] rows 64 : tensor<64x64xbf16, #tile.wgmma>, !tile.shared<64x64xbf16>
)",
                         i, 64 * i);
  EXPECT_EQ(fragmentsOf(load("f") + parts), 128);
  // Something else needs the whole: a part that is rounded has registers of its own.
  EXPECT_EQ(fragmentsOf(load("f") + parts + store("f")), 128 + 16);
}

TEST(RegisterNeed, PartsAndOtherLayoutsAreTheSameRegisters) {
  EXPECT_EQ(fragmentsOf(load("f") + R"(
  %y = arith.truncf %f : !F to !H
  %left = tile.relayout %y : !H -> tensor<64x256xbf16, #tile.wgmma_a>
  %part = tile.extract %left[%c0, %c64] : tensor<64x256xbf16, #tile.wgmma_a> -> tensor<64x64xbf16, #tile.wgmma_a>
  %q = tile.alloc : !tile.shared<64x64xbf16>
  tile.store %part, %q[%c0] rows 64 : tensor<64x64xbf16, #tile.wgmma_a>, !tile.shared<64x64xbf16>
)"),
            128);
  // A value per row costs two registers, wherever it is broadcast to.
  EXPECT_EQ(fragmentsOf(load("f") + R"(
  %max = tile.reduce_rows <max> %f : !F -> !R
  %each = tile.broadcast %max : !R -> !F
  %g = arith.subf %f, %each : !F
)" + store("g")),
            130);
}

TEST(RegisterNeed, ProductsHoldTheirSumsAndWhatTheyStillRead) {
  const char *product = R"(
  %none = tile.wgmma_none : !P
  %left = tile.load %a[%c0] rows 64 : !A -> tensor<64x64xbf16, #tile.wgmma_a>
  %p = tile.wgmma %left, %b transpose, %none : tensor<64x64xbf16, #tile.wgmma_a>, !B, !P -> !P
  %q = tile.wgmma_wait %p : !P -> !F
)";
  EXPECT_EQ(fragmentsOf(product + store("q")), 128 + 16);
}

TEST(RegisterNeed, NamesTheOpWhereItIs) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileDialect, arith::ArithDialect, math::MathDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
tile.kernel @k(%x: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.load %x[%c0] : !tile.global<4096xf32> -> tensor<4096xf32, #tile.blocked<vec = 4, threads = 128>>
  %g = math.sqrt %f : tensor<4096xf32, #tile.blocked<vec = 4, threads = 128>>
  %h = arith.addf %f, %g : tensor<4096xf32, #tile.blocked<vec = 4, threads = 128>>
  tile.store %h, %x[%c0] : tensor<4096xf32, #tile.blocked<vec = 4, threads = 128>>, !tile.global<4096xf32>
  tile.return
}
)",
                                            &context);
  ASSERT_TRUE(module);
  RegisterNeed need = registerNeed((*module->getOps<KernelOp>().begin()).getBody());
  EXPECT_EQ(need.fragments, 64);
  EXPECT_TRUE(isa<math::SqrtOp>(need.where));
  EXPECT_GE(need.total(), 64);
}

} // namespace
