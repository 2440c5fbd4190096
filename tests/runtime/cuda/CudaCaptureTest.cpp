// Runs recorded into CUDA graphs: by the owner of the stream, and as replays.
#include "tests/runtime/cuda/CudaKit.h"

#include <thread>

namespace kiln {
namespace {

using namespace test;

class CudaCapture : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    chain.emplace(makeDevice(), 300);
    stream = chain->device->makeStream();
    other = chain->device->makeStream();
    api->primaryCtxRetain(&context, 0);
    api->ctxPushCurrent(context); // as PyTorch has it
  }
  void TearDown() override {
    stream.reset();
    other.reset();
    chain.reset();
    api->ctxPopCurrent(&context);
    api->primaryCtxRelease(0);
    EXPECT_EQ(driver.liveBytes(), 0u);
    EXPECT_EQ(driver.liveObjects(), 0);
    CudaTest::TearDown();
  }

  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_EQ(api->streamBeginCapture(static_cast<CUstream>(stream->stream.native), mode), CUDA_SUCCESS);
  }
  CUgraphExec end() {
    CUgraph graph = nullptr;
    CUgraphExec made = nullptr;
    EXPECT_EQ(api->streamEndCapture(static_cast<CUstream>(stream->stream.native), &graph), CUDA_SUCCESS);
    if (!graph) return nullptr;
    EXPECT_EQ(api->graphInstantiate(&made, graph, 0), CUDA_SUCCESS);
    api->graphDestroy(graph);
    return made;
  }
  void launch(CUgraphExec graph, OwnedStream &on) {
    EXPECT_EQ(api->graphLaunch(graph, static_cast<CUstream>(on.stream.native)), CUDA_SUCCESS);
  }

  std::shared_ptr<const cuda::DriverApi> api = cuda::openDriver(KILN_FAKE_CUDA);
  CUcontext context = nullptr;
  std::optional<Chain> chain;
  std::unique_ptr<OwnedStream> stream, other;
};

TEST_F(CudaCapture, ACapturedStreamRecordsTheRun) {
  DeviceBuffer x = chain->ramp(1), y = chain->empty(), z = chain->empty();
  chain->run(x, z, stream->stream);
  chain->device->synchronize(stream->stream);
  for (CUstreamCaptureMode mode :
       {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
    begin(mode);
    chain->run(x, y, stream->stream);
    CUgraphExec graph = end();
    ASSERT_NE(graph, nullptr);
    chain->device->memset(y.data(), 0, y.size());
    launch(graph, *stream);
    launch(graph, *stream);
    chain->device->synchronize(stream->stream);
    chain->expect(y, 1);
    api->graphExecDestroy(graph);
  }
}

TEST_F(CudaCapture, AFirstRunMayBeCaptured) {
  DeviceBuffer x = chain->ramp(4, 1), y = chain->empty(1); // with buffers to stage in, too
  begin();
  chain->run(x, y, stream->stream, 1);
  CUgraphExec graph = end();
  ASSERT_NE(graph, nullptr);
  launch(graph, *other);
  chain->device->synchronize(other->stream);
  chain->expect(y, 4, 1);
  api->graphExecDestroy(graph);
}

TEST_F(CudaCapture, ARecordingKeepsItsArena) {
  // Replays on one stream and other runs on another are in flight together.
  DeviceBuffer x = chain->ramp(1), y = chain->empty(), x2 = chain->ramp(50), y2 = chain->empty();
  chain->run(x, y, stream->stream);
  chain->device->synchronize(stream->stream);
  begin();
  chain->run(x, y, stream->stream);
  CUgraphExec graph = end();
  chain->device->memset(y.data(), 0, y.size());
  chain->device->synchronize();
  launch(graph, *other);
  chain->run(x2, y2, stream->stream);
  launch(graph, *other);
  chain->run(x2, y2, stream->stream);
  chain->device->synchronize(stream->stream);
  chain->device->synchronize(other->stream);
  chain->expect(y, 1);
  chain->expect(y2, 50);
  api->graphExecDestroy(graph);
}

TEST_F(CudaCapture, OneCaptureMayHoldManyRuns) {
  DeviceBuffer x = chain->ramp(1), y = chain->empty(), z = chain->empty();
  begin();
  chain->run(x, y, stream->stream);
  driver.clearLog();
  chain->run(y, z, stream->stream);
  EXPECT_EQ(driver.count("cuMemAlloc"), 0) << "runs of one capture are in order";
  CUgraphExec graph = end();
  launch(graph, *stream);
  chain->device->synchronize(stream->stream);
  std::vector<float> values(300);
  chain->device->copyOut(values.data(), z.data(), 1200);
  chain->device->synchronize();
  EXPECT_EQ(values[7], chained(chained(8)));
  api->graphExecDestroy(graph);
}

TEST_F(CudaCapture, OutputsOfARecordingAreNobodyElses) {
  DeviceBuffer x = chain->ramp(1);
  void *in = x.data();
  begin();
  std::vector<DeviceBuffer> recorded = chain->executable.runAllocating({&in, 1}, {}, {.stream = stream->stream});
  CUgraphExec graph = end();
  launch(graph, *stream);
  chain->device->synchronize(stream->stream);
  chain->expect(recorded[0], 1);
  void *address = recorded[0].data();
  recorded.clear();
  std::vector<DeviceBuffer> next = chain->executable.runAllocating({&in, 1}, {}, {.stream = stream->stream});
  EXPECT_NE(driver.count("cuMemFree"), 0) << address;
  api->graphExecDestroy(graph);
}

TEST_F(CudaCapture, ASpoiledCaptureIsAnError) {
  DeviceBuffer x = chain->ramp(1), y = chain->empty();
  begin();
  CUdeviceptr pointer = 0;
  EXPECT_NE(api->memAlloc(&pointer, 16), CUDA_SUCCESS); // somebody else's mistake
  std::optional<Error> error = errorOf([&] { chain->run(x, y, stream->stream); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::InvalidInput);
  EXPECT_EQ(error->rule, "the stream's capture is still valid");
  CUgraph graph = nullptr;
  api->streamEndCapture(static_cast<CUstream>(stream->stream.native), &graph);
  HostTensor host({300}, f32);
  begin();
  EXPECT_TRUE(errorOf([&] { (void)chain->executable.run({&host, 1}, {.stream = stream->stream}); }))
      << "host memory needs waiting, which is nothing to record";
  if (api->streamEndCapture(static_cast<CUstream>(stream->stream.native), &graph) == CUDA_SUCCESS)
    api->graphDestroy(graph);
}

TEST_F(CudaCapture, AReplayIsOneLaunch) {
  DeviceBuffer x = chain->ramp(2), y = chain->empty();
  void *in = x.data(), *out = y.data();
  PlanReplay replay = chain->executable.capture({&in, 1}, {&out, 1});
  EXPECT_EQ(driver.launches().size(), 4u) << "recorded";
  replay.run(stream->stream);
  driver.clearLog();
  replay.run(stream->stream);
  EXPECT_EQ(driver.log(), (std::vector<std::string>{"cuGraphLaunch", "cuStreamGetCaptureInfo", "cuEventRecord"}));
  replay.run(other->stream);
  chain->device->synchronize(other->stream);
  chain->device->synchronize(stream->stream);
  chain->expect(y, 2);
}

TEST_F(CudaCapture, AReplayStandsOnItsOwn) {
  DeviceBuffer x = chain->ramp(3, 1), y = chain->empty(1), x2 = chain->ramp(9), y2 = chain->empty();
  void *in = static_cast<float *>(x.data()) + 1, *out = static_cast<float *>(y.data()) + 1;
  std::optional<PlanReplay> replay = chain->executable.capture({&in, 1}, {&out, 1});
  chain->run(x2, y2, other->stream);
  replay->run(stream->stream);
  chain->run(x2, y2, other->stream);
  chain->device->synchronize(stream->stream);
  chain->device->synchronize(other->stream);
  chain->expect(y, 3, 1);
  chain->expect(y2, 9);
  auto device = chain->device;
  chain.reset();
  replay->run(stream->stream);
  replay.reset(); // waits
  EXPECT_EQ(driver.count("cuGraphExecDestroy"), 1);
}

TEST_F(CudaCapture, AReplayMayRunFromManyThreads) {
  DeviceBuffer x = chain->ramp(3), y = chain->empty();
  void *in = x.data(), *out = y.data();
  PlanReplay replay = chain->executable.capture({&in, 1}, {&out, 1});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) replay.run(stream->stream);
    });
  for (std::thread &t : threads) t.join();
  EXPECT_EQ(driver.count("cuGraphLaunch"), 40);
  chain->device->synchronize(stream->stream);
  chain->expect(y, 3);
}

TEST_F(CudaCapture, WhatCannotBeRecordedLeavesNothing) {
  DeviceBuffer x = chain->ramp(3), y = chain->empty();
  void *in = x.data(), *out = y.data();
  int before = driver.liveObjects();
  for (const char *call : {"cuLaunchKernelEx", "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuStreamCreate",
                           "cuStreamBeginCapture"}) {
    driver.fail(call, CUDA_ERROR_INVALID_VALUE, 0, /*lasting=*/false);
    EXPECT_TRUE(errorOf([&] { (void)chain->executable.capture({&in, 1}, {&out, 1}); })) << call;
  }
  EXPECT_EQ(driver.liveObjects(), before);
  chain->run(x, y);
  chain->expect(y, 3);
}

} // namespace

TEST(PlanReplayOnTheHost, RunsTheSteps) {
  PlanExecutable executable(test::chainPlan(100), makeHostDevice(), test::kernels(),
                            {{"w", HostTensor::full({100}, f32, 1)}});
  HostTensor x = HostTensor::full({100}, f32, 5), y({100}, f32);
  void *in = x.raw(), *out = y.raw();
  PlanReplay replay = executable.capture({&in, 1}, {&out, 1});
  EXPECT_EQ(y.get(0), 0) << "recorded, not run";
  replay.run();
  EXPECT_EQ(y.get(99), test::chained(5));
  x.fill(6);
  replay.run();
  EXPECT_EQ(y.get(99), test::chained(6));
}

} // namespace kiln
