// What stands for the CUDA device in a build without CUDA's headers.
#include "kiln/Error.h"
#include "runtime/cuda/CudaDevice.h"

namespace kiln {

CudaInventory cudaInventory(const std::string &) {
  CudaInventory none;
  none.absent = "this build of Kiln has no CUDA device";
  return none;
}

std::shared_ptr<Device> makeCudaDevice(const CudaDeviceOptions &) {
  throw Error({.code = ErrorCode::NoDevice,
               .op = "cuda",
               .rule = "this build of Kiln has no CUDA device",
               .expected = "a build with CUDA's headers, 11.8 or newer",
               .hint = "configure with -DKILN_CUDA=ON where CUDA's headers are, or use the device cpu"});
}

} // namespace kiln
