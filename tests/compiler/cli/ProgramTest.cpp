// Files of tile programs alone on the command line.
#include "codegen/ptx/Assemble.h"
#include "kiln/HostTensor.h"
#include "runtime/LaunchPlan.h"
#include "runtime/files/Npy.h"
#include "tests/compiler/cli/MainKit.h"

using namespace kiln;
using namespace kiln::cli;

namespace {

const char *const kTwice = R"(
tile.kernel @twice(%x: !tile.global<64xf32> {tile.name = "x"}, %y: !tile.global<64xf32> {tile.name = "y"}) grid 4 {
  %c16 = arith.constant 16 : index
  %cta = tile.cta_id
  %at = arith.muli %cta, %c16 : index
  %a = tile.load %x[%at] : !tile.global<64xf32> -> tensor<16xf32, #tile.simd>
  %b = arith.addf %a, %a : tensor<16xf32, #tile.simd>
  tile.store %b, %y[%at] : tensor<16xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}
)";

const char *const kOnGpu = R"mlir(
tile.kernel @copy(%x: !tile.global<?xf32> {tile.dims = ["N"]}, %y: !tile.global<?xf32> {tile.dims = ["N"]})
    grid "min(sms, ceildiv(N, 128))" threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] aligned 4 : !tile.global<?xf32> -> tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>
  tile.store %a, %y[%c0] aligned 4 : tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>, !tile.global<?xf32>
  tile.return
}
)mlir";

class Program : public Main {
protected:
  void SetUp() override {
    Main::SetUp();
    write("twice.mlir", kTwice);
    write("copy.mlir", kOnGpu);
    writeNpy(path("x.npy"), HostTensor::full({64}, f32, 3));
  }
};

TEST_F(Program, RunsOnFiles) {
  ASSERT_EQ(kilnMain({"run", path("twice.mlir"), "--input", "x=" + path("x.npy"), "--output", "y=" + path("y.npy")}), 0)
      << err;
  EXPECT_EQ(readNpy(path("y.npy")).get(63), 6);
  ASSERT_EQ(kilnMain({"explain", path("twice.mlir")}), 0) << err;
  EXPECT_TRUE(printed("custom_twice_") && printed("@twice (twice.mlir:2)\n    program (of no order class)")) << out;
  EXPECT_EQ(kilnMain({"run", path("twice.mlir"), "--entry", "thrice"}), 2);
  EXPECT_TRUE(printed("one of the file's tile programs")) << err;
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--bind", "N=4"}), 2);
  EXPECT_TRUE(printed("only the extents of a tile program")) << err;
  EXPECT_EQ(kilnMain({"run", path("twice.mlir"), "--bind", "N"}), 1);
  EXPECT_TRUE(printed("M=4096,N=512")) << err;
}

TEST_F(Program, ForAGpuIsCompiledForOne) {
  ASSERT_EQ(kilnMain({"compile", path("copy.mlir"), "--emit", "ptx"}), 0) << err;
  EXPECT_TRUE(printed(".visible .entry custom_copy_")) << out;
  ASSERT_EQ(kilnMain({"compile", path("copy.mlir"), "--emit", "plan", "--bind", "N=1000"}), 0) << err;
  const auto plan = planFromJson(out);
  EXPECT_EQ(std::get<LaunchStep>(plan.steps.at(0)).grid[0].toString(), "min(sms, 8)");
  EXPECT_EQ(kilnMain({"compile", path("copy.mlir"), "--emit", "plan"}), 2);
  EXPECT_TRUE(printed("--bind N=4096, or --input arg0=file.npy")) << err;
  EXPECT_EQ(kilnMain({"run", path("copy.mlir"), "--device", "cpu", "--input", "arg0=" + path("x.npy")}), 2);
  EXPECT_TRUE(printed("--device cuda")) << err;
  auto assembler = codegen::Assembler::find();
  if (!assembler) return llvm::consumeError(assembler.takeError());
  ASSERT_EQ(kilnMain({"compile", path("copy.mlir"), "--emit", "cubin", "-o", path("k")}), 0) << err;
  EXPECT_TRUE(printed("0 bytes spilled")) << err;
}

} // namespace
