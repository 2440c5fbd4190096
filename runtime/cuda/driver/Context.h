// One GPU's context as everything here holds it: the driver, the GPU's facts, and the primary context, which is
// retained while this lives and never reset.
#pragma once

#include "runtime/Device.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/driver/DriverApi.h"
#include "runtime/cuda/driver/DriverError.h"

#include <memory>

namespace kiln::cuda {

/// What the driver says of GPU `ordinal`. Throws Error.
CudaGpu describeGpu(const DriverApi &api, int ordinal);

class Context {
public:
  /// Retains the primary context of GPU `ordinal`; throws Error (no device) if there is none.
  Context(std::shared_ptr<const DriverApi> api, int ordinal);
  ~Context();
  Context(const Context &) = delete;

  const std::shared_ptr<const DriverApi> driver;
  const DriverApi &api;
  CudaGpu gpu;

  /// Throws Error unless `result` is success; `call` is the driver's function.
  void check(CUresult result, const char *call) const { cuda::check(api, result, call, gpu.name); }
  CUcontext handle() const { return context; }

private:
  CUdevice device = 0;
  CUcontext context = nullptr;
};
using ContextRef = std::shared_ptr<const Context>;

/// Makes a context the calling thread's while it lives. The caller's own, if it had another, is back afterwards.
class Current {
public:
  explicit Current(const Context &context) noexcept;
  ~Current();
  Current(const Current &) = delete;

  CUresult result = CUDA_SUCCESS;

private:
  const DriverApi &api;
  bool pushed = false;
};

/// The same, throwing Error if it fails.
class Enter {
public:
  explicit Enter(const Context &context) : current(context) { context.check(current.result, "cuCtxPushCurrent"); }

private:
  Current current;
};

/// Lets the calling thread allocate, load and query while some stream is captured: none of that is recorded, and Kiln's
/// use of it does not depend on what is.
class Relaxed {
public:
  explicit Relaxed(const Context &context) noexcept : api(context.api) { api.threadExchangeStreamCaptureMode(&mode); }
  ~Relaxed() { api.threadExchangeStreamCaptureMode(&mode); }
  Relaxed(const Relaxed &) = delete;

private:
  const DriverApi &api;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

inline CUstream native(Stream stream) { return static_cast<CUstream>(stream.native); }
inline CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

} // namespace kiln::cuda
