#include "compiler/Devices.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

CudaInventory inventory(std::vector<CudaGpu> gpus) {
  return {.built = true, .driverVersion = 12080, .gpus = std::move(gpus)};
}

CudaGpu gpu(int major, int minor) {
  return {.name = "NVIDIA X", .major = major, .minor = minor, .multiprocessors = 132, .memoryBytes = int64_t(80) << 30};
}

TEST(Devices, TargetsAreThoseThatTheFirstGpuRuns) {
  auto targets = [](int major, int minor) { return describeCuda(inventory({gpu(major, minor), gpu(8, 0)})).targets; };
  EXPECT_EQ(targets(8, 0), std::vector<std::string>{"sm_80"});
  EXPECT_EQ(targets(8, 7), (std::vector<std::string>{"sm_86", "sm_80"}));
  EXPECT_EQ(targets(9, 0), (std::vector<std::string>{"sm_90a", "sm_90", "sm_89", "sm_86", "sm_80"}));
  EXPECT_EQ(targets(13, 0).front(), "sm_120") << "a GPU newer than Kiln runs plain PTX";
  EXPECT_EQ(targets(7, 5), std::vector<std::string>());
}

TEST(Devices, SaysWhatEachGpuIs) {
  DeviceInfo cuda = describeCuda(inventory({gpu(9, 0), gpu(12, 1)}));
  EXPECT_TRUE(cuda.present);
  EXPECT_EQ(cuda.detail, "2 GPUs, driver for CUDA 12.8");
  EXPECT_EQ(cuda.driver, "12.8");
  ASSERT_EQ(cuda.gpus.size(), 2u);
  EXPECT_EQ(cuda.gpus[1].capability, "12.1");
  EXPECT_EQ(cuda.gpus[1].multiprocessors, 132);
}

TEST(Devices, SaysWhyThereIsNone) {
  DeviceInfo cuda = describeCuda({.absent = "the reason"});
  EXPECT_FALSE(cuda.present);
  EXPECT_EQ(cuda.detail, "the reason");
  EXPECT_TRUE(cuda.targets.empty() && cuda.gpus.empty() && cuda.driver.empty());
  std::vector<DeviceInfo> all = devices();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].name == "cpu" && all[0].present && !all[0].targets.empty());
  EXPECT_EQ(all[1].name, "cuda");
}

} // namespace
} // namespace kiln
