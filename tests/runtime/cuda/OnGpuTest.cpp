// The runtime on a real GPU, by kernels written as PTX here. Skipped without one; tests/gpu/run runs them.
#include "runtime/cuda/CudaDevice.h"
#include "tests/ErrorKit.h"
#include "tests/runtime/PlanKit.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace kiln {
namespace {

using namespace test;

/// An element per thread, in a register of its own, is `%f0`; %p0 .. are addresses of element i of each pointer.
CodeImage kernel(const std::string &symbol, const std::string &parameters, int pointers, int count,
                 const std::string &body, const std::string &target = "sm_80") {
  std::string text =
      ".version 7.8\n.target " + target + "\n.address_size 64\n.visible .entry " + symbol + "(" + parameters +
      ") {\n  .reg .b64 %p<4>, %n, %i64, %at;\n  .reg .b32 %t, %c, %s, %i;\n"
      "  .reg .f32 %f<4>;\n  .reg .pred %out;\n"
      "  mov.u32 %t, %tid.x;\n  mov.u32 %c, %ctaid.x;\n  mov.u32 %s, %ntid.x;\n"
      "  mad.lo.u32 %i, %c, %s, %t;\n  cvt.u64.u32 %i64, %i;\n  ld.param.u64 %n, [p" +
      std::to_string(count) + "];\n  setp.ge.s64 %out, %i64, %n;\n  @%out ret;\n  shl.b64 %at, %i64, 2;\n";
  for (int i = 0; i < pointers; ++i)
    text += "  ld.param.u64 %p" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n  add.s64 %p" +
            std::to_string(i) + ", %p" + std::to_string(i) + ", %at;\n";
  text += body + "  ret;\n}\n";
  return {.code = {text.begin(), text.end()}, .symbol = symbol, .target = target, .threads = int32_t(kBlock)};
}

/// PlanKit's kernels.
std::vector<KernelImage> gpuKernels() {
  return {kernel("add", ".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3", 3, 3,
                 "  ld.global.f32 %f0, [%p0];\n  ld.global.f32 %f1, [%p1];\n  add.rn.f32 %f0, %f0, %f1;\n"
                 "  st.global.f32 [%p2], %f0;\n"),
          kernel("scale", ".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .f32 p3", 2, 2,
                 "  ld.param.f32 %f1, [p3];\n  ld.global.f32 %f0, [%p0];\n  mul.rn.f32 %f0, %f0, %f1;\n"
                 "  st.global.f32 [%p1], %f0;\n")};
}

class RuntimeOnGpu : public ::testing::Test {
protected:
  void SetUp() override {
    CudaInventory inventory = cudaInventory();
    if (inventory.gpus.empty()) GTEST_SKIP() << inventory.absent;
    device = makeCudaDevice({.poisonMemory = true});
  }

  PlanExecutable chain(int64_t n) const {
    return {forCuda(chainPlan(n)), device, gpuKernels(), {{"w", HostTensor::full({n}, f32, 1)}}, {.poisonArena = true}};
  }
  DeviceBuffer ramp(int64_t n, float start, int64_t skew = 0) const { return rampOn(*device, n, start, skew); }
  void expect(const void *y, int64_t n, float start) const { expectChained(*device, y, n, start); }

  std::shared_ptr<Device> device;
};

TEST_F(RuntimeOnGpu, RunsAKernel) {
  for (int64_t n : {0, 1, 63, 64, 65, 100000}) {
    HostTensor x({n}, f32);
    for (int64_t i = 0; i < n; ++i) x.set(i, static_cast<double>(i % 1000));
    std::vector<HostTensor> y = chain(n).run({&x, 1});
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[0].get(i), chained(static_cast<float>(x.get(i)))) << i;
  }
}

/// CTA c copies rows 8·c to 8·c + 7 of a matrix with 32 columns of f32, by its tensor map, to the pointer.
const char *const kBox = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry box(.param .u64 p0, .param .align 64 .b8 p1[128]) {
  .reg .b64 %p, %m, %i;
  .reg .b32 %t, %c, %x, %y, %tile, %full, %at;
  .reg .f32 %f<4>;
  .reg .pred %q;
  .shared .align 128 .b8 tile[1024];
  .shared .align 8 .b64 full;
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mov.u32 %x, 0;
  shl.b32 %y, %c, 3;
  mov.u32 %tile, tile;
  mov.u32 %full, full;
  mov.b64 %m, p1;
  cvta.param.u64 %m, %m;
  setp.ne.u32 %q, %t, 0;
  @%q bra MEET;
  mbarrier.init.shared.b64 [%full], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%m, {%x, %y}], [%full];
MEET:
  bar.sync 0;
AGAIN:
  mbarrier.try_wait.parity.shared.b64 %q, [%full], 0;
  @!%q bra AGAIN;
  shl.b32 %at, %t, 4;
  add.u32 %tile, %tile, %at;
  ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%tile];
  ld.param.u64 %p, [p0];
  mad.wide.u32 %p, %c, 1024, %p;
  cvt.u64.u32 %i, %at;
  add.u64 %p, %p, %i;
  st.global.v4.f32 [%p], {%f0, %f1, %f2, %f3};
  ret;
}
)";

TEST_F(RuntimeOnGpu, CopiesBoxesByATensorMap) {
  if (cudaInventory().gpus[0].major < 9) GTEST_SKIP() << "this GPU has no tensor maps";
  constexpr int64_t rows = 64, columns = 32;
  LaunchPlan plan;
  plan.name = "boxes";
  plan.target = "sm_90";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", rows * columns);
  BufferId y = addBuffer(plan, BufferKind::Output, "y", rows * columns);
  LaunchStep step;
  step.kernel = "box";
  step.target = "sm_90";
  step.grid[0] = min(Expr::extent(kResidentCtas), rows / 8);
  step.args = {BufferArg{y, 0, Access::Write},
               TensorMapArg{.buffer = x, .extents = {rows, columns}, .strides = {columns, 1}, .box = {8, columns}}};
  plan.steps = {step};
  std::string text = kBox;
  KernelImage image = CodeImage{
      .code = {text.begin(), text.end()}, .symbol = "box", .target = "sm_90", .threads = int32_t(8 * columns / 4)};
  PlanExecutable executable(plan, device, {&image, 1});
  DeviceBuffer from = ramp(rows * columns, 5), to = device->allocate(rows * columns * 4);
  void *in = from.data(), *out = to.data();
  for (int i = 0; i < 2; ++i) executable.runDevice({&in, 1}, {&out, 1});
  std::vector<float> values(rows * columns);
  device->copyOut(values.data(), to.data(), values.size() * 4);
  device->synchronize();
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 5 + static_cast<float>(i)) << i;
}

TEST_F(RuntimeOnGpu, RunsOnStreamsAndAtAnyElementsAddress) {
  constexpr int64_t n = 5000;
  PlanExecutable executable = chain(n);
  std::vector<std::unique_ptr<OwnedStream>> streams;
  std::vector<DeviceBuffer> xs, ys;
  for (int s = 0; s < 4; ++s) {
    streams.push_back(device->makeStream());
    xs.push_back(ramp(n, static_cast<float>(s), s));
    ys.push_back(device->allocate((n + 4) * 4));
  }
  for (int round = 0; round < 50; ++round)
    for (size_t s = 0; s < 4; ++s) {
      void *in = static_cast<float *>(xs[s].data()) + s, *out = static_cast<float *>(ys[s].data()) + s;
      executable.runDevice({&in, 1}, {&out, 1}, {}, {.stream = streams[s]->stream});
    }
  for (size_t s = 0; s < 4; ++s) {
    device->synchronize(streams[s]->stream);
    expect(static_cast<float *>(ys[s].data()) + s, n, static_cast<float>(s));
  }
}

TEST_F(RuntimeOnGpu, ReplaysARun) {
  constexpr int64_t n = 5000;
  DeviceBuffer x = ramp(n, 3), y = device->allocate(n * 4);
  void *in = x.data(), *out = y.data();
  PlanReplay replay = chain(n).capture({&in, 1}, {&out, 1});
  std::unique_ptr<OwnedStream> stream = device->makeStream();
  for (int i = 0; i < 10; ++i) replay.run(stream->stream);
  device->synchronize(stream->stream);
  expect(y.data(), n, 3);
}

TEST_F(RuntimeOnGpu, ThreadsShareAnExecutable) {
  constexpr int64_t n = 3000;
  PlanExecutable executable = chain(n);
  auto work = [&](float start) {
    HostTensor x({n}, f32), y({n}, f32);
    for (int64_t i = 0; i < n; ++i) x.set(i, start + static_cast<double>(i));
    for (int round = 0; round < 20; ++round) {
      executable.runInto({&x, 1}, {&y, 1});
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y.get(i), chained(start + static_cast<float>(i)));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, static_cast<float>(100 * t));
  for (std::thread &thread : threads) thread.join();
}

TEST_F(RuntimeOnGpu, TimesItsSteps) {
  constexpr int64_t n = 1 << 22;
  PlanExecutable executable = chain(n);
  HostTensor x = HostTensor::full({n}, f32, 1);
  std::vector<StepTime> times;
  executable.run({&x, 1}, {.stepTimes = &times});
  ASSERT_EQ(times.size(), 4u);
  for (const StepTime &time : times) {
    EXPECT_GT(time.seconds, 1e-6); // 48 MB cannot be faster
    EXPECT_LT(time.seconds, 1e-2);
  }
}

TEST_F(RuntimeOnGpu, FailuresAreErrors) {
  std::optional<Error> memory = errorOf([&] { (void)device->allocate(size_t(1) << 50); });
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->code, ErrorCode::InvalidInput);
  EXPECT_NE(memory->found.find("1125899906842624 bytes asked for"), std::string::npos) << memory->what();

  std::optional<Error> bad = errorOf([&] {
    (void)device->load(kernel("bad", ".param .u64 p0, .param .u64 p1", 1, 1, "  add.rn.f32 %f0, %nothing, %f1;\n"));
  });
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->code, ErrorCode::Internal);
  EXPECT_NE(bad->found.find("nothing"), std::string::npos) << bad->what(); // the assembler's own words

  std::optional<Error> newer =
      errorOf([&] { (void)device->load(kernel("k", ".param .u64 p0, .param .u64 p1", 1, 1, "", "sm_990")); });
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->code, ErrorCode::NoDevice);
  HostTensor x = HostTensor::full({10}, f32, 2); // and it still works
  EXPECT_EQ(chain(10).run({&x, 1})[0].get(9), chained(2));
}

// A GPU that has failed stays failed for its process: this happens in one of its own.
TEST_F(RuntimeOnGpu, AWildAddressIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto wild = [] {
    auto gpu = makeCudaDevice();
    PlanExecutable executable(forCuda(chainPlan(64)), gpu, gpuKernels(), {{"w", HostTensor::full({64}, f32, 1)}});
    auto *nowhere = reinterpret_cast<void *>(uintptr_t(0x100000));
    auto *neither = reinterpret_cast<void *>(uintptr_t(0x200000));
    std::optional<Error> error = errorOf([&] {
      executable.runDevice({&nowhere, 1}, {&neither, 1});
      gpu->synchronize();
    });
    std::_Exit(error && error->code == ErrorCode::Internal &&
                       std::string(error->what()).find("ILLEGAL_ADDRESS") != std::string::npos
                   ? 42
                   : 1);
  };
  EXPECT_EXIT(wild(), ::testing::ExitedWithCode(42), "");
}

} // namespace
} // namespace kiln
