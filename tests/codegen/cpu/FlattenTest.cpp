// Kernels as code that runs anywhere: with constants, with calls, the same bytes each time.
#include "codegen/cpu/Flatten.h"
#include "codegen/cpu/MachineCode.h"
#include "runtime/host/HostCode.h"
#include "tests/codegen/cpu/JitKit.h"

#include <algorithm>

namespace kiln::codegen {
namespace {

/// y = fma(x, x, 0.1), floor of it: calls on a processor that has neither instruction, a constant on every one.
const char *kCalls = R"(
  tile.kernel @calls(%x: !tile.global<16xf32>, %y: !tile.global<16xf32>) grid 1 {
    %c0 = arith.constant 0 : index
    %tenth = arith.constant dense<0.1> : tensor<16xf32, #tile.simd>
    %v = tile.load %x[%c0] : !tile.global<16xf32> -> tensor<16xf32, #tile.simd>
    %f = math.fma %v, %v, %tenth : tensor<16xf32, #tile.simd>
    %r = math.floor %f : tensor<16xf32, #tile.simd>
    tile.store %r, %y[%c0] : tensor<16xf32, #tile.simd>, !tile.global<16xf32>
    tile.return
  })";

TEST(Flatten, CodeRunsWhereverItIsLoaded) {
  for (const CpuTarget &target : hostTargets()) {
    TileProgram program(kCalls, target);
    ASSERT_EQ(program.kernels().size(), 1u);
    const HostCodeImage &code = *program.kernels()[0].code;
    EXPECT_EQ(code.target, target.name);
    auto calls = [&](const char *name) {
      return std::any_of(code.imports.begin(), code.imports.end(), [&](auto &i) { return i.function == name; });
    };
    EXPECT_EQ(calls("fmaf"), target.name == "sse2");
    EXPECT_EQ(calls("floorf"), target.name == "sse2");
    HostKernelImage first = loadHostCode(code), second = loadHostCode(code);
    EXPECT_NE(first.fn, second.fn);
    std::vector<float> x(16, 1.4f), y(16), z(16);
    const void *slots[] = {x.data(), y.data()};
    first.fn(slots, 0, 1, nullptr);
    slots[1] = z.data();
    second.fn(slots, 0, 1, nullptr);
    EXPECT_EQ(y, std::vector<float>(16, 2.0f));
    EXPECT_EQ(y, z);
  }
}

TEST(Flatten, TheSameKernelGivesTheSameBytes) {
  TileProgram first(kCalls), second(kCalls);
  ASSERT_EQ(first.kernels().size(), 1u);
  ASSERT_EQ(second.kernels().size(), 1u);
  EXPECT_EQ(first.kernels()[0].code->code, second.kernels()[0].code->code);
}

TEST(Flatten, WhatIsNoKernelIsAnError) {
  TileProgram program(R"(
    llvm.func @counts(%slots: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
      llvm.return
    })");
  MachinePool machines(machineFor(detectHostCpu()), JitEffort::Full);
  auto object = makeCode(program.function(), machines, detectHostCpu(), CodeForm::Object);
  ASSERT_TRUE(static_cast<bool>(object));
  auto missing = flatten(*object, "other");
  ASSERT_FALSE(static_cast<bool>(missing));
  EXPECT_NE(llvm::toString(missing.takeError()).find("does not define other"), std::string::npos);
  auto garbage = flatten(llvm::ArrayRef<char>("garbage", 7), "other");
  EXPECT_FALSE(static_cast<bool>(garbage));
  llvm::consumeError(garbage.takeError());
}

TEST(Flatten, TheRuntimeKnowsTheTargetsThatCodegenKnows) {
  for (const CpuTarget &row : cpuTargets()) EXPECT_EQ(hostRunsTarget(row.name), machineFor(row).isHost) << row.name;
  EXPECT_FALSE(hostRunsTarget("sm_80"));
}

} // namespace
} // namespace kiln::codegen
