// Tensor maps and grids of as many CTAs as run at a time, through a plan on the fake driver.
#include "tests/runtime/cuda/CudaKit.h"

namespace kiln {
namespace {

using namespace test;

/// y = x, rows x columns floats: `copy` takes y's pointer, the number of elements, and a map over x.
LaunchPlan mappedPlan(Expr rows, Expr columns) {
  LaunchPlan plan;
  plan.name = "mapped";
  plan.target = "sm_90a";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", rows * columns);
  BufferId y = addBuffer(plan, BufferKind::Output, "y", rows * columns);
  for (BufferId id : {x, y}) plan.buffers[size_t(id)].shape = {rows, columns};
  LaunchStep step;
  step.kernel = "copy";
  step.target = "sm_90a";
  step.grid[0] = min(Expr::extent(kResidentCtas), ceilDiv(rows, 8));
  step.sharedBytes = 100 * 1024;
  step.args = {BufferArg{y, 0, Access::Write}, ExprArg{rows * columns},
               TensorMapArg{.buffer = x,
                            .dtype = tf32,
                            .extents = {rows, columns},
                            .strides = {columns, 1},
                            .box = {8, 32},
                            .swizzleBytes = 128,
                            .l2Bytes = 256}};
  plan.steps = {step};
  return plan;
}

class CudaTensorMap : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    driver.addKernel("copy", {8, 8, 128}, [this](void **p, const unsigned *) {
      seen = parameter<FakeTensorMap>(p, 2);
      std::memcpy(parameter<void *>(p, 0), seen.base, size_t(parameter<int64_t>(p, 1)) * 4);
    });
  }

  std::vector<KernelImage> images() { return {ptx("copy", "sm_90a")}; }
  FakeTensorMap seen{};
};

TEST_F(CudaTensorMap, TheDriverIsAskedForWhatThePlanSays) {
  PlanExecutable executable(mappedPlan(64, 96), makeDevice(), images());
  HostTensor x = HostTensor::full({64, 96}, f32, 7);
  EXPECT_EQ(executable.run({&x, 1})[0].get(64 * 96 - 1), 7);
  EXPECT_EQ(seen.type, uint32_t(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32));
  EXPECT_EQ(seen.rank, 2u);
  EXPECT_EQ(seen.swizzle, uint32_t(CU_TENSOR_MAP_SWIZZLE_128B));
  EXPECT_EQ(seen.l2, uint32_t(CU_TENSOR_MAP_L2_PROMOTION_L2_256B));
  EXPECT_TRUE(seen.extents[0] == 96 && seen.extents[1] == 64) << "innermost first";
  EXPECT_EQ(seen.strides[0], 96u * 4);
  EXPECT_TRUE(seen.box[0] == 32 && seen.box[1] == 8);
}

TEST_F(CudaTensorMap, IsEncodedOncePerSetOfPointers) {
  auto device = makeDevice();
  PlanExecutable executable(mappedPlan(64, 96), device, images());
  constexpr size_t bytes = 64 * 96 * 4;
  std::vector<DeviceBuffer> xs, ys;
  for (int i = 0; i < 3; ++i) {
    xs.push_back(device->allocate(bytes));
    ys.push_back(device->allocate(bytes));
    device->memset(xs.back().data(), static_cast<uint8_t>(i + 1), bytes);
  }
  std::unique_ptr<OwnedStream> stream = device->makeStream();
  auto run = [&](size_t i) {
    void *in = xs[i].data(), *out = ys[i].data();
    executable.runDevice({&in, 1}, {&out, 1}, {}, {.stream = stream->stream});
    device->synchronize(stream->stream);
    std::vector<char> values(bytes);
    device->copyOut(values.data(), ys[i].data(), bytes);
    device->synchronize();
    EXPECT_EQ(values[bytes - 1], static_cast<char>(i + 1));
  };
  for (int round = 0; round < 4; ++round)
    for (size_t i = 0; i < 3; ++i) run(i);
  EXPECT_EQ(driver.count("cuTensorMapEncodeTiled"), 3) << "sets of pointers that come again are known";
  run(0);
  driver.clearLog();
  void *in = xs[0].data(), *out = ys[0].data();
  executable.runDevice({&in, 1}, {&out, 1}, {}, {.stream = stream->stream});
  EXPECT_EQ(driver.count("cuTensorMapEncodeTiled"), 0);
  EXPECT_EQ(driver.count("cuLaunchKernelEx"), 1);
  device->synchronize(stream->stream);
}

TEST_F(CudaTensorMap, RunTimeExtentsMakeAnotherMap) {
  LaunchPlan plan = mappedPlan(Expr::extent("n"), 32);
  plan.extents = {{"n", 0, 4096}};
  PlanExecutable executable(plan, makeDevice(), images());
  for (int64_t n : {16, 40, 16}) {
    HostTensor x = HostTensor::full({n, 32}, f32, static_cast<double>(n));
    EXPECT_EQ(executable.run({&x, 1})[0].get(n * 32 - 1), static_cast<double>(n));
    EXPECT_EQ(seen.extents[1], static_cast<uint64_t>(n));
  }
  HostTensor none({0, 32}, f32);
  size_t launches = driver.launches().size();
  EXPECT_EQ(executable.run({&none, 1})[0].size(), 0);
  EXPECT_EQ(driver.launches().size(), launches);
}

TEST_F(CudaTensorMap, AStrideThatNobodyGoesAlongIsOneThatTheDriverTakes) {
  PlanExecutable executable(mappedPlan(1, 35), makeDevice(), images());
  HostTensor x = HostTensor::full({1, 35}, f32, 7);
  EXPECT_EQ(executable.run({&x, 1})[0].get(34), 7);
  EXPECT_EQ(seen.strides[0], 144u) << "35 floats are 140 bytes";
}

TEST_F(CudaTensorMap, AReplayKeepsItsMaps) {
  auto device = makeDevice();
  PlanExecutable executable(mappedPlan(64, 96), device, images());
  DeviceBuffer x = device->allocate(64 * 96 * 4), y = device->allocate(64 * 96 * 4);
  void *in = x.data(), *out = y.data();
  PlanReplay replay = executable.capture({&in, 1}, {&out, 1});
  int encoded = driver.count("cuTensorMapEncodeTiled");
  for (int i = 0; i < 3; ++i) replay.run();
  device->synchronize();
  EXPECT_EQ(seen.base, x.data());
  EXPECT_EQ(driver.count("cuTensorMapEncodeTiled"), encoded);
}

TEST_F(CudaTensorMap, SaysWhyThereIsNone) {
  HostTensor x = HostTensor::full({64, 96}, f32, 7);
  driver.fail("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE);
  PlanExecutable refused(mappedPlan(64, 96), makeDevice(), images());
  std::optional<Error> error = errorOf([&] { (void)refused.run({&x, 1}); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("tf32 of extents [64, 96], strides [96, 1], box [8, 32]"),
            std::string::npos)
      << error->what();
  driver.setGpus({FakeGpu{.major = 8}});
  auto older = makeDevice();
  EXPECT_EQ(errorOf([&] { (void)older->encodeTensorMap({.dtype = f32}, nullptr); })->rule,
            "the GPU and its driver have tensor maps");
  EXPECT_EQ(errorOf([&] { (void)makeHostDevice()->encodeTensorMap({}, nullptr); })->code, ErrorCode::NoDevice);
}

TEST_F(CudaTensorMap, AGridIsAsLargeAsTheDeviceRunsAtATime) {
  auto gridOf = [&](const LaunchPlan &plan) {
    HostTensor x = HostTensor::full({8192, 32}, f32, 7);
    PlanExecutable executable(plan, makeDevice(), images());
    (void)executable.run({&x, 1});
    return driver.launches().back().grid[0];
  };
  LaunchPlan plan = mappedPlan(8192, 32);
  EXPECT_EQ(gridOf(plan), 132u);
  EXPECT_EQ(driver.count("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
  driver.setRoom(2);
  EXPECT_EQ(gridOf(plan), 264u);
  std::get<LaunchStep>(plan.steps[0]).cluster = {4, 1, 1};
  driver.setRoom(1);
  EXPECT_EQ(gridOf(plan), 120u) << "a whole number of clusters, of SMs that clusters can have";
  driver.setRoom(0);
  EXPECT_EQ(errorOf([&] { gridOf(plan); })->rule, "the GPU has room for a CTA of the kernel, or for a cluster of them");
}

} // namespace
} // namespace kiln
