#include "runtime/cuda/driver/Context.h"

#include <array>
#include <cstring>

namespace kiln::cuda {

CudaGpu describeGpu(const DriverApi &api, int ordinal) {
  CUdevice device = 0;
  check(api, api.deviceGet(&device, ordinal), "cuDeviceGet");
  CudaGpu gpu;
  gpu.ordinal = ordinal;
  std::array<char, 256> name{};
  check(api, api.deviceGetName(name.data(), static_cast<int>(name.size() - 1), device), "cuDeviceGetName");
  gpu.name = name.data();
  size_t bytes = 0;
  check(api, api.deviceTotalMem(&bytes, device), "cuDeviceTotalMem", gpu.name);
  gpu.memoryBytes = static_cast<int64_t>(bytes);
  auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    check(api, api.deviceGetAttribute(&value, which, device), "cuDeviceGetAttribute", gpu.name);
    return value;
  };
  gpu.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  gpu.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  gpu.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  gpu.sharedBytesPerCta = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  gpu.maxThreadsPerCta = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return gpu;
}

Context::Context(std::shared_ptr<const DriverApi> given, int ordinal)
    : driver(std::move(given)), api(*driver), gpu(describeGpu(api, ordinal)) {
  cuda::check(api, api.deviceGet(&device, ordinal), "cuDeviceGet", gpu.name);
  cuda::check(api, api.primaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", gpu.name);
}

Context::~Context() { api.primaryCtxRelease(device); } // fails at the process's end, when the driver is gone first

Current::Current(const Context &context) noexcept : api(context.api) {
  CUcontext now = nullptr;
  if (api.ctxGetCurrent(&now) == CUDA_SUCCESS && now == context.handle()) return;
  result = api.ctxPushCurrent(context.handle());
  pushed = result == CUDA_SUCCESS;
}

Current::~Current() {
  CUcontext ours = nullptr;
  if (pushed) api.ctxPopCurrent(&ours);
}

} // namespace kiln::cuda
