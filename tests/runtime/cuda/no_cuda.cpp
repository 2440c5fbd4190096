// What a build without CUDA's headers says. It links that build's variant of the device, which kiln-unit cannot.
#include "kiln/Error.h"
#include "runtime/cuda/CudaDevice.h"

#include <cstdio>

int main() {
  kiln::CudaInventory all = kiln::cudaInventory();
  if (all.built || !all.gpus.empty() || all.absent != "this build of Kiln has no CUDA device") {
    std::fprintf(stderr, "the inventory says: %s\n", all.absent.c_str());
    return 1;
  }
  try {
    kiln::makeCudaDevice();
  } catch (const kiln::Error &error) {
    if (error.code == kiln::ErrorCode::NoDevice && error.rule == all.absent) return 0;
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "a device was made\n");
  return 1;
}
