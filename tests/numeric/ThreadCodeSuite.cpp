// What some lowerings make threads do, run by the interpreter of thread-level functions: floats of 8 bits, of which all
// codes are tried, bytes that a quad exchanges, rows of shared tiles that start at any element.
#include "codegen/Backend.h"
#include "codegen/Passes.h"
#include "ir/tile/Tile.h"
#include "kiln/FloatFormat.h"
#include "tests/numeric/threads/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// Runs CTAs 0 … ctas - 1 of a program on these arguments.
void run(const std::string &text, std::vector<std::span<std::byte>> arguments, int64_t ctas = 1) {
  DialectRegistry registry;
  registry.insert<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  codegen::registerTranslations(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(!!module) << text;
  PassManager passes(&context);
  passes.addPass(codegen::createGpuLower({.target = "sm_90a"}));
  ASSERT_TRUE(succeeded(passes.run(*module))) << text;
  try {
    threads::Machine machine(*module->getOps<LLVM::LLVMFuncOp>().begin(), std::move(arguments));
    for (int64_t cta = 0; cta < ctas; ++cta) machine.run(cta);
  } catch (const threads::Fault &fault) {
    FAIL() << fault.what();
  }
}

template <typename T> std::span<std::byte> bytesOf(std::vector<T> &values) {
  return std::as_writable_bytes(std::span(values));
}

/// y = x in another type, `count` elements, `vec` neighbours in a thread.
std::string castText(const char *op, const std::string &from, const std::string &to, int64_t count, int64_t vec) {
  return fmt::format(R"(
    !F = tensor<{2}x{0}, #tile.blocked<vec = {3}, threads = 32>>
    !T = tensor<{2}x{1}, #tile.blocked<vec = {3}, threads = 32>>
    tile.kernel @k(%x: !tile.global<{2}x{0}>, %y: !tile.global<{2}x{1}>) grid 1 threads 32 {{
      %c0 = arith.constant 0 : index
      %v = tile.load %x[%c0] : !tile.global<{2}x{0}> -> !F
      %w = arith.{4} %v : !F to !T
      tile.store %w, %y[%c0] : !T, !tile.global<{2}x{1}>
      tile.return
    }})",
                     from, to, count, vec, op);
}

struct ByteFloat {
  DType dtype;
  const char *name;
  double largest;
};
const ByteFloat kByteFloats[] = {{f8E4M3FN, "f8E4M3FN", 448}, {f8E5M2, "f8E5M2", 57344}};

bool areEqual(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(ThreadPrograms, EveryFloatOf8BitsIsWidenedExactly) {
  for (auto [dtype, name, largest] : kByteFloats) {
    std::vector<uint8_t> codes(256);
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i);
    std::vector<float> singles(256);
    run(castText("extf", name, "f32", 256, 8), {bytesOf(codes), bytesOf(singles)});
    for (DType half : {f16, bf16}) {
      std::vector<uint16_t> halves(256);
      run(castText("extf", name, half == f16 ? "f16" : "bf16", 256, 8), {bytesOf(codes), bytesOf(halves)});
      for (size_t i = 0; i < codes.size(); ++i) {
        EXPECT_TRUE(areEqual(decodeFloat(half, halves[i]), decodeFloat(dtype, i))) << name << " " << i;
        EXPECT_TRUE(areEqual(singles[i], decodeFloat(dtype, i))) << name << " " << i;
      }
    }
  }
}

TEST(ThreadPrograms, To8BitsFloatsRoundToNearestEvenAndSaturate) {
  for (auto [dtype, name, largest] : kByteFloats) {
    std::vector<float> values;
    for (uint64_t code = 0; code < 256; ++code) {
      double here = decodeFloat(dtype, code), next = decodeFloat(dtype, code + 1 < 256 ? code + 1 : code);
      auto middle = static_cast<float>((here + next) / 2); // a tie, or no number
      for (float v :
           {static_cast<float>(here), middle, std::nextafter(middle, -INFINITY), std::nextafter(middle, INFINITY)})
        values.push_back(v);
    }
    for (double v : {largest * 1.01, largest * 2, 1e30, double(INFINITY), 0x1p-30, 0x1p-140}) {
      values.push_back(static_cast<float>(v));
      values.push_back(static_cast<float>(-v));
    }
    values.resize((values.size() + 31) / 32 * 32, NAN);
    auto count = static_cast<int64_t>(values.size());
    for (int64_t vec : {1, 2, 4}) { // an odd number of elements in a thread, too
      int64_t whole = count / (32 * vec) * (32 * vec);
      std::vector<float> some(values.begin(), values.begin() + whole);
      std::vector<uint8_t> codes(some.size());
      run(castText("truncf", "f32", name, whole, vec), {bytesOf(some), bytesOf(codes)});
      for (size_t i = 0; i < some.size(); ++i) {
        double kept = std::isnan(some[i]) ? some[i] : std::clamp<double>(some[i], -largest, largest);
        EXPECT_TRUE(areEqual(decodeFloat(dtype, codes[i]), decodeFloat(dtype, encodeFloat(dtype, kept))))
            << name << " of " << some[i] << ": " << decodeFloat(dtype, codes[i]);
      }
    }
  }
}

TEST(ThreadPrograms, AQuadExchangesBytesOfAnAccumulator) {
  std::vector<uint8_t> x(128 * 96), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 37 + i / 256);
  run(R"(
    !F = tensor<128x96xi8, #tile.wgmma>
    !A = tensor<128x96xi8, #tile.wgmma_a>
    tile.kernel @k(%x: !tile.global<12288xi8>, %y: !tile.global<12288xi8>) grid 1 threads 128 {
      %c0 = arith.constant 0 : index
      %f = tile.load %x[%c0] rows 96 : !tile.global<12288xi8> -> !F
      %a = tile.relayout %f : !F -> !A
      tile.store %a, %y[%c0] rows 96 : !A, !tile.global<12288xi8>
      tile.return
    })",
      {bytesOf(x), bytesOf(y)});
  EXPECT_EQ(x, y);
}

/// Of each CTA the words from element 3·cta of a tile on, as many as n says.
TEST(ThreadPrograms, ARowOfASharedTileIsReadFromAnyElement) {
  for (int64_t n : {0, 8, 184, 256}) {
    std::vector<uint16_t> x(512), y(16 * 256, 0xFFFF);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(0x1000 + i);
    run(fmt::format(R"(
      !All = tensor<512xi16, #tile.blocked<vec = 8, threads = 32>>
      !Row = tensor<256xi16, #tile.blocked<vec = 8, threads = 32>>
      !InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
      !T = !tile.shared<512xi16>
      tile.kernel @k(%x: !tile.global<512xi16>, %y: !tile.global<4096xi16>) grid 16 threads 32 attributes {{shared_bytes = 1024 : i64}} {{
        %c0 = arith.constant 0 : index
        %c3 = arith.constant 3 : index
        %c256 = arith.constant 256 : index
        %n = arith.constant {} : index
        %t = tile.alloc {{offset = 0 : i64}} : !T
        %all = tile.load %x[%c0] : !tile.global<512xi16> -> !All
        tile.store %all, %t[%c0] : !All, !T
        tile.barrier
        %id = tile.cta_id
        %from = arith.muli %id, %c3 : index
        %to = arith.muli %id, %c256 : index
        %in = tile.lane_mask %n aligned 8 : !InRow
        %row = tile.load %t[%from] shifted mask %in : !InRow : !T -> !Row
        tile.store %row, %y[%to] aligned 8 mask %in : !InRow : !Row, !tile.global<4096xi16>
        tile.return
      }})",
                    n),
        {bytesOf(x), bytesOf(y)}, 16);
    for (int64_t cta = 0; cta < 16; ++cta)
      for (int64_t i = 0; i < 256; ++i)
        ASSERT_EQ(y[size_t(256 * cta + i)], i < n ? 0x1000 + 3 * cta + i : 0xFFFF) << cta << " " << i;
  }
}

} // namespace
