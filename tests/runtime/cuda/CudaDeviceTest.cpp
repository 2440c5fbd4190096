#include "tests/runtime/cuda/CudaKit.h"

namespace kiln {
namespace {

using namespace test;

TEST_F(CudaTest, ListsWhatThereIs) {
  driver.setGpus({FakeGpu{.name = "One", .major = 8, .minor = 6, .multiprocessors = 84}, FakeGpu{.name = "Two"}});
  CudaInventory all = cudaInventory(KILN_FAKE_CUDA);
  EXPECT_TRUE(all.built);
  EXPECT_EQ(all.absent, "");
  EXPECT_EQ(cudaVersionString(all.driverVersion), "13.0");
  ASSERT_EQ(all.gpus.size(), 2u);
  EXPECT_EQ(all.gpus[0].name, "One");
  EXPECT_EQ(all.gpus[0].major * 10 + all.gpus[0].minor, 86);
  EXPECT_EQ(all.gpus[0].multiprocessors, 84);
  EXPECT_EQ(all.gpus[1].ordinal, 1);
  EXPECT_EQ(all.gpus[1].memoryBytes, 1 << 30);
  EXPECT_EQ(driver.liveObjects(), 0) << "no context is taken to look";
}

TEST_F(CudaTest, SaysWhyThereIsNone) {
  EXPECT_NE(cudaInventory("libno-such-driver.so.1").absent.find("libno-such-driver.so.1"), std::string::npos);
  CudaInventory old = cudaInventory(KILN_OLD_CUDA);
  EXPECT_NE(old.absent.find("a driver for CUDA 11.4"), std::string::npos) << old.absent;
  driver.setGpus({});
  EXPECT_NE(cudaInventory(KILN_FAKE_CUDA).absent.find("cuInit: CUDA_ERROR_NO_DEVICE (100)"), std::string::npos);
  std::optional<Error> error = errorOf([] { makeCudaDevice({.driver = KILN_OLD_CUDA}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::NoDevice);
  EXPECT_NE(error->expected.find("11.8 or newer"), std::string::npos) << error->what();
  EXPECT_NE(error->hint.find("update the NVIDIA driver"), std::string::npos) << error->what();
}

TEST_F(CudaTest, NoGpuIsNoDevice) {
  for (auto [call, result] : {std::pair{"cuInit", CUDA_ERROR_NO_DEVICE},
                              {"cuInit", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
                              {"cuInit", CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE},
                              {"cuInit", CUDA_ERROR_STUB_LIBRARY},
                              {"cuInit", CUDA_ERROR_OPERATING_SYSTEM},
                              {"cuDeviceGet", CUDA_ERROR_INVALID_DEVICE},
                              {"cuDevicePrimaryCtxRetain", CUDA_ERROR_DEVICE_UNAVAILABLE}}) {
    driver.reset();
    driver.fail(call, result);
    std::optional<Error> error = errorOf([] { makeDevice(); });
    ASSERT_TRUE(error) << call;
    EXPECT_EQ(error->code, ErrorCode::NoDevice) << error->what();
    EXPECT_NE(error->found.find(std::to_string(result)), std::string::npos) << error->what();
  }
  driver.reset();
  EXPECT_EQ(errorOf([] { makeDevice({.ordinal = 1}); })->code, ErrorCode::NoDevice);
  EXPECT_EQ(driver.liveObjects(), 0);
}

TEST_F(CudaTest, KnowsWhichCodeRuns) {
  using enum CodeImage::Format;
  EXPECT_TRUE(cudaRuns("sm_80", Ptx, 9, 0) && cudaRuns("sm_80", Ptx, 8, 0) && cudaRuns("sm_120", Ptx, 12, 1));
  EXPECT_FALSE(cudaRuns("sm_90", Ptx, 8, 9) || cudaRuns("sm_100", Ptx, 9, 0));
  EXPECT_TRUE(cudaRuns("sm_80", Cubin, 8, 6) && cudaRuns("sm_90a", Cubin, 9, 0));
  EXPECT_FALSE(cudaRuns("sm_80", Cubin, 9, 0) || cudaRuns("sm_86", Cubin, 8, 0));
  EXPECT_TRUE(cudaRuns("sm_90a", Ptx, 9, 0) && cudaRuns("sm_100f", Ptx, 10, 3));
  EXPECT_FALSE(cudaRuns("sm_90a", Ptx, 10, 0) || cudaRuns("sm_100f", Ptx, 12, 0));
  for (const char *wrong : {"", "sm_", "sm_9x", "avx512", "sm_80aa", "sm_99999999999", "compute_80"})
    EXPECT_FALSE(cudaRuns(wrong, Ptx, 9, 0)) << wrong;
}

TEST_F(CudaTest, MemoryThatIsNotThereIsSaidInBytes) {
  auto device = makeDevice();
  DeviceBuffer some = device->allocate(1000);
  std::optional<Error> error = errorOf([&] { (void)device->allocate(size_t(2) << 30); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::InvalidInput);
  EXPECT_EQ(error->rule, "the memory a run needs is there");
  EXPECT_NE(error->found.find("2147483648 bytes asked for, 1073740800 of 1073741824 free"), std::string::npos)
      << error->what();
  EXPECT_NE(device->allocate(0).data(), nullptr);
  some = DeviceBuffer();
  EXPECT_EQ(driver.liveBytes(), 0u);
}

// A kernel may read all of a 16-byte word that holds a tensor's last element.
TEST_F(CudaTest, MemoryEndsWithAWholeUnit) {
  auto device = makeDevice({.poisonMemory = true});
  size_t bytes = 0;
  std::vector<DeviceBuffer> all;
  for (auto [asked, given] :
       {std::pair<size_t, size_t>{0, 256}, {1, 256}, {255, 256}, {256, 256}, {257, 512}, {330, 512}}) {
    all.push_back(device->allocate(asked));
    EXPECT_EQ(driver.liveBytes(), bytes += given) << asked;
    EXPECT_EQ(all.back().size(), asked);
    std::vector<unsigned char> whole(given);
    device->copyOut(whole.data(), all.back().data(), given);
    device->synchronize();
    EXPECT_EQ(whole, std::vector<unsigned char>(given, 0xFF)) << asked;
  }
  for (size_t none : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - 300})
    EXPECT_EQ(errorOf([&] { (void)device->allocate(none); })->rule, "the memory a run needs is there");
}

// Arenas, parameters, outputs, copies of host tensors, staged inputs.
TEST_F(CudaTest, AllMemoryEndsWithAWholeUnit) {
  Chain chain(makeDevice(), 333);
  HostTensor x = HostTensor::full({333}, f32, 3);
  chain.executable.run({&x, 1});
  DeviceBuffer in = chain.ramp(1, 1), out = chain.empty(1);
  chain.run(in, out, {}, 1);
  void *from = in.data();
  chain.executable.runAllocating({&from, 1});
  EXPECT_EQ(driver.liveBytes() % 256, 0u);
  EXPECT_GE(driver.count("cuMemAlloc"), 7);
}

TEST_F(CudaTest, CopiesSetsAndPoisons) {
  auto device = makeDevice({.poisonMemory = true});
  std::vector<unsigned char> host(100, 7), back(100);
  DeviceBuffer a = device->allocate(100), b = device->allocate(100);
  device->copyOut(back.data(), a.data(), 100);
  device->synchronize();
  EXPECT_EQ(back, std::vector<unsigned char>(100, 0xFF));
  device->copyIn(a.data(), host.data(), 100);
  device->copy(b.data(), a.data(), 100);
  device->memset(static_cast<char *>(b.data()) + 50, 9, 50);
  device->copyOut(back.data(), b.data(), 100);
  device->synchronize();
  EXPECT_TRUE(back[49] == 7 && back[50] == 9 && back[99] == 9);
  int before = static_cast<int>(driver.log().size());
  device->copyIn(nullptr, nullptr, 0);
  device->copy(a.data(), a.data(), 100);
  device->memset(nullptr, 1, 0);
  EXPECT_EQ(static_cast<int>(driver.log().size()), before) << "nothing to do is not given to the driver";
}

TEST_F(CudaTest, CodeForOthersIsRefusedWithBothVersions) {
  driver.setVersion(12040);
  auto device = makeDevice();
  std::optional<Error> newer = errorOf([&] { (void)device->load(ptx("add", "sm_100a")); });
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->code, ErrorCode::NoDevice);
  EXPECT_EQ(newer->found, "PTX 8.7 for sm_100a on Fake GPU (compute capability 9.0)");
  EXPECT_EQ(newer->hint, "compile for this GPU's target");
  std::optional<Error> old = errorOf([&] { (void)device->load(ptx("add")); });
  ASSERT_TRUE(old);
  EXPECT_EQ(old->code, ErrorCode::NoDevice);
  EXPECT_TRUE(old->found.find("PTX 8.7") != std::string::npos && old->found.find("CUDA 12.4") != std::string::npos)
      << old->what();
  EXPECT_NE(old->hint.find("update the NVIDIA driver"), std::string::npos);
  driver.setVersion(12080);
  driver.setJitLog("line 3; error : Unknown symbol 'foo'");
  driver.fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX, 0, /*lasting=*/false);
  std::optional<Error> bad = errorOf([&] { (void)device->load(ptx("add")); });
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->code, ErrorCode::Internal);
  EXPECT_NE(bad->found.find("Unknown symbol 'foo'"), std::string::npos) << bad->what();
  EXPECT_NE(errorOf([&] { (void)device->load(ptx("missing")); })->found.find("not in the code"), std::string::npos);
  EXPECT_EQ(errorOf([&] { (void)device->load(HostKernelImage{addKernel, nullptr, "add"}); })->code,
            ErrorCode::InvalidInput);
  EXPECT_EQ(driver.liveObjects(), 1) << "the context alone";
}

TEST_F(CudaTest, KernelsSayWhatTheyTake) {
  auto device = makeDevice();
  KernelHandle kernel = device->load(ptx("add"));
  EXPECT_EQ(kernel->resources.registers, 40);
  EXPECT_EQ(kernel->resources.localBytes, 16);
  CodeImage large = ptx("add");
  large.threads = 1024;
  EXPECT_NE(errorOf([&] { (void)device->load(large); })->expected.find("1 to 768"), std::string::npos);
  large.threads = 0;
  EXPECT_EQ(errorOf([&] { (void)device->load(large); })->code, ErrorCode::Internal);
  large.threads = 64;
  large.sharedBytes = 300 * 1024;
  std::optional<Error> shared = errorOf([&] { (void)device->load(large); });
  ASSERT_TRUE(shared);
  EXPECT_NE(shared->expected.find(std::to_string(227 * 1024 - 64)), std::string::npos) << shared->what();
}

/// Launches of a kernel of 2 slots and one tensor map, which leaves what it got.
class CudaLaunch : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    driver.addKernel("probe", {8, 4, 128}, [this](void **p, const unsigned *) {
      first = parameter<uint64_t>(p, 0);
      second = parameter<uint32_t>(p, 1);
      third = parameter<TensorMap>(p, 2);
    });
    kernel = device->load(ptx("probe"));
  }
  void launch(LaunchConfig config) {
    config.tensorMaps = {&map, 1};
    device->launch(*kernel, config, slots);
    device->synchronize();
  }
  std::shared_ptr<Device> device = makeDevice();
  KernelHandle kernel;
  TensorMap map{};
  std::vector<const void *> slots = {reinterpret_cast<void *>(0x1234567890), reinterpret_cast<void *>(0xFFFFFFFF)};
  uint64_t first = 0;
  uint32_t second = 0;
  TensorMap third{};
};

TEST_F(CudaLaunch, PassesEverything) {
  map.bytes[127] = std::byte(42);
  launch({.grid = {4, 2, 3}, .sharedBytes = 200 * 1024, .cluster = {2, 1, 1}, .pdl = true});
  EXPECT_EQ(first, 0x1234567890u);
  EXPECT_EQ(second, 0xFFFFFFFFu);
  EXPECT_EQ(third.bytes[127], std::byte(42));
  FakeLaunch seen = driver.launches().at(0);
  EXPECT_TRUE(seen.grid[0] == 4 && seen.grid[1] == 2 && seen.grid[2] == 3 && seen.block[0] == 64 && seen.block[1] == 1);
  EXPECT_TRUE(seen.cluster[0] == 2 && seen.cluster[1] == 1 && seen.pdl && seen.sharedBytes == 200 * 1024);
  int permissions = driver.count("cuFuncSetAttribute");
  EXPECT_EQ(permissions, 1);
  launch({.sharedBytes = 100 * 1024});
  EXPECT_EQ(driver.count("cuFuncSetAttribute"), permissions) << "given once";
  launch({.grid = {4, 0, 3}});
  EXPECT_EQ(driver.launches().size(), 2u) << "an empty grid launches nothing";
}

TEST_F(CudaLaunch, RefusesWhatTheDriverWouldNotCheck) {
  auto refused = [&](const LaunchConfig &config) { return errorOf([&] { launch(config); }).has_value(); };
  EXPECT_TRUE(refused({.grid = {1, 65536, 1}}));
  EXPECT_TRUE(refused({.grid = {int64_t(1) << 31, 1, 1}}));
  EXPECT_TRUE(refused({.grid = {-1, 1, 1}}));
  EXPECT_TRUE(refused({.sharedBytes = 228 * 1024}));
  EXPECT_TRUE(refused({.scratchBytes = 1}));
  EXPECT_TRUE(refused({.grid = {3, 1, 1}, .cluster = {2, 1, 1}})) << "the driver's own refusal";
  slots.push_back(nullptr);
  std::optional<Error> arguments = errorOf([&] { launch({}); });
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->expected, "3 arguments");
  EXPECT_EQ(driver.launches().size(), 0u);
  EXPECT_EQ(errorOf([&] {
              device->launch(*makeHostDevice()->load(HostKernelImage{addKernel, nullptr, "add"}), {}, slots);
            })->rule,
            "a GPU launches kernels it has loaded");
  driver.setGpus({FakeGpu{.major = 8}});
  auto older = makeDevice();
  KernelHandle there = older->load(ptx("probe"));
  EXPECT_EQ(errorOf([&] { older->launch(*kernel, {}, slots); })->rule, "a GPU launches kernels it has loaded");
  slots.pop_back();
  EXPECT_EQ(errorOf([&] {
              older->launch(*there, {.grid = {2, 1, 1}, .cluster = {2, 1, 1}, .tensorMaps = {&map, 1}}, slots);
            })->rule,
            "the GPU has clusters");
  older->launch(*there, {.pdl = true, .tensorMaps = {&map, 1}}, slots);
  EXPECT_FALSE(driver.launches().back().pdl) << "a permission that an older GPU has no use for";
}

TEST_F(CudaLaunch, AFaultIsNamedAndLasts) {
  {
    auto checking = makeDevice({.checkLaunches = true});
    KernelHandle there = checking->load(ptx("probe"));
    DeviceBuffer memory = checking->allocate(100);
    driver.fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS, 0, true, /*sticky=*/true);
    std::optional<Error> fault = errorOf([&] { checking->launch(*there, {.tensorMaps = {&map, 1}}, slots); });
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, ErrorCode::Internal);
    EXPECT_EQ(fault->op, "probe");
    EXPECT_EQ(fault->rule, "kernels access only memory that is theirs");
    EXPECT_NE(fault->hint.find("restart it"), std::string::npos);
    EXPECT_EQ(errorOf([&] { (void)checking->allocate(1); })->code, ErrorCode::Internal);
  }
  EXPECT_EQ(errorOf([&] { device->synchronize(); })->rule, "kernels access only memory that is theirs");
}

TEST_F(CudaTest, LeavesTheCallersContextAsItWas) {
  auto api = cuda::openDriver(KILN_FAKE_CUDA);
  driver.setGpus({FakeGpu{}, FakeGpu{}});
  CUcontext theirs = nullptr, now = nullptr;
  api->primaryCtxRetain(&theirs, 1);
  api->ctxPushCurrent(theirs);
  {
    Chain chain(makeDevice(), 100);
    DeviceBuffer x = chain.ramp(0), y = chain.empty();
    chain.run(x, y);
    chain.expect(y, 0);
    errorOf([&] { (void)chain.device->allocate(size_t(1) << 40); });
  }
  api->ctxGetCurrent(&now);
  EXPECT_EQ(now, theirs);
  api->ctxPopCurrent(&now);
  api->ctxGetCurrent(&now);
  EXPECT_EQ(now, nullptr);
  api->primaryCtxRelease(1);
  EXPECT_EQ(driver.liveObjects(), 0);
  EXPECT_EQ(driver.liveBytes(), 0u);
}

} // namespace
} // namespace kiln
