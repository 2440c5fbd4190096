// The fake driver with the kernels of PlanKit, for tests of the device cuda.
#pragma once

#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/driver/DriverApi.h"
#include "tests/ErrorKit.h"
#include "tests/runtime/PlanKit.h"
#include "tests/runtime/cuda/fake/FakeDriver.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace kiln::test {

inline FakeDriver &fakeDriver() {
  static FakeDriver &driver = []() -> FakeDriver & {
    void *library = ::dlopen(KILN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) throw std::runtime_error(::dlerror());
    return *reinterpret_cast<decltype(&kilnFakeDriver)>(::dlsym(library, "kilnFakeDriver"))();
  }();
  return driver;
}

/// Parameter `index` of a launch.
template <typename T> T parameter(void **parameters, size_t index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof(T));
  return value;
}

/// Gives the fake GPU PlanKit's kernels, which refuse pointers that are not 16-byte aligned, as real ones may.
inline void addPlanKernels(FakeDriver &driver) {
  auto floats = [](void **p, size_t i) {
    auto *start = parameter<float *>(p, i);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % 16, 0u) << "parameter " << i;
    return start;
  };
  driver.addKernel("add", {8, 8, 8, 8}, [floats](void **p, const unsigned *grid) {
    auto n = parameter<int64_t>(p, 3);
    EXPECT_EQ(grid[0], (n + kBlock - 1) / kBlock);
    for (int64_t i = 0; i < n; ++i) floats(p, 2)[i] = floats(p, 0)[i] + floats(p, 1)[i];
  });
  driver.addKernel("scale", {8, 8, 8, 4}, [floats](void **p, const unsigned *) {
    auto n = parameter<int64_t>(p, 2);
    for (int64_t i = 0; i < n; ++i) floats(p, 1)[i] = floats(p, 0)[i] * parameter<float>(p, 3);
  });
}

inline CodeImage ptx(std::string symbol, std::string target = "sm_80") {
  std::string text = ".version 8.7\n.target " + target + "\n.entry " + symbol + "()";
  return {.code = {text.begin(), text.end()}, .symbol = std::move(symbol), .target = std::move(target), .threads = 64};
}

inline std::vector<KernelImage> cudaKernels() { return {ptx("add"), ptx("scale")}; }

class CudaTest : public ::testing::Test {
protected:
  void SetUp() override {
    driver.reset();
    addPlanKernels(driver);
  }
  void TearDown() override { EXPECT_EQ(driver.faults(), std::vector<std::string>()); }

  static std::shared_ptr<Device> makeDevice(CudaDeviceOptions options = {}) {
    options.driver = KILN_FAKE_CUDA;
    return makeCudaDevice(options);
  }

  FakeDriver &driver = fakeDriver();
};

/// An executable of the chain and tensors for it on the device.
class Chain {
public:
  Chain(std::shared_ptr<Device> on, int64_t n, ExecutableOptions options = {})
      : device(std::move(on)), n(n),
        executable(forCuda(chainPlan(n)), device, cudaKernels(), {{"w", HostTensor::full({n}, f32, 1)}}, options) {}

  /// n floats on the device, start, start + 1 ...; `skew` elements behind an aligned address.
  DeviceBuffer ramp(float start, int64_t skew = 0) const { return rampOn(*device, n, start, skew); }
  DeviceBuffer empty(int64_t skew = 0) const { return device->allocate(static_cast<size_t>(n + skew) * 4); }

  /// The run's results are those of ramp(start).
  void expect(const DeviceBuffer &y, float start, int64_t skew = 0) const {
    expectChained(*device, static_cast<float *>(y.data()) + skew, n, start);
  }

  void run(const DeviceBuffer &x, const DeviceBuffer &y, Stream stream = {}, int64_t skew = 0) const {
    void *in = static_cast<float *>(x.data()) + skew, *out = static_cast<float *>(y.data()) + skew;
    executable.runDevice({&in, 1}, {&out, 1}, {}, {.stream = stream});
  }

  const std::shared_ptr<Device> device;
  const int64_t n;
  PlanExecutable executable;
};

} // namespace kiln::test
