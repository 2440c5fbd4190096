#include "tests/runtime/cuda/CudaKit.h"

#include <algorithm>
#include <ctime>
#include <thread>

namespace kiln {
namespace {

using namespace test;

TEST_F(CudaTest, RunsAChainFromHostMemory) {
  for (int64_t n : {0, 1, 63, 64, 65, 1000, 100000}) {
    Chain chain(makeDevice({.poisonMemory = true}), n, {.poisonArena = true});
    HostTensor x({n}, f32);
    for (int64_t i = 0; i < n; ++i) x.set(i, static_cast<double>(i % 1000));
    for (int round = 0; round < 2; ++round) {
      std::vector<HostTensor> y = chain.executable.run({&x, 1});
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[0].get(i), chained(static_cast<float>(x.get(i)))) << i;
    }
  }
  EXPECT_EQ(driver.liveBytes(), 0u);
  EXPECT_EQ(driver.liveObjects(), 0);
}

TEST_F(CudaTest, ASteadyRunIsItsLaunchesAndNoMore) {
  Chain chain(makeDevice(), 1000);
  DeviceBuffer x = chain.ramp(5), y = chain.empty();
  std::unique_ptr<OwnedStream> stream = chain.device->makeStream();
  chain.run(x, y, stream->stream);
  driver.clearLog();
  for (int i = 0; i < 10; ++i) chain.run(x, y, stream->stream);
  std::vector<std::string> once = {"cuStreamGetCaptureInfo", "cuStreamGetId",    "cuLaunchKernelEx", "cuLaunchKernelEx",
                                   "cuLaunchKernelEx",       "cuLaunchKernelEx", "cuEventRecord"};
  std::vector<std::string> want;
  for (int i = 0; i < 10; ++i) want.insert(want.end(), once.begin(), once.end());
  EXPECT_EQ(driver.log(), want);
  std::vector<FakeLaunch> launches = driver.launches();
  EXPECT_TRUE(launches[0].symbol == "add" && launches[1].symbol == "scale" && launches[2].symbol == "add");
  chain.device->synchronize(stream->stream);
  chain.expect(y, 5);
}

TEST_F(CudaTest, HostRunsAllocateOnce) {
  Chain chain(makeDevice(), 1000);
  HostTensor x = HostTensor::full({1000}, f32, 3), y({1000}, f32);
  chain.executable.runInto({&x, 1}, {&y, 1});
  driver.clearLog();
  for (int i = 0; i < 5; ++i) chain.executable.runInto({&x, 1}, {&y, 1});
  EXPECT_EQ(driver.count("cuMemAlloc"), 0);
  EXPECT_EQ(driver.count("cuMemFree"), 0);
  EXPECT_EQ(y.get(999), chained(3));
}

TEST_F(CudaTest, StreamsInFlightHaveArenasOfTheirOwn) {
  Chain chain(makeDevice(), 500);
  std::vector<std::unique_ptr<OwnedStream>> streams;
  std::vector<DeviceBuffer> xs, ys;
  for (int s = 0; s < 4; ++s) {
    streams.push_back(chain.device->makeStream());
    xs.push_back(chain.ramp(static_cast<float>(100 * s)));
    ys.push_back(chain.empty());
  }
  size_t before = driver.liveBytes();
  for (int round = 0; round < 3; ++round)
    for (size_t s = 0; s < 4; ++s) chain.run(xs[s], ys[s], streams[s]->stream);
  EXPECT_EQ(driver.liveBytes(), before + 4 * static_cast<size_t>(chain.executable.arenaBytes()))
      << "with fewer, streams wait for each other";
  for (size_t s = 0; s < 4; ++s) {
    chain.device->synchronize(streams[s]->stream);
    chain.expect(ys[s], static_cast<float>(100 * s));
  }
}

TEST_F(CudaTest, AStreamThatIsDoneLendsItsWorkspace) {
  Chain chain(makeDevice(), 500);
  DeviceBuffer x = chain.ramp(1), y = chain.empty();
  auto run = [&] {
    std::unique_ptr<OwnedStream> stream = chain.device->makeStream();
    chain.run(x, y, stream->stream);
    chain.device->synchronize(stream->stream);
  };
  run();
  size_t bytes = driver.liveBytes();
  for (int i = 0; i < 20; ++i) run();
  EXPECT_EQ(driver.liveBytes(), bytes) << "a server that makes a stream per request does not grow";
}

TEST_F(CudaTest, AHandleUsedAgainIsAnotherStream) {
  // The first stream goes with work in it; the second has its handle, and no order to that work.
  Chain chain(makeDevice(), 500);
  DeviceBuffer x1 = chain.ramp(1), y1 = chain.empty(), x2 = chain.ramp(2), y2 = chain.empty();
  std::unique_ptr<OwnedStream> first = chain.device->makeStream();
  void *handle = first->stream.native;
  chain.run(x1, y1, first->stream);
  first.reset();
  std::unique_ptr<OwnedStream> second = chain.device->makeStream();
  ASSERT_EQ(second->stream.native, handle);
  chain.run(x2, y2, second->stream);
  chain.device->synchronize(second->stream);
  chain.expect(y1, 1);
  chain.expect(y2, 2);
}

TEST_F(CudaTest, ThreadsOfOneStreamDoNotMixTheirRuns) {
  Chain chain(makeDevice(), 300);
  std::unique_ptr<OwnedStream> stream = chain.device->makeStream();
  std::vector<DeviceBuffer> xs, ys;
  for (int t = 0; t < 4; ++t) xs.push_back(chain.ramp(static_cast<float>(t))), ys.push_back(chain.empty());
  driver.setSlowLaunches(true);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) chain.run(xs[t], ys[t], stream->stream);
    });
  for (std::thread &t : threads) t.join();
  std::vector<FakeLaunch> launches = driver.launches();
  ASSERT_EQ(launches.size(), 400u);
  for (size_t i = 0; i < launches.size(); ++i) EXPECT_EQ(launches[i].symbol, i % 2 ? "scale" : "add") << i;
  chain.device->synchronize(stream->stream);
  for (size_t t = 0; t < 4; ++t) chain.expect(ys[t], static_cast<float>(t));
}

TEST_F(CudaTest, ItsCodeStaysUntilItsRunsAreDone) {
  // Without an arena or parameters, whose going would wait for the device.
  LaunchPlan plan;
  plan.name = "bare";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", 64), y = addBuffer(plan, BufferKind::Output, "y", 64);
  plan.steps = {add(x, x, y, 64)};
  auto device = makeDevice();
  DeviceBuffer a = device->allocate(256), b = device->allocate(256);
  void *in = a.data(), *out = b.data();
  std::unique_ptr<OwnedStream> stream = device->makeStream();
  std::optional<PlanExecutable> executable;
  executable.emplace(forCuda(plan), device, cudaKernels());
  executable->runDevice({&in, 1}, {&out, 1}, {}, {.stream = stream->stream});
  executable.reset();
  executable.emplace(forCuda(plan), device, cudaKernels());
  std::optional<PlanReplay> replay = executable->capture({&in, 1}, {&out, 1});
  executable.reset();
  replay->run(stream->stream);
  replay.reset();
  EXPECT_EQ(driver.liveObjects(), 2) << "the context and the stream";
}

TEST_F(CudaTest, AnyElementsAddressWorks) {
  Chain chain(makeDevice(), 333);
  std::unique_ptr<OwnedStream> stream = chain.device->makeStream();
  for (int64_t skew : {1, 2, 3}) {
    DeviceBuffer x = chain.ramp(7, skew), y = chain.empty(skew);
    chain.run(x, y, stream->stream, skew);
    driver.clearLog();
    chain.run(x, y, stream->stream, skew);
    EXPECT_EQ(driver.count("cuMemcpyDtoDAsync"), 2) << "one in, one out";
    EXPECT_EQ(driver.count("cuMemAlloc"), 0);
    chain.device->synchronize(stream->stream);
    chain.expect(y, 7, skew);
  }
  DeviceBuffer x = chain.ramp(7), y = chain.empty();
  void *odd = static_cast<char *>(x.data()) + 2, *out = y.data();
  EXPECT_EQ(errorOf([&] { chain.executable.runDevice({&odd, 1}, {&out, 1}); })->code, ErrorCode::InvalidInput);
}

TEST_F(CudaTest, ADonatedInputMayBeAnywhere) {
  auto device = makeDevice();
  PlanExecutable executable(forCuda(inPlacePlan(100)), device, cudaKernels());
  std::vector<float> values(102, 3);
  for (size_t skew : {0, 1}) {
    DeviceBuffer memory = device->allocate(408), other = device->allocate(408);
    device->copyIn(memory.data(), values.data(), 408);
    auto *in = static_cast<float *>(memory.data()) + skew;
    void *from = in, *same = in, *apart = static_cast<float *>(other.data()) + skew;
    executable.runDevice({&from, 1}, {&same, 1});
    executable.runDevice({&from, 1}, {&apart, 1});
    std::vector<float> got(100), moved(100);
    device->copyOut(moved.data(), apart, 400);
    device->synchronize();
    EXPECT_EQ(moved, std::vector<float>(100, 12)) << skew;
  }
}

TEST_F(CudaTest, OutputsOfItsOwnAreUsedAgainByTheirStream) {
  Chain chain(makeDevice(), 400);
  DeviceBuffer x = chain.ramp(1);
  std::unique_ptr<OwnedStream> one = chain.device->makeStream(), two = chain.device->makeStream();
  void *in = x.data();
  auto run = [&](OwnedStream &stream) {
    return std::move(chain.executable.runAllocating({&in, 1}, {}, {.stream = stream.stream})[0]);
  };
  DeviceBuffer first = run(*one), second = run(*one);
  EXPECT_NE(first.data(), second.data());
  chain.device->synchronize(one->stream);
  chain.expect(first, 1);
  chain.expect(second, 1);
  void *dropped = first.data();
  first = DeviceBuffer();
  DeviceBuffer elsewhere = run(*two), again = run(*one);
  EXPECT_NE(elsewhere.data(), dropped) << "that stream has no order to what the first may still do";
  EXPECT_EQ(again.data(), dropped);
  size_t before = driver.liveBytes();
  std::vector<DeviceBuffer> many;
  for (int i = 0; i < 200; ++i) many.push_back(run(*one));
  many.clear();
  EXPECT_LE(driver.liveBytes(), before + 65 * 1792) << "what is kept is bounded";
}

TEST_F(CudaTest, OutputsOutliveTheExecutable) {
  DeviceBuffer y;
  auto device = makeDevice();
  {
    Chain chain(device, 100);
    DeviceBuffer x = chain.ramp(1);
    void *in = x.data();
    y = std::move(chain.executable.runAllocating({&in, 1})[0]);
  }
  std::vector<float> values(100);
  device->copyOut(values.data(), y.data(), 400);
  device->synchronize();
  EXPECT_EQ(values[9], chained(10));
}

TEST_F(CudaTest, StepTimesComeFromTheDevice) {
  Chain chain(makeDevice(), 100);
  HostTensor x({100}, f32);
  std::vector<StepTime> times;
  (void)chain.executable.run({&x, 1}, {.stepTimes = &times});
  ASSERT_EQ(times.size(), 4u);
  for (const StepTime &t : times) EXPECT_DOUBLE_EQ(t.seconds, 2e-3) << "a launch and a mark of a millisecond each";
}

/// Processor seconds of this thread.
double threadSeconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST_F(CudaTest, ALaunchCostsTheHostLittle) {
  LaunchPlan plan;
  plan.name = "long";
  constexpr int kLaunches = 200, kRounds = 50;
  BufferId x = addBuffer(plan, BufferKind::Input, "x", 64), y = addBuffer(plan, BufferKind::Output, "y", 64);
  for (int i = 0; i < kLaunches; ++i) plan.steps.push_back(add(x, x, y, 64));
  auto device = makeDevice();
  PlanExecutable executable(forCuda(plan), device, cudaKernels());
  DeviceBuffer a = device->allocate(256), b = device->allocate(256);
  void *in = a.data(), *out = b.data();
  executable.runDevice({&in, 1}, {&out, 1});
  driver.setDropLaunches(true);
  double best = 1;
  for (int round = 0; round < kRounds; ++round) {
    double start = threadSeconds();
    executable.runDevice({&in, 1}, {&out, 1});
    best = std::min(best, threadSeconds() - start);
  }
  driver.setDropLaunches(false);
  RecordProperty("nanoseconds_per_launch", static_cast<int>(best / kLaunches * 1e9));
  EXPECT_LT(best / kLaunches, 5e-6);
}

} // namespace
} // namespace kiln
