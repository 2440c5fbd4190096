// Gathers, folds, masks, loops and the mma atom, against scalar simulations, on every target this machine runs.
#include "tests/codegen/cpu/JitKit.h"

#include <cmath>
#include <random>

namespace kiln::codegen {
namespace {

class Fragments : public testing::TestWithParam<CpuTarget> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Fragments, testing::ValuesIn(hostTargets()),
                         [](const auto &info) { return info.param.name; });

std::vector<float> randomFloats(size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float &v : values) v = normal(engine);
  return values;
}

/// fold_units of `lanes` into an accumulator loaded from %a, then a fold: results to %u and %s.
std::string foldProgram(int64_t lanes, const std::string &kind, const std::string &element = "f32") {
  std::string l = std::to_string(lanes), u = std::to_string(lanes / 8);
  std::string fx = "tensor<" + l + "x" + element + ", #tile.simd>",
              fu = "tensor<" + u + "x" + element + ", #tile.simd>";
  std::string gx = "!tile.global<" + l + "x" + element + ">", gu = "!tile.global<" + u + "x" + element + ">";
  std::string gs = "!tile.global<1x" + element + ">";
  return "tile.kernel @k(%x: " + gx + ", %a: " + gu + ", %u: " + gu + ", %s: " + gs + ") grid 1 {\n" +
         "%c0 = arith.constant 0 : index\n%v = tile.load %x[%c0] : " + gx + " -> " + fx + "\n" +
         "%acc = tile.load %a[%c0] : " + gu + " -> " + fu + "\n" + "%r = tile.fold_units <" + kind +
         "> %v into %acc : " + fx + ", " + fu + " -> " + fu + "\n" + "tile.store %r, %u[%c0] : " + fu + ", " + gu +
         "\n%f = tile.fold <" + kind + "> %r : " + fu + " -> " + element + "\ntile.store %f, %s[%c0] : " + element +
         ", " + gs + "\ntile.return\n}";
}

template <typename T> T combine(const std::string &kind, T x, T y) {
  if (kind == "add") return x + y;
  if (kind == "mul") return x * y;
  return kind == "max" ? std::max(x, y) : std::min(x, y);
}

template <typename T> void checkFold(const CpuTarget &target, int64_t lanes, const std::string &kind,
                                     const std::string &element, std::vector<T> x) {
  SCOPED_TRACE(kind + " of " + std::to_string(lanes) + " " + element);
  TileProgram program(foldProgram(lanes, kind, element), target);
  int64_t units = lanes / 8;
  std::vector<T> acc(x.begin(), x.begin() + units), out(units), expected(acc);
  for (T &a : acc) a = a + T(1);
  T scalar = 0;
  program.run({x.data(), acc.data(), out.data(), &scalar}, 0, 1);
  for (int64_t l = 0; l < units; ++l) {
    volatile T sum = acc[l];
    for (int64_t j = 0; j < 8; ++j) sum = combine<T>(kind, sum, x[8 * l + j]);
    expected[l] = sum;
    ASSERT_EQ(std::memcmp(&out[l], &expected[l], sizeof(T)), 0) << "unit " << l;
  }
  for (int64_t n = units / 2; n > 0; n /= 2)
    for (int64_t l = 0; l < n; ++l) {
      volatile T sum = combine<T>(kind, expected[l], expected[l + n]);
      expected[l] = sum;
    }
  ASSERT_EQ(std::memcmp(&scalar, &expected[0], sizeof(T)), 0) << scalar << " " << expected[0];
}

TEST_P(Fragments, FoldsInTheCanonicalOrder) {
  for (int64_t lanes : {8, 16, 32, 64, 128, 256})
    for (const char *kind : {"add", "mul", "max", "min"}) {
      if (lanes != 64 && (kind[0] == 'm')) continue; // one size is enough for the others: the order is the same
      checkFold<float>(GetParam(), lanes, kind, "f32", randomFloats(lanes, 7 + lanes));
      std::vector<int64_t> integers(lanes);
      for (int64_t i = 0; i < lanes; ++i) integers[i] = (i * 7919) % 31 - 15;
      checkFold<int64_t>(GetParam(), lanes, kind, "i64", integers);
    }
}

TEST_P(Fragments, TakeAnyNumberOfLanes) {
  TileProgram program(R"(
    tile.kernel @k(%x: !tile.global<200xf32>, %y: !tile.global<25xf32>, %z: !tile.global<200xf32>) grid 1 {
      %c0 = arith.constant 0 : index
      %c67 = arith.constant 67 : index
      %v = tile.load %x[%c0] : !tile.global<200xf32> -> tensor<200xf32, #tile.simd>
      %zero = arith.constant dense<0.0> : tensor<25xf32, #tile.simd>
      %u = tile.fold_units <add> %v into %zero : tensor<200xf32, #tile.simd>, tensor<25xf32, #tile.simd> -> tensor<25xf32, #tile.simd>
      tile.store %u, %y[%c0] : tensor<25xf32, #tile.simd>, !tile.global<25xf32>
      %m = tile.lane_mask %c67 : tensor<200xi1, #tile.simd>
      %d = arith.addf %v, %v : tensor<200xf32, #tile.simd>
      tile.store %d, %z[%c0] mask %m : tensor<200xi1, #tile.simd> : tensor<200xf32, #tile.simd>, !tile.global<200xf32>
      tile.return
    })",
                      GetParam());
  std::vector<float> x = randomFloats(200, 5), y(25), z(200, -1.0f);
  program.run({x.data(), y.data(), z.data()}, 0, 1);
  for (int l = 0; l < 25; ++l) {
    float sum = 0;
    for (int j = 0; j < 8; ++j) sum += x[8 * l + j];
    ASSERT_EQ(bitsOf(y[l]), bitsOf(sum)) << l;
  }
  for (int l = 0; l < 200; ++l) ASSERT_EQ(z[l], l < 67 ? x[l] + x[l] : -1.0f) << l;
}

TEST_P(Fragments, GathersAndScattersUnderAMask) {
  TileProgram program(R"(
    tile.kernel @k(%x: !tile.global<1000xf32>, %i: !tile.global<64xi64>, %y: !tile.global<1000xf32>, %z: !tile.global<64xf32>) grid 1 {
      %c0 = arith.constant 0 : index
      %c40 = arith.constant 40 : index
      %m = tile.lane_mask %c40 : tensor<64xi1, #tile.simd>
      %o = tile.load %i[%c0] : !tile.global<64xi64> -> tensor<64xi64, #tile.simd>
      %l = tile.lanes : tensor<64xi64, #tile.simd>
      %p = arith.addi %o, %l : tensor<64xi64, #tile.simd>
      %v = tile.gather %x[%p : tensor<64xi64, #tile.simd>] mask %m : tensor<64xi1, #tile.simd> : !tile.global<1000xf32> -> tensor<64xf32, #tile.simd>
      tile.scatter %v, %y[%o : tensor<64xi64, #tile.simd>] mask %m : tensor<64xi1, #tile.simd> : tensor<64xf32, #tile.simd>, !tile.global<1000xf32>
      tile.store %v, %z[%c0] : tensor<64xf32, #tile.simd>, !tile.global<64xf32>
      tile.return
    })",
                      GetParam());
  std::vector<float> x = randomFloats(1000, 3), y(1000, -1.0f), z(64, -1.0f), expected(1000, -1.0f);
  std::vector<int64_t> index(64);
  for (int i = 0; i < 64; ++i) index[i] = i < 40 ? (i * 337) % 900 : int64_t(1) << 40; // far away, and masked off
  program.run({x.data(), index.data(), y.data(), z.data()}, 0, 1);
  for (int i = 0; i < 40; ++i) expected[index[i]] = x[index[i] + i];
  EXPECT_EQ(y, expected);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(bitsOf(z[i]), bitsOf(i < 40 ? x[index[i] + i] : 0.0f)) << i;
}

TEST_P(Fragments, GathersBools) {
  TileProgram program(R"(
    tile.kernel @k(%x: !tile.global<100xi1>, %y: !tile.global<16xi1>) grid 1 {
      %c0 = arith.constant 0 : index
      %six = arith.constant dense<6> : tensor<16xi64, #tile.simd>
      %l = tile.lanes : tensor<16xi64, #tile.simd>
      %o = arith.muli %l, %six : tensor<16xi64, #tile.simd>
      %v = tile.gather %x[%o : tensor<16xi64, #tile.simd>] : !tile.global<100xi1> -> tensor<16xi1, #tile.simd>
      tile.store %v, %y[%c0] : tensor<16xi1, #tile.simd>, !tile.global<16xi1>
      tile.return
    })",
                      GetParam());
  std::vector<uint8_t> x(100), y(16, 9);
  for (int i = 0; i < 100; ++i) x[i] = (i * i) % 3 == 0;
  program.run({x.data(), y.data()}, 0, 1);
  for (int i = 0; i < 16; ++i) ASSERT_EQ(y[i], x[6 * i]) << i;
}

TEST_P(Fragments, LaneMasksClampTheirCount) {
  TileProgram program(R"(
    tile.kernel @k(%n: !tile.global<8xi64>, %y: !tile.global<8x32xi1>) grid 8 {
      %c32 = arith.constant 32 : index
      %id = tile.cta_id
      %raw = tile.load %n[%id] : !tile.global<8xi64> -> i64
      %count = arith.index_cast %raw : i64 to index
      %m = tile.lane_mask %count : tensor<32xi1, #tile.simd>
      %o = arith.muli %id, %c32 : index
      tile.store %m, %y[%o] : tensor<32xi1, #tile.simd>, !tile.global<8x32xi1>
      tile.return
    })",
                      GetParam());
  const std::vector<int64_t> counts = {0, 1, 31, 32, 33, -1, std::numeric_limits<int64_t>::max(), int64_t(1) << 32};
  std::vector<uint8_t> y(8 * 32, 7);
  program.run({counts.data(), y.data()}, 0, 8);
  for (size_t c = 0; c < counts.size(); ++c)
    for (int64_t l = 0; l < 32; ++l) ASSERT_EQ(y[c * 32 + l], l < counts[c] ? 1 : 0) << counts[c] << " lane " << l;
}

/// C = A·B with A packed in panels of 6 rows in shared memory: the shape of a matmul skeleton.
TEST_P(Fragments, PackedMatmulIsOneFmaPerKInOrder) {
  TileProgram program(R"(
    tile.kernel @k(%a: !tile.global<6x50xf32>, %b: !tile.global<50x32xf32>, %c: !tile.global<6x32xf32>) grid 1 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %c32 = arith.constant 32 : index
      %c50 = arith.constant 50 : index
      %t = tile.alloc {offset = 64 : i64} : !tile.shared<50x6xf32>
      scf.for %k = %c0 to %c50 step %c1 {
        %col = tile.load %a[%k] rows 50 : !tile.global<6x50xf32> -> tensor<6xf32, #tile.simd_column>
        %o = arith.muli %k, %c6 : index
        tile.store %col, %t[%o] rows 1 : tensor<6xf32, #tile.simd_column>, !tile.shared<50x6xf32>
      }
      %zero = arith.constant dense<0.0> : tensor<6x32xf32, #tile.simd>
      %r = scf.for %k = %c0 to %c50 step %c1 iter_args(%acc = %zero) -> (tensor<6x32xf32, #tile.simd>) {
        %oa = arith.muli %k, %c6 : index
        %ob = arith.muli %k, %c32 : index
        %col = tile.load %t[%oa] rows 1 : !tile.shared<50x6xf32> -> tensor<6xf32, #tile.simd_column>
        %row = tile.load %b[%ob] : !tile.global<50x32xf32> -> tensor<32xf32, #tile.simd>
        %next = tile.mma %col, %row, %acc : tensor<6xf32, #tile.simd_column>, tensor<32xf32, #tile.simd>, tensor<6x32xf32, #tile.simd>
        scf.yield %next : tensor<6x32xf32, #tile.simd>
      }
      %neg = arith.negf %r : tensor<6x32xf32, #tile.simd>
      %positive = arith.constant true
      %s = arith.select %positive, %r, %neg : tensor<6x32xf32, #tile.simd>
      tile.store %s, %c[%c0] rows 32 : tensor<6x32xf32, #tile.simd>, !tile.global<6x32xf32>
      tile.return
    })",
                      GetParam());
  std::vector<float> a = randomFloats(300, 1), b = randomFloats(1600, 2), c(192), scratch(16 + 300);
  program.run({a.data(), b.data(), c.data()}, 0, 1, scratch.data());
  for (int m = 0; m < 6; ++m)
    for (int n = 0; n < 32; ++n) {
      float sum = 0;
      for (int k = 0; k < 50; ++k) sum = std::fma(a[m * 50 + k], b[k * 32 + n], sum);
      ASSERT_EQ(bitsOf(c[m * 32 + n]), bitsOf(sum)) << m << ' ' << n;
    }
}

TEST_P(Fragments, ConstantsAndChoices) {
  TileProgram program(R"(
    tile.kernel @k(%n: !tile.global<1xi32>, %y: !tile.global<2x4xf32>) grid 1 {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %n0 = tile.load %n[%c0] : !tile.global<1xi32> -> i32
      %p = arith.cmpi sgt, %n0, %zero : i32
      %v = scf.if %p -> (tensor<2x4xf32, #tile.simd>) {
        %d = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32, #tile.simd>
        scf.yield %d : tensor<2x4xf32, #tile.simd>
      } else {
        %d = arith.constant dense<-1.0> : tensor<2x4xf32, #tile.simd>
        scf.yield %d : tensor<2x4xf32, #tile.simd>
      }
      tile.store %v, %y[%c0] rows 4 : tensor<2x4xf32, #tile.simd>, !tile.global<2x4xf32>
      tile.return
    })",
                      GetParam());
  std::vector<float> y(8);
  int32_t n = 1;
  program.run({&n, y.data()}, 0, 1);
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  n = 0;
  program.run({&n, y.data()}, 0, 1);
  EXPECT_EQ(y, std::vector<float>(8, -1.0f));
}

TEST_P(Fragments, LookupsReadRowsOfConstantTables) {
  // Two lookups in one table, one in another of the same bytes, on a scalar and on lanes.
  TileProgram program(R"(
    tile.kernel @k(%i: !tile.global<40xi32>, %y: !tile.global<40xf32>, %z: !tile.global<40xi32>) grid 1 {
      %c0 = arith.constant 0 : index
      %n = tile.load %i[%c0] : !tile.global<40xi32> -> tensor<40xi32, #tile.simd>
      %a, %b = tile.lookup dense<[[1.0, 0.5], [2.0, 0.25], [4.0, 0.125]]> : tensor<3x2xf32> at %n : tensor<40xi32, #tile.simd> -> tensor<40xf32, #tile.simd>, tensor<40xf32, #tile.simd>
      %s = arith.constant 1 : i32
      %c, %d = tile.lookup dense<[[1.0, 0.5], [2.0, 0.25], [4.0, 0.125]]> : tensor<3x2xf32> at %s : i32 -> f32, f32
      %ds = tile.splat %d : f32 -> tensor<40xf32, #tile.simd>
      %p = arith.mulf %a, %b : tensor<40xf32, #tile.simd>
      %r = arith.addf %a, %ds : tensor<40xf32, #tile.simd>
      %t = arith.subf %r, %p : tensor<40xf32, #tile.simd>
      tile.store %t, %y[%c0] : tensor<40xf32, #tile.simd>, !tile.global<40xf32>
      %e = tile.lookup dense<7> : tensor<3x1xi32> at %n : tensor<40xi32, #tile.simd> -> tensor<40xi32, #tile.simd>
      tile.store %e, %z[%c0] : tensor<40xi32, #tile.simd>, !tile.global<40xi32>
      tile.return
    })",
                      GetParam());
  std::vector<int32_t> i(40), z(40);
  std::vector<float> y(40);
  for (int k = 0; k < 40; ++k) i[k] = (k * 7) % 3;
  program.run({i.data(), y.data(), z.data()}, 0, 1);
  for (int k = 0; k < 40; ++k) {
    EXPECT_EQ(y[k], static_cast<float>(1 << i[k]) + 0.25f - 0.5f) << k;
    EXPECT_EQ(z[k], 7) << k;
  }
}

} // namespace
} // namespace kiln::codegen
