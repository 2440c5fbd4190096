// Runs on device memory, on every device that is present.
#include "kiln/Compiler.h"
#include "kiln/Error.h"
#include "kiln/Ops.h"

#include "gtest/gtest.h"

#include <optional>

using namespace kiln;

namespace {

class DeviceRuns : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    Graph g;
    auto x = g.input("x", {33, 48});
    auto w = g.parameter("w", {48, 65});
    auto z = g.input("z", {65});
    auto h = gelu(matmul(x, w) + z);
    g.output("y", softmax(h));
    g.output("h", h);
    executable.emplace(compile(g, {.device = GetParam()}));
    executable->bind("w", HostTensor::randomNormal({48, 65}, f32, 2));
    expected = executable->run({{"x", x0}, {"z", z0}});
  }
  void expect(const DeviceTensor &y, const DeviceTensor &h) {
    EXPECT_TRUE(bitEqual(executable->toHost(y), expected["y"]));
    EXPECT_TRUE(bitEqual(executable->toHost(h), expected["h"]));
  }
  /// A tensor on the device, one element behind an aligned address.
  std::pair<DeviceTensor, void *> skewed(const HostTensor &tensor) {
    HostTensor longer({tensor.size() + 1}, f32);
    for (int64_t i = 0; i < tensor.size(); ++i) longer.set(i + 1, tensor.get(i));
    DeviceTensor memory = executable->toDevice(longer);
    return {memory, static_cast<float *>(memory.data()) + 1};
  }

  std::optional<Executable> executable;
  HostTensor x0 = HostTensor::randomNormal({33, 48}, f32, 1), z0 = HostTensor::randomNormal({65}, f32, 3);
  NamedTensors expected;
};

TEST_P(DeviceRuns, IntoTheCallersMemory) {
  DeviceTensor x = executable->toDevice(x0), z = executable->toDevice(z0);
  DeviceTensor y = executable->toDevice(HostTensor({33, 65}, f32)), h = executable->toDevice(HostTensor({33, 65}, f32));
  std::vector<void *> inputs = {x.data(), z.data()}, outputs = {y.data(), h.data()};
  executable->runDevice(inputs, outputs);
  expect(y, h);
  outputs.pop_back();
  EXPECT_THROW(executable->runDevice(inputs, outputs), Error);
}

TEST_P(DeviceRuns, FromAnyElementsAddress) {
  auto [x, atX] = skewed(x0);
  auto [z, atZ] = skewed(z0);
  auto [y, atY] = skewed(HostTensor({33, 65}, f32));
  DeviceTensor h = executable->toDevice(HostTensor({33, 65}, f32));
  std::vector<void *> inputs = {atX, atZ}, outputs = {atY, h.data()};
  executable->runDevice(inputs, outputs);
  HostTensor got = executable->toHost(y);
  for (int64_t i = 0; i < 33 * 65; ++i) ASSERT_EQ(got.get(i + 1), expected["y"].get(i)) << i;
}

TEST_P(DeviceRuns, IntoMemoryOfItsOwn) {
  DeviceTensor x = executable->toDevice(x0), z = executable->toDevice(z0);
  std::vector<void *> inputs = {x.data(), z.data()};
  std::vector<DeviceTensor> first = executable->runDevice(inputs), second = executable->runDevice(inputs);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].shape, (std::vector<int64_t>{33, 65}));
  expect(first[0], first[1]);
  expect(second[0], second[1]);
}

TEST_P(DeviceRuns, AsAReplay) {
  DeviceTensor x = executable->toDevice(HostTensor({33, 48}, f32)), z = executable->toDevice(z0);
  DeviceTensor y = executable->toDevice(HostTensor({33, 65}, f32)), h = executable->toDevice(HostTensor({33, 65}, f32));
  std::vector<void *> inputs = {x.data(), z.data()}, outputs = {y.data(), h.data()};
  Replay replay = executable->capture(inputs, outputs);
  replay.run();
  EXPECT_FALSE(bitEqual(executable->toHost(y), expected["y"]));
  // The addresses are fixed, what lies there is not.
  DeviceTensor fresh = executable->toDevice(x0);
  inputs[0] = fresh.data();
  Replay other = executable->capture(inputs, outputs);
  other.run();
  executable->synchronize();
  expect(y, h);
}

TEST(DeviceRunsErrors, ParametersMustBeBound) {
  Graph g;
  g.output("y", g.parameter("w", {4}) + 1);
  Executable executable = compile(g);
  EXPECT_THROW((void)executable.runDevice({}), Error);
}

std::vector<std::string> present() {
  std::vector<std::string> names;
  for (const DeviceInfo &device : devices())
    if (device.present) names.push_back(device.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceRuns, ::testing::ValuesIn(present()),
                         [](const auto &info) { return info.param; });

} // namespace
