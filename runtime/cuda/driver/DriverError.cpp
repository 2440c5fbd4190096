#include "runtime/cuda/driver/DriverError.h"
#include "runtime/cuda/CudaDevice.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace kiln::cuda {
namespace {

/// What a result code means to a user.
struct ResultRow {
  CUresult result;
  ErrorCode code;
  const char *rule;
  const char *hint;
};

constexpr const char *kUpdate = "update the NVIDIA driver, or use the device cpu";
constexpr const char *kUseCpu = "use the device cpu";
// After these the context answers every call with the same code, and the process cannot have another one.
constexpr const char *kLost = "a kernel did this, this launch or one before it; no call of this process can use the "
                              "GPU any more: restart it (CudaDeviceOptions::checkLaunches finds the launch)";
constexpr const char *kCapture = "while a stream is captured, give it only work that can be recorded";

const ResultRow *rowOf(CUresult result) {
  static constexpr ErrorCode kNoDevice = ErrorCode::NoDevice, kInternal = ErrorCode::Internal,
                             kInvalid = ErrorCode::InvalidInput;
  static constexpr ResultRow rows[] = {
      {CUDA_ERROR_NO_DEVICE, kNoDevice, "there is an NVIDIA GPU that this process may use",
       "see that CUDA_VISIBLE_DEVICES names one, or use the device cpu"},
      {CUDA_ERROR_INVALID_DEVICE, kNoDevice, "the GPU asked for is there", kUseCpu},
      {CUDA_ERROR_DEVICE_UNAVAILABLE, kNoDevice, "the GPU is free for this process",
       "end what has it for itself alone, or use the device cpu"},
      {CUDA_ERROR_DEVICE_NOT_LICENSED, kNoDevice, "the GPU is licensed", kUseCpu},
      {CUDA_ERROR_STUB_LIBRARY, kNoDevice, "the library opened is the NVIDIA driver's own, not a stub to link with",
       "take the stub's folder out of the loader's path"},
      {CUDA_ERROR_SYSTEM_NOT_READY, kNoDevice, "the system's NVIDIA services run",
       "start them (nvidia-fabricmanager, say)"},
      {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, kNoDevice, "the NVIDIA driver's library and kernel module are of one version",
       "restart the machine after an update of the driver"},
      {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, kNoDevice, "the GPU can be used with this driver", kUpdate},
      {CUDA_ERROR_NOT_INITIALIZED, kNoDevice, "the NVIDIA driver can be used here",
       "use the GPU in the process that opened it, not in a fork of it"},
      {CUDA_ERROR_DEINITIALIZED, kNoDevice, "the NVIDIA driver is there until the process ends", ""},
      {CUDA_ERROR_OPERATING_SYSTEM, kNoDevice, "the operating system lets the NVIDIA driver work",
       "see that this process may open the GPU's device files"},
      {CUDA_ERROR_OUT_OF_MEMORY, kInvalid, "the memory a run needs is there",
       "use smaller shapes, free memory of this process, or end others that use the GPU"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, kNoDevice, "the NVIDIA driver knows the version of the kernel's PTX",
       "update the NVIDIA driver, or compile for an older target"},
      {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, kNoDevice, "the NVIDIA driver has its PTX compiler",
       "install the driver's libnvidia-ptxjitcompiler, or load machine code (a cubin)"},
      {CUDA_ERROR_JIT_COMPILATION_DISABLED, kNoDevice, "the NVIDIA driver may compile PTX",
       "unset CUDA_DISABLE_PTX_JIT, or load machine code (a cubin)"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, kNoDevice, "the kernel's code runs on this GPU", "compile for this GPU's target"},
      {CUDA_ERROR_INVALID_SOURCE, kNoDevice, "the kernel's code runs on this GPU", "compile for this GPU's target"},
      {CUDA_ERROR_INVALID_PTX, kInternal, "the kernel's PTX is well formed", ""},
      {CUDA_ERROR_INVALID_IMAGE, kInternal, "the kernel's code is well formed", ""},
      {CUDA_ERROR_INVALID_CONTEXT, kInvalid, "the stream belongs to the device that runs this",
       "pass a stream of the same GPU"},
      {CUDA_ERROR_INVALID_HANDLE, kInvalid, "the stream is a live one of the device that runs this",
       "pass a stream of the same GPU that has not been destroyed"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, kInternal, "kernels access only memory that is theirs", kLost},
      {CUDA_ERROR_MISALIGNED_ADDRESS, kInternal, "kernels access memory at aligned addresses", kLost},
      {CUDA_ERROR_INVALID_ADDRESS_SPACE, kInternal, "kernels access each memory by its own instructions", kLost},
      {CUDA_ERROR_ILLEGAL_INSTRUCTION, kInternal, "kernels have no illegal instruction", kLost},
      {CUDA_ERROR_INVALID_PC, kInternal, "kernels run their own code", kLost},
      {CUDA_ERROR_HARDWARE_STACK_ERROR, kInternal, "kernels keep within their stack", kLost},
      {CUDA_ERROR_LAUNCH_FAILED, kInternal, "kernels end as they should", kLost},
      {CUDA_ERROR_LAUNCH_TIMEOUT, kInternal, "kernels end before the display's time limit", kLost},
      {CUDA_ERROR_ECC_UNCORRECTABLE, kInternal, "the GPU's memory is sound", kLost},
      {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, kInternal, "a launch fits in the GPU's registers and shared memory", ""},
      {CUDA_ERROR_INVALID_VALUE, kInternal, "the NVIDIA driver accepts what it is given", ""},
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, kInvalid, "a captured stream can record this", kCapture},
      {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, kInvalid, "the stream's capture is still valid", kCapture},
      {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, kInvalid, "the default stream is not used while another is captured",
       "pass the stream that is captured"},
      {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, kInvalid, "a captured stream waits only for work of its own capture",
       kCapture},
      {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, kInvalid, "a capture ends in the thread that began it", kCapture},
  };
  const auto *row = std::find_if(std::begin(rows), std::end(rows), [&](auto &r) { return r.result == result; });
  return row == std::end(rows) ? nullptr : row;
}

} // namespace

Error driverError(const DriverApi &api, CUresult result, const char *call, std::string_view what,
                  std::string_view facts) {
  static constexpr ResultRow unknown = {CUDA_ERROR_UNKNOWN, ErrorCode::Internal, "the NVIDIA driver does its work", ""};
  const ResultRow *found = rowOf(result);
  const ResultRow &row = found ? *found : unknown;
  const char *name = nullptr, *text = nullptr;
  api.getErrorName(result, &name);
  api.getErrorString(result, &text);
  return Error({.code = row.code,
                .op = std::string(what),
                .rule = row.rule,
                .found = fmt::format("{}: {} ({}), {}{}{}, driver for CUDA {}", call, name ? name : "unknown code",
                                     static_cast<int>(result), text ? text : "without a text",
                                     facts.empty() ? "" : "; ", facts, cudaVersionString(api.version)),
                .hint = row.hint});
}

} // namespace kiln::cuda
