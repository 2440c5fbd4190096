// The JIT itself: errors are contained, kernels compile in parallel and linearly, code outlives its JIT.
#include "tests/codegen/cpu/JitKit.h"

#include <chrono>
#include <thread>

namespace kiln::codegen {
namespace {

/// A kernel that adds its input to itself `adds` times, `lanes` lanes wide.
std::string chain(int adds, int lanes, const std::string &name = "chain") {
  std::string l = std::to_string(lanes), f = "tensor<" + l + "xf32, #tile.simd>", g = "!tile.global<" + l + "xf32>";
  std::string text = "tile.kernel @" + name + "(%x: " + g + ", %y: " + g +
                     ") grid 1 {\n%c0 = arith.constant 0 : index\n" + "%v = tile.load %x[%c0] : " + g + " -> " + f +
                     "\n%v0 = arith.addf %v, %v : " + f + "\n";
  for (int i = 1; i < adds; ++i)
    text += "%v" + std::to_string(i) + " = arith." + (i % 2 ? "addf" : "mulf") + " %v" + std::to_string(i - 1) +
            ", %v : " + f + "\n";
  return text + "tile.store %v" + std::to_string(adds - 1) + ", %y[%c0] : " + f + ", " + g + "\ntile.return\n}\n";
}

/// A function that verifies as LLVM dialect but that the host's backend cannot select.
const char *kUnselectable = R"(
  llvm.func @bad(%slots: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
    %v = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    llvm.store %v, %scratch : i32, !llvm.ptr
    llvm.return
  })";

TEST(CpuJit, FatalErrorsOfLlvmAreErrors) {
  TileProgram bad(kUnselectable);
  ASSERT_TRUE(bad.lowered);
  auto jit = CpuJit::create();
  ASSERT_TRUE(static_cast<bool>(jit));
  auto attempt = [&] {
    for (int i = 0; i < 10; ++i) {
      auto kernel = (*jit)->compile(bad.function());
      ASSERT_FALSE(static_cast<bool>(kernel));
      std::string text = llvm::toString(kernel.takeError());
      EXPECT_NE(text.find("kernel bad: Cannot select"), std::string::npos) << text;
    }
  };
  std::thread other(attempt);
  attempt();
  other.join();

  TileProgram good(chain(3, 16));
  auto kernel = (*jit)->compile(good.function());
  ASSERT_TRUE(static_cast<bool>(kernel)) << llvm::toString(kernel.takeError());
  std::vector<float> x(16, 2.0f), y(16);
  std::vector<const void *> slots = {x.data(), y.data()};
  kernel->fn(slots.data(), 0, 1, nullptr);
  EXPECT_EQ(y, std::vector<float>(16, 12.0f)); // ((2 + 2) + 2) * 2
}

TEST(CpuJit, KernelsOutliveTheJitAndMayShareNames) {
  std::vector<CompiledKernel> kernels;
  for (int adds : {1, 2}) {
    TileProgram program(chain(adds, 16));
    ASSERT_EQ(program.kernels().size(), 1u);
    kernels.push_back(program.kernels()[0]);
  }
  std::vector<float> x(16, 1.0f), y(16);
  std::vector<const void *> slots = {x.data(), y.data()};
  for (float expected : {2.0f, 3.0f}) {
    kernels[static_cast<size_t>(expected) - 2].fn(slots.data(), 0, 1, nullptr);
    EXPECT_EQ(y, std::vector<float>(16, expected));
  }
}

TEST(CpuJit, CompilesFromSeveralThreadsAtOnce) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += chain(1, 16 + i, "k" + std::to_string(i));
  TileProgram program(text);
  ASSERT_TRUE(program.lowered);
  auto jit = CpuJit::create();
  ASSERT_TRUE(static_cast<bool>(jit));
  std::vector<mlir::LLVM::LLVMFuncOp> functions;
  for (auto function : program.module->getOps<mlir::LLVM::LLVMFuncOp>()) functions.push_back(function);
  ASSERT_EQ(functions.size(), 8u);
  std::vector<CompiledKernel> kernels(8);
  auto compileEvenOrOdd = [&](size_t first) {
    for (size_t i = first; i < 8; i += 2) {
      auto kernel = (*jit)->compile(functions[i]);
      if (kernel)
        kernels[i] = std::move(*kernel);
      else
        ADD_FAILURE() << llvm::toString(kernel.takeError());
    }
  };
  std::thread other(compileEvenOrOdd, 1);
  compileEvenOrOdd(0);
  other.join();
  for (size_t i = 0; i < 8; ++i) {
    ASSERT_EQ(kernels[i].symbol, "k" + std::to_string(i));
    std::vector<float> x(16 + i, 1.5f), y(16 + i);
    const void *slots[] = {x.data(), y.data()};
    kernels[i].fn(slots, 0, 1, nullptr);
    EXPECT_EQ(y, std::vector<float>(16 + i, 3.0f));
  }
}

TEST(CpuJit, CompileTimeIsLinearInTheOps) {
  // Processor time of this thread: the wall clock also counts whoever else uses the machine.
  auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  auto seconds = [&](int adds) {
    TileProgram program(chain(adds, 64));
    double start = now();
    return program.kernels().empty() ? -1.0 : now() - start;
  };
  seconds(10); // the first pays for LLVM's tables
  double small = seconds(1250), large = seconds(5000);
  RecordProperty("seconds1250", std::to_string(small));
  RecordProperty("seconds5000", std::to_string(large));
  EXPECT_GT(small, 0);
  EXPECT_LT(large, small * 4 * 2.5);
}

TEST(CpuJit, QuickEffortGivesTheSameBits) {
  std::vector<float> x(64), y(64), z(64);
  for (int i = 0; i < 64; ++i) x[i] = 0.9f + static_cast<float>(i) * 0.003f;
  TileProgram full(chain(40, 64)), quick(chain(40, 64), detectHostCpu(), JitEffort::Fast);
  full.run({x.data(), y.data()}, 0, 1);
  quick.run({x.data(), z.data()}, 0, 1);
  EXPECT_EQ(std::memcmp(y.data(), z.data(), sizeof(float) * 64), 0);
}

TEST(CpuJit, PrintsCodeOfAnyTarget) {
  const CpuTarget &wide = *findCpuTarget("avx512");
  TileProgram program(chain(2, 64), wide);
  auto text = printCode(program.function(), wide, CodeText::LlvmIr);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_NE(text->find("fadd <16 x float>"), std::string::npos) << *text;
  text = printCode(program.function(), wide, CodeText::Assembly);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_NE(text->find("vaddps"), std::string::npos) << *text;
  EXPECT_NE(text->find("%zmm"), std::string::npos) << *text;
  text = printCode(program.function(), *findCpuTarget("sse2"), CodeText::Assembly);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_EQ(text->find("%ymm"), std::string::npos) << *text;
}

} // namespace
} // namespace kiln::codegen
