// kiln compile, and kiln run on what it wrote.
#include "codegen/ptx/Assemble.h"
#include "kiln/Error.h"
#include "runtime/CompiledFile.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/files/Npy.h"
#include "tests/compiler/cli/MainKit.h"

#include <nlohmann/json.hpp>

using namespace kiln;
using namespace kiln::cli;

namespace {

class Compile : public Main {};

TEST_F(Compile, WritesAFileThatRuns) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("m.kiln")}), 0) << err;
  EXPECT_EQ(out + err, "");
  CompiledGraph graph = readCompiledFile(path("m.kiln"));
  EXPECT_EQ(graph.device, "cpu");
  EXPECT_EQ(nlohmann::json::parse(graph.report)["schema"], 2);
  ASSERT_EQ(kilnMain({"run", path("m.kiln"), "--output", "y=" + path("y.npy"), "--repeat", "2", "--profile"}), 0)
      << err;
  EXPECT_TRUE(printed("matmul_"));
  ASSERT_EQ(kilnMain({"run", path("m.mlir"), "--output", "y=" + path("z.npy")}), 0) << err;
  EXPECT_TRUE(bitEqual(readNpy(path("y.npy")), readNpy(path("z.npy"))));
}

TEST_F(Compile, ADslProgramCompilesItself) {
  auto build = [](Graph &g) { g.output("y", g.input("x", {8})); };
  ASSERT_EQ(kilnMain({"compile", "-o", path("p.kiln")}, build), 0) << err;
  EXPECT_EQ(kilnMain({"run", path("p.kiln"), "--json"}), 0) << err;
}

TEST_F(Compile, FilesKeepTheirTarget) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("m.kiln"), "--target", "sse2"}), 0) << err;
  EXPECT_EQ(std::get<HostCodeImage>(readCompiledFile(path("m.kiln")).kernels.at(0)).target, "sse2");
  ASSERT_EQ(kilnMain({"run", path("m.kiln"), "--output", "y=" + path("y.npy")}), 0) << err;
  ASSERT_EQ(kilnMain({"run", path("m.mlir"), "--output", "y=" + path("z.npy")}), 0) << err;
  EXPECT_TRUE(bitEqual(readNpy(path("y.npy")), readNpy(path("z.npy"))));
}

TEST_F(Compile, EmitsThePlanAlone) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "plan"}), 0) << err;
  EXPECT_EQ(planFromJson(out).inputs.size(), 1u);
  std::string printedPlan = out;
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "plan", "-o", path("plan.json")}), 0) << err;
  std::ifstream file(path("plan.json"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), printedPlan);
}

TEST_F(Compile, EmitsPtxWithoutAGpu) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "ptx"}), 0) << err;
  EXPECT_TRUE(printed("// kernel matmul_") && printed(".target sm_80") && printed(".visible .entry matmul_")) << out;
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "ptx", "--target", "sm_90a", "-o", path("ptx/of/m")}), 0)
      << err;
  std::vector<fs::path> files(fs::directory_iterator(path("ptx/of/m")), fs::directory_iterator());
  ASSERT_EQ(files.size(), 1u);
  std::ifstream file(files[0]);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find(".target sm_90\n"), std::string::npos) << "none of its instructions is of sm_90a alone";
  EXPECT_NE(text.find(files[0].stem().string()), std::string::npos) << files[0];
}

TEST_F(Compile, EmitsCubinsWhereThereIsAnAssembler) {
  auto assembler = codegen::Assembler::find();
  bool found = bool(assembler);
  if (!found) llvm::consumeError(assembler.takeError());
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "cubin", "-o", path("cubin")}), found ? 0 : 3) << err;
  EXPECT_TRUE(printed(found ? " 0 bytes spilled" : "--emit ptx")) << err;
  EXPECT_EQ(fs::exists(path("cubin")), found);
}

TEST_F(Compile, AFileForAGpuRunsWhereThereIsOne) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("m.kiln"), "--target", "sm_80"}), 0) << err;
  CompiledGraph graph = readCompiledFile(path("m.kiln"));
  EXPECT_EQ(graph.device, "cuda");
  EXPECT_EQ(graph.plan.target, "sm_80");
  const auto &kernel = std::get<CodeImage>(graph.kernels.at(0));
  EXPECT_EQ(kernel.format, CodeImage::Format::Ptx);
  EXPECT_GE(kernel.threads, 32);
  bool gpu = !cudaInventory().gpus.empty();
  EXPECT_EQ(kilnMain({"run", path("m.kiln")}), gpu ? 0 : 3) << err;
}

TEST_F(Compile, SaysWhatIsWrong) {
  EXPECT_EQ(kilnMain({"compile", path("m.mlir")}), 1);
  EXPECT_TRUE(printed("-o m.kiln"));
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "cubin"}), 1);
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "glue"}), 1);
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "ptx", "--device", "cpu"}), 1);
  EXPECT_TRUE(printed("--device cuda"));
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("m.kiln"), "--device", "cpu", "--target", "sm_80"}), 1);
  EXPECT_TRUE(printed("one of the device's"));
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "--emit", "ptx", "--device", "cuda", "--target", "sm_75"}), 1);
  EXPECT_TRUE(printed("sm_75") && printed("the nearest is `sm_80`, the oldest that code is made for")) << err;
  EXPECT_EQ(kilnMain({"compile", path("none.mlir"), "-o", path("m.kiln")}), 2);
  EXPECT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("none/m.kiln")}), 2);
  EXPECT_FALSE(fs::exists(path("m.kiln")));
}

TEST_F(Compile, RunTakesACompiledFileAsItIs) {
  ASSERT_EQ(kilnMain({"compile", path("m.mlir"), "-o", path("m.kiln")}), 0) << err;
  EXPECT_EQ(kilnMain({"run", path("m.kiln"), "--check"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.kiln"), "--no-fuse"}), 1);
  EXPECT_TRUE(printed("run as it is"));
  EXPECT_EQ(kilnMain({"run", path("m.kiln"), "--output", "z=z.npy"}), 2);
  EXPECT_EQ(kilnMain({"run", path("m.kiln"), "--strict"}), 2);
  EXPECT_TRUE(printed("the input has no value"));
  fs::resize_file(path("m.kiln"), fs::file_size(path("m.kiln")) - 1);
  EXPECT_EQ(kilnMain({"run", path("m.kiln")}), 2);
  EXPECT_TRUE(printed("damaged"));
}

} // namespace
