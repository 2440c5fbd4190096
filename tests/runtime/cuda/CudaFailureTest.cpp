// Every call of the driver fails in turn, with every kind of result: an Error comes out, or nothing was lost.
#include "tests/runtime/cuda/CudaKit.h"

#include <set>

namespace kiln {
namespace {

using namespace test;

/// One of everything.
void everything() {
  CudaDeviceOptions options{.poisonMemory = true};
  options.driver = KILN_FAKE_CUDA;
  Chain chain(makeCudaDevice(options), 100);
  std::unique_ptr<OwnedStream> stream = chain.device->makeStream();
  DeviceBuffer x = chain.ramp(1, 1), y = chain.empty(1);
  chain.run(x, y, stream->stream, 1);
  chain.run(x, y, {}, 1);
  HostTensor host({100}, f32);
  std::vector<StepTime> times;
  (void)chain.executable.run({&host, 1}, {.stepTimes = &times});
  void *in = static_cast<float *>(x.data()) + 1, *out = static_cast<float *>(y.data()) + 1;
  (void)chain.executable.runAllocating({&in, 1}, {}, {.stream = stream->stream});
  PlanReplay replay = chain.executable.capture({&in, 1}, {&out, 1});
  replay.run(stream->stream);
  chain.device->synchronize(stream->stream);
  chain.expect(y, 1, 1);
}

/// PTX that is newer than the driver's compiler is refused before anything runs, by a graph as by a kernel.
TEST_F(CudaTest, ADriverOlderThanThePtxRunsNothing) {
  for (auto [version, words] : {std::pair{11080, "11.8"}, {12040, "12.4"}, {12060, "12.6"}}) {
    driver.reset();
    addPlanKernels(driver);
    driver.setVersion(version);
    std::optional<Error> error = errorOf([] { Chain(makeDevice(), 100); });
    ASSERT_TRUE(error) << version;
    EXPECT_EQ(error->code, ErrorCode::NoDevice);
    EXPECT_EQ(error->op, "add");
    EXPECT_EQ(error->rule, "the NVIDIA driver knows the version of the kernel's PTX");
    EXPECT_NE(error->found.find("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"), std::string::npos) << error->what();
    EXPECT_NE(error->found.find("PTX 8.7 for sm_80"), std::string::npos) << error->what();
    EXPECT_NE(error->found.find(std::string("driver for CUDA ") + words), std::string::npos) << error->what();
    EXPECT_EQ(error->hint, "update the NVIDIA driver, or compile for an older target");
    EXPECT_EQ(driver.count("cuLaunchKernelEx"), 0);
    EXPECT_EQ(driver.liveBytes(), 0u);
    EXPECT_EQ(driver.liveObjects(), 0);
  }
  driver.setVersion(12080);
  everything();
}

TEST_F(CudaTest, EveryFailureIsAnError) {
  everything();
  EXPECT_EQ(driver.liveObjects(), 0);
  std::vector<std::string> calls = driver.log();
  std::set<std::string> names(calls.begin(), calls.end());
  EXPECT_GE(names.size(), 30u) << "a scenario that calls nearly all there is";
  int thrown = 0;
  for (const std::string &call : names) {
    int times = static_cast<int>(std::count(calls.begin(), calls.end(), call));
    for (int after = 0; after < std::min(times, 12); ++after)
      for (auto [result, sticky] : {std::pair{CUDA_ERROR_INVALID_VALUE, false},
                                    {CUDA_ERROR_OUT_OF_MEMORY, false},
                                    {CUDA_ERROR_ILLEGAL_ADDRESS, true},
                                    {static_cast<CUresult>(12345), false}}) {
        driver.reset();
        addPlanKernels(driver);
        driver.fail(call, result, after, /*lasting=*/sticky, sticky);
        std::optional<Error> error = errorOf(everything);
        thrown += error.has_value();
        if (error) {
          EXPECT_NE(error->found.find(std::to_string(result)), std::string::npos) << error->what();
        }
        if (!sticky && call.find("Destroy") == std::string::npos && call != "cuMemFree" && call != "cuModuleUnload") {
          EXPECT_EQ(driver.liveObjects(), 0) << call << " " << after;
          EXPECT_EQ(driver.liveBytes(), 0u) << call << " " << after;
        }
      }
  }
  EXPECT_GT(thrown, 200);
  driver.reset();
}

} // namespace
} // namespace kiln
