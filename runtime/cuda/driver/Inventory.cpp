// Which GPUs there are, without taking a context on any.
#include "runtime/cuda/driver/Context.h"

namespace kiln {

CudaInventory cudaInventory(const std::string &driver) {
  CudaInventory all;
  all.built = true;
  try {
    std::shared_ptr<const cuda::DriverApi> api = cuda::openDriver(driver);
    all.driverVersion = api->version;
    int count = 0;
    cuda::check(*api, api->deviceGetCount(&count), "cuDeviceGetCount");
    if (count == 0) throw cuda::driverError(*api, CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount");
    for (int i = 0; i < count; ++i) all.gpus.push_back(cuda::describeGpu(*api, i));
  } catch (const Error &error) {
    all.gpus.clear();
    all.absent = "no NVIDIA GPU can be used: " + error.found;
    if (!error.expected.empty()) all.absent += ", where " + error.expected + " is needed";
  }
  return all;
}

} // namespace kiln
