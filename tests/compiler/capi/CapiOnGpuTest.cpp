// Graphs compiled for a real GPU through the C interface, against the same on the cpu. Skipped without one;
// tests/gpu/run runs them.
#include "kiln/kiln.h"
#include "runtime/cuda/CudaDevice.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

const char *const kGraph = R"(
func.func @main(%x: tensor<65x96xf32> {graph.name = "x"}, %w: tensor<96x33xf32> {graph.name = "w", graph.param})
    -> (tensor<65x33xf32> {graph.name = "y"}, tensor<65x96xf32> {graph.name = "z"}) {
  %0 = graph.matmul %x, %w : (tensor<65x96xf32>, tensor<96x33xf32>) -> tensor<65x33xf32>
  %1 = graph.gelu <exact> %0 : tensor<65x33xf32>
  %y = graph.softmax %1 axis 1 : tensor<65x33xf32>
  %2 = math.sin %x : tensor<65x96xf32>
  %z = arith.mulf %2, %x : tensor<65x96xf32>
  return %y, %z : tensor<65x33xf32>, tensor<65x96xf32>
})";

std::vector<float> normal(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  for (float &value : values) value = draw(random);
  return values;
}

struct Outputs {
  std::vector<float> y = std::vector<float>(65 * 33, NAN), z = std::vector<float>(65 * 96, NAN);
  std::vector<void *> pointers() { return {y.data(), z.data()}; }
  bool operator==(const Outputs &) const = default;
};

class CapiOnGpu : public ::testing::Test {
protected:
  void SetUp() override {
    if (kiln::CudaInventory inventory = kiln::cudaInventory(); inventory.gpus.empty()) GTEST_SKIP() << inventory.absent;
    onCpu = compiled("cpu");
    onGpu = compiled("cuda");
  }
  void TearDown() override {
    kiln_close(onCpu);
    kiln_close(onGpu);
  }
  kiln_executable *compiled(const char *device) {
    kiln_compile_options options = KILN_COMPILE_OPTIONS;
    options.device = device;
    kiln_executable *made = nullptr;
    EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &options, &made), KILN_OK) << kiln_last_error()->message;
    EXPECT_EQ(kiln_bind(made, "w", w.data(), w.size() * 4), KILN_OK) << kiln_last_error()->message;
    return made;
  }
  Outputs runHost(kiln_executable *executable) {
    Outputs outputs;
    const void *in[] = {x.data()};
    EXPECT_EQ(kiln_run_host(executable, in, 1, outputs.pointers().data(), 2), KILN_OK) << kiln_last_error()->message;
    return outputs;
  }

  const std::vector<float> x = normal(65 * 96, 1), w = normal(96 * 33, 2);
  kiln_executable *onCpu = nullptr, *onGpu = nullptr;
};

TEST_F(CapiOnGpu, F32HasTheCpusBits) { EXPECT_TRUE(runHost(onGpu) == runHost(onCpu)); }

TEST_F(CapiOnGpu, RunsOnDeviceMemoryAndReplays) {
  auto device = kiln::makeCudaDevice();
  Outputs want = runHost(onGpu), got;
  kiln::DeviceBuffer in = device->allocate(x.size() * 4), y = device->allocate(want.y.size() * 4),
                     z = device->allocate(want.z.size() * 4);
  device->copyIn(in.data(), x.data(), x.size() * 4);
  void *inputs[] = {in.data()}, *outputs[] = {y.data(), z.data()};
  auto fetch = [&](const void *fromY, const void *fromZ) {
    Outputs fetched;
    device->copyOut(fetched.y.data(), fromY, fetched.y.size() * 4);
    device->copyOut(fetched.z.data(), fromZ, fetched.z.size() * 4);
    device->synchronize();
    return fetched;
  };
  ASSERT_EQ(kiln_run(onGpu, inputs, 1, outputs, 2, nullptr), KILN_OK) << kiln_last_error()->message;
  EXPECT_TRUE(fetch(y.data(), z.data()) == want);

  kiln_buffer *owned[2];
  ASSERT_EQ(kiln_run_owned(onGpu, inputs, 1, owned, 2, nullptr), KILN_OK) << kiln_last_error()->message;
  EXPECT_TRUE(fetch(kiln_buffer_data(owned[0]), kiln_buffer_data(owned[1])) == want);
  for (kiln_buffer *buffer : owned) kiln_buffer_release(buffer);

  kiln_replay *replay = nullptr;
  ASSERT_EQ(kiln_capture(onGpu, inputs, 1, outputs, 2, &replay), KILN_OK) << kiln_last_error()->message;
  auto stream = device->makeStream();
  device->memset(y.data(), 0xFF, want.y.size() * 4);
  device->synchronize();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(kiln_replay_run(replay, stream->stream.native), KILN_OK);
  ASSERT_EQ(kiln_synchronize(onGpu, stream->stream.native), KILN_OK);
  EXPECT_TRUE(fetch(y.data(), z.data()) == want);
  kiln_replay_close(replay);
}

TEST_F(CapiOnGpu, AFileRunsAsItsGraphDid) {
  std::string path = testing::TempDir() + "on-gpu-" + std::to_string(::getpid()) + ".kiln";
  ASSERT_EQ(kiln_save(onGpu, path.c_str()), KILN_OK) << kiln_last_error()->message;
  kiln_executable *loaded = nullptr;
  ASSERT_EQ(kiln_load(path.c_str(), nullptr, &loaded), KILN_OK) << kiln_last_error()->message;
  EXPECT_STREQ(kiln_device(loaded), "cuda");
  ASSERT_EQ(kiln_bind(loaded, "w", w.data(), w.size() * 4), KILN_OK);
  EXPECT_TRUE(runHost(loaded) == runHost(onGpu));
  kiln_close(loaded);
  ::unlink(path.c_str());
}

} // namespace
