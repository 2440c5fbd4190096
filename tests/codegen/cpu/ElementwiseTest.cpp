// Elementwise ops, casts and special values, on every target this machine runs.
#include "tests/codegen/cpu/JitKit.h"

#include <cmath>
#include <limits>
#include <thread>

namespace kiln::codegen {
namespace {

class Elementwise : public testing::TestWithParam<CpuTarget> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Elementwise, testing::ValuesIn(hostTargets()),
                         [](const auto &info) { return info.param.name; });

TEST_P(Elementwise, RoundsEachOpAndKeepsTheResidue) {
  const int64_t n = 997;
  TileProgram program(pointwise(n, R"(
    %p = arith.mulf %x, %y : tensor<64xf32, #tile.simd>
    %r = arith.addf %p, %x : tensor<64xf32, #tile.simd>)"),
                      GetParam());
  std::vector<float> a(n), b(n), c(n + 64, 7.0f);
  for (int64_t i = 0; i < n; ++i)
    a[i] = 1.0f + static_cast<float>(i) * 1.1e-3f, b[i] = 3.7f - static_cast<float>(i) * 9.3e-4f;
  program.run({a.data(), b.data(), c.data()}, 0, 16);
  for (int64_t i = 0; i < n; ++i) {
    volatile float product = a[i] * b[i]; // volatile: two roundings here too
    ASSERT_EQ(bitsOf(c[i]), bitsOf(product + a[i])) << i;
  }
  for (int64_t i = n; i < n + 64; ++i) ASSERT_EQ(c[i], 7.0f) << "wrote past the end at " << i;
}

TEST_P(Elementwise, ReadsNothingWhereTheMaskIsFalse) {
  // The base is null: a single lane read would end the process.
  TileProgram program(R"(
    tile.kernel @k(%a: !tile.global<64xf32>, %c: !tile.global<64xf32>) grid 1 {
      %c0 = arith.constant 0 : index
      %n = arith.constant -3 : index
      %m = tile.lane_mask %n : tensor<64xi1, #tile.simd>
      %x = tile.load %a[%c0] mask %m : tensor<64xi1, #tile.simd> : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
      %f = arith.constant false
      %s = tile.load %a[%c0] mask %f : i1 : !tile.global<64xf32> -> f32
      %y = tile.splat %s : f32 -> tensor<64xf32, #tile.simd>
      %r = arith.addf %x, %y : tensor<64xf32, #tile.simd>
      tile.store %r, %c[%c0] : tensor<64xf32, #tile.simd>, !tile.global<64xf32>
      tile.return
    })",
                      GetParam());
  std::vector<float> c(64, 1.0f);
  program.run({nullptr, c.data()}, 0, 1);
  for (float v : c) ASSERT_EQ(bitsOf(v), 0u);
}

TEST_P(Elementwise, MaximumAndMinimumFollowIeee754In2019) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, -nan, 1e-42f, -1e-42f, 3.5f};
  std::vector<float> a, b;
  for (float x : values)
    for (float y : values) a.push_back(x), b.push_back(y);
  const int64_t n = static_cast<int64_t>(a.size());
  for (bool max : {true, false}) {
    TileProgram program(pointwise(n, std::string("%r = arith.") + (max ? "maximumf" : "minimumf") +
                                         " %x, %y : tensor<64xf32, #tile.simd>"),
                        GetParam());
    std::vector<float> c(n);
    program.run({a.data(), b.data(), c.data()}, 0, 2);
    for (int64_t i = 0; i < n; ++i) {
      if (std::isnan(a[i]) || std::isnan(b[i])) {
        ASSERT_TRUE(std::isnan(c[i])) << a[i] << ' ' << b[i];
        continue;
      }
      bool takeFirst = a[i] != b[i] ? (a[i] > b[i]) == max : std::signbit(a[i]) != max;
      ASSERT_EQ(bitsOf(c[i]), bitsOf(takeFirst ? a[i] : b[i])) << a[i] << ' ' << b[i] << (max ? " max" : " min");
    }
  }
}

TEST_P(Elementwise, FunctionsThatAreInstructions) {
  struct Case {
    const char *op;
    float (*expected)(float);
  };
  const Case cases[] = {{"math.sqrt", std::sqrt}, {"math.absf", std::fabs},   {"math.floor", std::floor},
                        {"math.ceil", std::ceil}, {"math.trunc", std::trunc}, {"math.roundeven", std::rint}};
  std::vector<float> a = {0.0f,  -0.0f,    0.5f,  1.5f,   2.5f,       -0.5f,
                          -1.5f, 3.99999f, 1e30f, 1e-42f, 8388609.0f, 16777216.0f};
  const int64_t n = static_cast<int64_t>(a.size());
  for (const Case &c : cases) {
    TileProgram program(pointwise(n, std::string("%r = ") + c.op + " %x : tensor<64xf32, #tile.simd>"), GetParam());
    std::vector<float> out(n);
    program.run({a.data(), a.data(), out.data()}, 0, 1);
    for (int64_t i = 0; i < n; ++i) {
      float expected = c.expected(a[i]);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(out[i])) << c.op << ' ' << a[i];
      else
        ASSERT_EQ(bitsOf(out[i]), bitsOf(expected)) << c.op << ' ' << a[i];
    }
  }
}

TEST_P(Elementwise, FmaRoundsOnce) {
  TileProgram program(pointwise(64, R"(
    %r = math.fma %x, %y, %x : tensor<64xf32, #tile.simd>)"),
                      GetParam());
  std::vector<float> a(64), b(64), c(64);
  for (int i = 0; i < 64; ++i)
    a[i] = 1.0f + std::ldexp(static_cast<float>(i), -20), b[i] = -1.0f + std::ldexp(1.0f, -22);
  program.run({a.data(), b.data(), c.data()}, 0, 1);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(bitsOf(c[i]), bitsOf(std::fma(a[i], b[i], a[i]))) << i;
}

TEST_P(Elementwise, BoolsAreBytes) {
  TileProgram program(pointwise(100, R"(
    %r = arith.cmpf olt, %x, %y : tensor<64xf32, #tile.simd>)",
                                "f32", "i1"),
                      GetParam());
  std::vector<float> a(100), b(100, 50.0f);
  std::vector<uint8_t> c(128, 0xEE), d(128, 0xEE);
  for (int i = 0; i < 100; ++i) a[i] = static_cast<float>((i * 37) % 100);
  program.run({a.data(), b.data(), c.data()}, 0, 2);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(c[i], a[i] < 50.0f ? 1 : 0) << i;
  for (int i = 100; i < 128; ++i) ASSERT_EQ(c[i], 0xEE) << i;

  TileProgram negate(pointwise(100, R"(
    %t = arith.constant dense<true> : tensor<64xi1, #tile.simd>
    %r = arith.xori %x, %t : tensor<64xi1, #tile.simd>)",
                               "i1", "i1"),
                     GetParam());
  c[3] = 0x80; // any byte that is not 0 is true
  negate.run({c.data(), c.data(), d.data()}, 0, 2);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(d[i], c[i] == 0 ? 1 : 0) << i;
  ASSERT_EQ(d[100], 0xEE);
}

TEST_P(Elementwise, IntegersOf64Bits) {
  TileProgram program(pointwise(70, R"(
    %three = arith.constant dense<3> : tensor<64xi64, #tile.simd>
    %p = arith.muli %x, %y : tensor<64xi64, #tile.simd>
    %q = arith.divsi %p, %three : tensor<64xi64, #tile.simd>
    %r = arith.maxsi %q, %x : tensor<64xi64, #tile.simd>)",
                                "i64", "i64"),
                      GetParam());
  std::vector<int64_t> a(70), b(70), c(70);
  for (int i = 0; i < 70; ++i) a[i] = (int64_t(1) << 40) * (i - 35) + i, b[i] = i % 5 - 2;
  program.run({a.data(), b.data(), c.data()}, 0, 2);
  for (int i = 0; i < 70; ++i) ASSERT_EQ(c[i], std::max(a[i] * b[i] / 3, a[i])) << i;
}

TEST_P(Elementwise, CastsBothWays) {
  TileProgram program(pointwise(64, R"(
    %i = arith.fptosi %x : tensor<64xf32, #tile.simd> to tensor<64xi64, #tile.simd>
    %w = arith.trunci %i : tensor<64xi64, #tile.simd> to tensor<64xi32, #tile.simd>
    %f = arith.sitofp %w : tensor<64xi32, #tile.simd> to tensor<64xf32, #tile.simd>
    %ge = arith.cmpf oge, %x, %f : tensor<64xf32, #tile.simd>
    %e = arith.uitofp %ge : tensor<64xi1, #tile.simd> to tensor<64xf32, #tile.simd>
    %r = arith.addf %f, %e : tensor<64xf32, #tile.simd>)"),
                      GetParam());
  std::vector<float> a(64), c(64);
  for (int i = 0; i < 64; ++i) a[i] = static_cast<float>(i - 32) * 1234.56f;
  program.run({a.data(), a.data(), c.data()}, 0, 1);
  for (int i = 0; i < 64; ++i) {
    auto whole = static_cast<float>(static_cast<int32_t>(a[i]));
    ASSERT_EQ(c[i], whole + (a[i] >= whole ? 1.0f : 0.0f)) << i;
  }
}

TEST_P(Elementwise, DonatedInputsMayBeOutputs) {
  TileProgram program(pointwise(200, R"(
    %r = arith.addf %x, %y : tensor<64xf32, #tile.simd>)"),
                      GetParam());
  std::vector<float> a(200, 1.5f);
  program.run({a.data(), a.data(), a.data()}, 0, 4);
  for (float v : a) ASSERT_EQ(v, 3.0f);
}

TEST_P(Elementwise, CtasOverTwoThreads) {
  const int64_t n = 64 * 1000 + 17;
  TileProgram program(pointwise(n, "%r = arith.subf %x, %y : tensor<64xf32, #tile.simd>"), GetParam());
  ASSERT_EQ(program.kernels().size(), 1u);
  std::vector<float> a(n), b(n), c(n);
  for (int64_t i = 0; i < n; ++i) a[i] = static_cast<float>(2 * i), b[i] = static_cast<float>(i);
  std::thread other([&] { program.run({a.data(), b.data(), c.data()}, 0, 500); });
  program.run({a.data(), b.data(), c.data()}, 500, 1001);
  other.join();
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(c[i], static_cast<float>(i));
}

} // namespace
} // namespace kiln::codegen
