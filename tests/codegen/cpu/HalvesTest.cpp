// f16 and bf16 on every target this machine runs: each op against one rounding of the exact result.
#include "tests/codegen/cpu/JitKit.h"

#include "kiln/FloatFormat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace kiln::codegen {
namespace {

struct Param {
  CpuTarget target;
  DType dtype;
};
void PrintTo(const Param &param, std::ostream *os) { *os << param.target.name << ' ' << name(param.dtype); }

std::vector<Param> params() {
  std::vector<Param> all;
  for (const CpuTarget &target : hostTargets())
    for (DType dtype : {f16, bf16}) all.push_back({target, dtype});
  return all;
}

class Halves : public testing::TestWithParam<Param> {
protected:
  std::string element() const { return std::string(name(GetParam().dtype)); }
  std::string fragment() const { return "tensor<64x" + element() + ", #tile.simd>"; }
  double value(uint16_t bits) const { return decodeFloat(GetParam().dtype, bits); }
  uint16_t rounded(double exact) const { return static_cast<uint16_t>(encodeFloat(GetParam().dtype, exact)); }
  bool isNan(uint16_t bits) const { return std::isnan(value(bits)); }
  bool isQuiet(uint16_t bits) const { return bits & (GetParam().dtype == bf16 ? 0x40 : 0x200); }

  template <typename In, typename Out> std::vector<Out> run(const std::string &body, const std::vector<In> &a,
                                                            const std::vector<In> &b, const std::string &in,
                                                            const std::string &out) {
    std::vector<Out> c(a.size());
    TileProgram program(pointwise(static_cast<int64_t>(a.size()), body, in, out), GetParam().target);
    program.run({a.data(), b.data(), c.data()}, 0, static_cast<int64_t>(a.size() + 63) / 64);
    return c;
  }

  /// `op` on 16-bit operands, which gives `expected` or a quiet NaN where that is NaN.
  void check(const std::string &op, const std::vector<uint16_t> &a, const std::vector<uint16_t> &b,
             const std::function<double(double, double)> &expected) {
    auto c = run<uint16_t, uint16_t>("%r = " + op + " : " + fragment(), a, b, element(), element());
    for (size_t i = 0; i < a.size(); ++i) {
      double exact = expected(value(a[i]), value(b[i]));
      if (std::isnan(exact))
        ASSERT_TRUE(isNan(c[i])) << op << ' ' << value(a[i]) << ' ' << value(b[i]);
      else
        ASSERT_EQ(c[i], rounded(exact)) << op << ' ' << value(a[i]) << ' ' << value(b[i]);
    }
  }

  static std::vector<uint16_t> all() {
    std::vector<uint16_t> bits(1 << 16);
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
    return bits;
  }
  /// Every value beside zeros, infinities, neighbours in size, subnormals or anything.
  std::vector<uint16_t> partners(int round) const {
    std::mt19937 random(static_cast<unsigned>(round));
    std::vector<uint16_t> bits = all();
    const uint16_t special[] = {0, 0x8000, 1, 0x8001, rounded(1), rounded(-1), rounded(INFINITY), rounded(-INFINITY)};
    for (uint16_t &x : bits) {
      auto draw = static_cast<uint16_t>(random());
      uint16_t near = static_cast<uint16_t>(x + (random() & 0x1fff) - 0x1000);
      x = round == 0 ? special[random() % std::size(special)] : round == 1 ? near : draw;
    }
    return bits;
  }
};
INSTANTIATE_TEST_SUITE_P(Cpu, Halves, testing::ValuesIn(params()), [](const auto &info) {
  return info.param.target.name + "_" + std::string(name(info.param.dtype));
});

TEST_P(Halves, WidenExactly) {
  auto a = all();
  auto c =
      run<uint16_t, uint32_t>("%f = arith.extf %x : " + fragment() +
                                  " to tensor<64xf32, #tile.simd>\n"
                                  "%r = arith.bitcast %f : tensor<64xf32, #tile.simd> to tensor<64xi32, #tile.simd>",
                              a, a, element(), "i32");
  for (uint16_t x : a) {
    auto wide = std::bit_cast<float>(c[x]);
    if (isNan(x))
      ASSERT_TRUE(std::isnan(wide) && std::signbit(wide) == (x >> 15)) << x;
    else
      ASSERT_EQ(c[x], bitsOf(static_cast<float>(value(x)))) << x;
  }
}

TEST_P(Halves, RoundToNearestEven) {
  std::vector<uint32_t> a;
  for (uint32_t x = 0; x < 0x8000; ++x) { // each value, and what lies just below, at and above the middle to the next
    if (!std::isfinite(value(static_cast<uint16_t>(x)))) continue;
    double here = value(static_cast<uint16_t>(x)), next = value(static_cast<uint16_t>(x + 1));
    if (std::isinf(next)) next = here + (here - value(static_cast<uint16_t>(x - 1)));
    uint32_t middle = bitsOf(static_cast<float>((here + next) / 2));
    for (uint32_t bits : {bitsOf(static_cast<float>(here)), middle - 1, middle, middle + 1})
      a.insert(a.end(), {bits, bits | 0x80000000});
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) a.push_back(static_cast<uint32_t>(random()));
  a.insert(a.end(),
           {0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7f7fffff, 1, 0x80000001});
  auto c = run<uint32_t, uint16_t>("%r = arith.truncf %x : tensor<64xf32, #tile.simd> to " + fragment(), a, a, "f32",
                                   element());
  for (size_t i = 0; i < a.size(); ++i) {
    double exact = std::bit_cast<float>(a[i]);
    if (std::isnan(exact))
      ASSERT_TRUE(isNan(c[i]) && isQuiet(c[i]) && c[i] >> 15 == a[i] >> 31) << a[i];
    else
      ASSERT_EQ(c[i], rounded(exact)) << exact;
  }
}

TEST_P(Halves, ArithmeticRoundsOnce) {
  for (int round = 0; round < 3; ++round) {
    auto a = all(), b = partners(round);
    check("arith.addf %x, %y", a, b, [](double x, double y) { return x + y; });
    check("arith.subf %x, %y", a, b, [](double x, double y) { return x - y; });
    check("arith.mulf %x, %y", a, b, [](double x, double y) { return x * y; });
    check("arith.divf %x, %y", a, b, [](double x, double y) { return x / y; });
    check("arith.maximumf %x, %y", a, b, [](double x, double y) {
      if (std::isnan(x) || std::isnan(y)) return static_cast<double>(NAN);
      return x != y ? std::max(x, y) : std::signbit(x) ? y : x;
    });
    check("arith.minimumf %x, %y", a, b, [](double x, double y) {
      if (std::isnan(x) || std::isnan(y)) return static_cast<double>(NAN);
      return x != y ? std::min(x, y) : std::signbit(x) ? x : y;
    });
  }
}

TEST_P(Halves, FunctionsThatAreInstructions) {
  auto a = all();
  check("math.sqrt %x", a, a, [](double x, double) { return std::sqrt(x); });
  check("math.floor %x", a, a, [](double x, double) { return std::floor(x); });
  check("math.ceil %x", a, a, [](double x, double) { return std::ceil(x); });
  auto negated = run<uint16_t, uint16_t>("%r = arith.negf %x : " + fragment(), a, a, element(), element());
  auto positive = run<uint16_t, uint16_t>("%r = math.absf %x : " + fragment(), a, a, element(), element());
  for (uint16_t x : a) {
    ASSERT_EQ(negated[x], x ^ 0x8000);
    ASSERT_EQ(positive[x], x & 0x7fff);
  }
}

/// x·y + z in a double that rounds as the exact sum does: what is 2^28 times smaller only breaks ties.
double fmaThatRounds(double x, double y, double z) {
  double product = x * y;
  if (product == 0 || z == 0 || !std::isfinite(product) || !std::isfinite(z)) return product + z;
  int gap = std::ilogb(product) - std::ilogb(z);
  if (gap > 28) z = std::copysign(std::ldexp(1.0, std::ilogb(product) - 28), z);
  if (gap < -28) product = std::copysign(std::ldexp(1.0, std::ilogb(z) - 28), product);
  return product + z;
}

TEST_P(Halves, FmaRoundsOnce) {
  auto a = all();
  for (int round = 0; round < 6; ++round) {
    auto b = partners(round / 2);
    // As %z a value near the product, or %x itself.
    std::string z = "%r = math.fma %x, %y, %x : ", near = "%p = arith.mulf %x, %y : " + fragment() +
                                                          "\n%q = arith.negf %p : " + fragment() +
                                                          "\n%r = math.fma %x, %y, %q : ";
    auto c = run<uint16_t, uint16_t>((round % 2 ? z : near) + fragment(), a, b, element(), element());
    for (size_t i = 0; i < a.size(); ++i) {
      double x = value(a[i]), y = value(b[i]);
      double exact = fmaThatRounds(x, y, round % 2 ? x : -value(rounded(x * y)));
      if (std::isnan(exact))
        ASSERT_TRUE(isNan(c[i])) << x << ' ' << y;
      else
        ASSERT_EQ(c[i], rounded(exact)) << x << ' ' << y << ' ' << round;
    }
  }
}

/// x·y half way between two values, and a %z far below that breaks the tie.
TEST_P(Halves, FmaSeesWhatIsFarBelow) {
  double one = 1 + (GetParam().dtype == bf16 ? 0x1p-7 : 0x1p-10), tie = GetParam().dtype == bf16 ? 1.5 : 1.5;
  double tiny = GetParam().dtype == bf16 ? 0x1p-100 : 0x1p-24;
  std::vector<uint16_t> a(64, rounded(one)), b(64, rounded(tie));
  for (double z : {tiny, -tiny, 0.0}) {
    std::string text = std::to_string(rounded(z));
    auto c = run<uint16_t, uint16_t>("%i = arith.constant dense<" + text + "> : tensor<64xi16, #tile.simd>\n" +
                                         "%z = arith.bitcast %i : tensor<64xi16, #tile.simd> to " + fragment() +
                                         "\n%r = math.fma %x, %y, %z : " + fragment(),
                                     a, b, element(), element());
    EXPECT_EQ(c[5], rounded(one * tie + (z > 0 ? 0x1p-30 : z < 0 ? -0x1p-30 : 0))) << z;
  }
}

TEST_P(Halves, CompareAndChoose) {
  for (int round = 0; round < 3; ++round) {
    auto a = all(), b = partners(round);
    auto c = run<uint16_t, uint16_t>("%l = arith.cmpf olt, %x, %y : " + fragment() +
                                         "\n%one = arith.constant dense<1.0> : " + fragment() +
                                         "\n%s = arith.select %l, %x, %one : tensor<64xi1, #tile.simd>, " + fragment() +
                                         "\n%u = arith.cmpf une, %x, %y : " + fragment() +
                                         "\n%r = arith.select %u, %s, %y : tensor<64xi1, #tile.simd>, " + fragment(),
                                     a, b, element(), element());
    for (size_t i = 0; i < a.size(); ++i) {
      double x = value(a[i]), y = value(b[i]);
      ASSERT_EQ(c[i], !(x != y) ? b[i] : x < y ? a[i] : rounded(1)) << x << ' ' << y;
    }
  }
}

/// Scalars, loops and masked accesses carry 16 bits as well.
TEST_P(Halves, AreCarriedByLoops) {
  const std::string e = element(), f = "tensor<8x" + e + ", #tile.simd>", g = "!tile.global<19x" + e + ">";
  TileProgram program("tile.kernel @k(%a: " + g + ", %c: " + g + R"() grid 1 {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %n = arith.constant 19 : index
      %one = arith.constant 1.0 : )" +
                          e + R"(
      %total = scf.for %i = %c0 to %n step %c8 iter_args(%t = %one) -> ()" +
                          e + R"() {
        %left = arith.subi %n, %i : index
        %m = tile.lane_mask %left : tensor<8xi1, #tile.simd>
        %x = tile.load %a[%i] mask %m : tensor<8xi1, #tile.simd> : )" +
                          g + " -> " + f + R"(
        %first = tile.load %a[%i] : )" +
                          g + " -> " + e + R"(
        %next = arith.addf %t, %first : )" +
                          e + R"(
        %b = tile.splat %next : )" +
                          e + " -> " + f + R"(
        %y = arith.mulf %x, %b : )" +
                          f + R"(
        tile.store %y, %c[%i] mask %m : tensor<8xi1, #tile.simd> : )" +
                          f + ", " + g + R"(
        scf.yield %next : )" +
                          e + R"(
      }
      tile.return
    })",
                      GetParam().target);
  std::vector<uint16_t> a(19), c(24, 0xeeee);
  for (int i = 0; i < 19; ++i) a[i] = rounded(i);
  program.run({a.data(), c.data()}, 0, 1);
  const double totals[] = {1, 9, 25};
  for (int i = 0; i < 19; ++i) ASSERT_EQ(value(c[i]), value(rounded(i * totals[i / 8]))) << i;
  for (int i = 19; i < 24; ++i) ASSERT_EQ(c[i], 0xeeee);
}

/// One lane by a mask that is known when it is compiled: two bytes are written, not the four that were rounded.
TEST_P(Halves, OneLaneIsStoredAlone) {
  const std::string e = element(), f = "tensor<64x" + e + ", #tile.simd>";
  for (JitEffort effort : {JitEffort::Fast, JitEffort::Full})
    for (int count : {0, 1, 2, 17}) {
      std::string n = std::to_string(count);
      TileProgram program("tile.kernel @k(%a: !tile.global<64xf32>, %c: !tile.global<64x" + e + R"(>) grid 1 {
      %c0 = arith.constant 0 : index
      %n = arith.constant )" + n +
                              R"( : index
      %m = tile.lane_mask %n : tensor<64xi1, #tile.simd>
      %x = tile.load %a[%c0] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
      %y = arith.truncf %x : tensor<64xf32, #tile.simd> to )" +
                              f + R"(
      tile.store %y, %c[%c0] mask %m : tensor<64xi1, #tile.simd> : )" +
                              f + ", !tile.global<64x" + e + R"(>
      tile.return
    })",
                          GetParam().target, effort);
      std::vector<float> a(64, 3.5f);
      std::vector<uint16_t> c(64, 0xeeee);
      program.run({a.data(), c.data()}, 0, 1);
      for (int i = 0; i < 64; ++i) ASSERT_EQ(c[i], i < count ? rounded(3.5) : 0xeeee) << i << " of " << count;
    }
}

} // namespace
} // namespace kiln::codegen
