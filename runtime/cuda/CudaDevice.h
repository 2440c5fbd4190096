// NVIDIA GPUs as devices, through the driver's library opened at run time: nothing of CUDA is linked, and a machine
// without a driver gets an Error that says so. This header needs no CUDA; a build without CUDA's headers has the same
// functions, which say that there is no such device.
#pragma once

#include "runtime/Device.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The driver's library as NVIDIA installs it.
inline constexpr const char *kCudaDriver = "libcuda.so.1";

/// One GPU, as its driver describes it.
struct CudaGpu {
  int ordinal = 0; ///< the driver's number for it
  std::string name;
  int major = 0, minor = 0;        ///< compute capability
  int multiprocessors = 0;         ///< SMs
  int64_t memoryBytes = 0;         ///< all of it, whether free or not
  int64_t sharedBytesPerCta = 0;   ///< the most dynamic shared memory that a kernel may ask for
  int32_t maxThreadsPerCta = 1024; ///< the most that any kernel may have
};

/// The NVIDIA GPUs of this machine.
struct CudaInventory {
  bool built = false;    ///< whether this build of Kiln can use them
  std::string absent;    ///< why there are none; empty if there are
  int driverVersion = 0; ///< the newest CUDA that the driver knows: 12080 is 12.8; 0 if there is no driver
  std::vector<CudaGpu> gpus;
};

/// What there is; never throws. `driver` is the library to open.
CudaInventory cudaInventory(const std::string &driver = kCudaDriver);

/// "12.8", from a driver's number.
std::string cudaVersionString(int version);

/// Whether code for `target` ("sm_80", "sm_90a") runs on a GPU of this compute capability: PTX on all that are not
/// older, machine code on those of its own generation that are not older, an "a" target on exactly its own.
bool cudaRuns(std::string_view target, CodeImage::Format format, int major, int minor);

struct CudaDeviceOptions {
  int ordinal = 0;
  std::string driver = kCudaDriver; ///< the library to open
  bool poisonMemory = false;        ///< fill fresh memory with 0xFF bytes, a NaN in every float type
  bool checkLaunches = false; ///< wait for every launch, so that what it does wrong is thrown by it and names it; slow
};

/// A GPU, in the context that all libraries of the process share (the primary one), which is never reset. Throws Error
/// (no device) where there is none, the driver cannot be used, or this build has no CUDA.
std::shared_ptr<Device> makeCudaDevice(const CudaDeviceOptions &options = {});

} // namespace kiln
