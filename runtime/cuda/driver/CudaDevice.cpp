#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/driver/CudaKernel.h"
#include "runtime/cuda/driver/CudaStream.h"
#include "runtime/cuda/driver/CudaTensorMap.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <typeinfo>

namespace kiln {
namespace cuda {
namespace {

/// Accesses of up to so many bytes are what kernels are made of.
constexpr size_t kPointerAlignment = 16;
/// Memory is asked for in multiples of so many bytes, as the driver keeps it: kernels read whole words.
constexpr size_t kAllocationUnit = 256;

/// Bytes to ask the driver for; a size that no memory has stays as it is, and is refused there.
size_t wholeUnits(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() - kAllocationUnit) return bytes;
  return (std::max<size_t>(bytes, 1) + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
}

class CudaDevice : public Device {
public:
  CudaDevice(ContextRef given, const CudaDeviceOptions &options)
      : context(std::move(given)), api(context->api), checkLaunches(options.checkLaunches) {
    if (options.poisonMemory) poisoning = std::make_unique<CudaStream>(context);
  }

  std::string name() const override { return context->gpu.name; }
  bool sharesHostMemory() const override { return false; }
  size_t pointerAlignment() const override { return kPointerAlignment; }

  DeviceBuffer allocate(size_t bytes) override;

  void copyIn(void *device, const void *host, size_t bytes, Stream stream) override {
    if (bytes == 0) return;
    Enter current(*context);
    context->check(api.memcpyHtoDAsync(address(device), host, bytes, native(stream)), "cuMemcpyHtoDAsync");
  }
  void copyOut(void *host, const void *device, size_t bytes, Stream stream) override {
    if (bytes == 0) return;
    Enter current(*context);
    context->check(api.memcpyDtoHAsync(host, address(device), bytes, native(stream)), "cuMemcpyDtoHAsync");
  }
  void copy(void *to, const void *from, size_t bytes, Stream stream) override {
    if (bytes == 0 || to == from) return;
    Enter current(*context);
    context->check(api.memcpyDtoDAsync(address(to), address(from), bytes, native(stream)), "cuMemcpyDtoDAsync");
  }
  void memset(void *device, uint8_t value, size_t bytes, Stream stream) override {
    if (bytes == 0) return;
    Enter current(*context);
    context->check(api.memsetD8Async(address(device), value, bytes, native(stream)), "cuMemsetD8Async");
  }

  KernelHandle load(const KernelImage &image) override;
  void launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
              Stream stream) override;
  TensorMap encodeTensorMap(const TensorMapRecipe &recipe, const void *base) override {
    Enter current(*context);
    return cuda::encodeTensorMap(*context, recipe, base);
  }
  int64_t residentCtas(const LoadedKernel &kernel, const LaunchConfig &config) override {
    Enter current(*context);
    Relaxed relaxed(*context);
    return ours(kernel).residentCtas(config);
  }
  void synchronize(Stream stream) override {
    Enter current(*context);
    Relaxed relaxed(*context);
    context->check(api.streamSynchronize(native(stream)), "cuStreamSynchronize");
  }

  std::unique_ptr<TimeMark> mark(Stream stream) override { return std::make_unique<CudaMark>(context, stream); }
  double secondsBetween(const TimeMark &from, const TimeMark &to) override {
    return dynamic_cast<const CudaMark &>(from).secondsTo(dynamic_cast<const CudaMark &>(to));
  }

  std::unique_ptr<Fence> makeFence() override { return std::make_unique<CudaFence>(context); }
  std::unique_ptr<DeviceGraph> recordGraph(const std::function<void(Stream)> &enqueue) override {
    return std::make_unique<CudaGraph>(context, enqueue);
  }
  uint64_t recordingOf(Stream stream) override;
  uint64_t identityOf(Stream stream) override;
  std::unique_ptr<OwnedStream> makeStream() override { return std::make_unique<CudaStream>(context); }

protected:
  void release(void *pointer, size_t) noexcept override {
    Current current(*context);
    Relaxed relaxed(*context);
    api.memFree(
        address(pointer)); // waits for work that uses it; after a failure of the device there is no more of that
  }

private:
  /// A kernel that this loaded; throws Error on any other.
  const CudaKernel &ours(const LoadedKernel &kernel) const {
    if (typeid(kernel) == typeid(CudaKernel) && static_cast<const CudaKernel &>(kernel).owner() == context.get())
      return static_cast<const CudaKernel &>(kernel);
    throw Error({.code = ErrorCode::Internal, .op = kernel.symbol, .rule = "a GPU launches kernels it has loaded"});
  }

  const ContextRef context;
  const DriverApi &api;
  const bool checkLaunches;
  std::unique_ptr<CudaStream> poisoning; ///< where fresh memory is filled; null if it is not
};

DeviceBuffer CudaDevice::allocate(size_t bytes) {
  Enter current(*context);
  Relaxed relaxed(*context);
  CUdeviceptr memory = 0;
  size_t whole = wholeUnits(bytes);
  CUresult result = api.memAlloc(&memory, whole);
  if (result != CUDA_SUCCESS) {
    size_t free = 0, total = 0;
    api.memGetInfo(&free, &total);
    throw driverError(api, result, "cuMemAlloc", context->gpu.name,
                      fmt::format("{} bytes asked for, {} of {} free", bytes, free, total));
  }
  DeviceBuffer buffer(shared_from_this(), reinterpret_cast<void *>(memory), bytes);
  if (poisoning) {
    memset(buffer.data(), 0xFF, whole, poisoning->stream);
    synchronize(poisoning->stream);
  }
  return buffer;
}

KernelHandle CudaDevice::load(const KernelImage &image) {
  const auto *code = std::get_if<CodeImage>(&image);
  if (!code)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = symbolOf(image),
                 .rule = "a GPU runs kernels made for GPUs",
                 .expected = "PTX or machine code",
                 .found = "a function of this process"});
  Enter current(*context);
  Relaxed relaxed(*context);
  return CudaKernel::load(context, *code);
}

void CudaDevice::launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
                        Stream stream) {
  const CudaKernel &loaded = ours(kernel);
  Enter current(*context);
  loaded.launch(config, slots, native(stream));
  if (checkLaunches && recordingOf(stream) == 0)
    cuda::check(api, api.streamSynchronize(native(stream)), "cuStreamSynchronize", kernel.symbol);
}

uint64_t CudaDevice::recordingOf(Stream stream) {
  Enter current(*context);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  context->check(api.streamGetCaptureInfo(native(stream), &status, &id), "cuStreamGetCaptureInfo");
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    throw driverError(api, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "cuStreamGetCaptureInfo", context->gpu.name);
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? id + 1 : 0;
}

uint64_t CudaDevice::identityOf(Stream stream) {
  if (!api.streamGetId) return 0;
  Enter current(*context);
  unsigned long long id = 0;
  context->check(api.streamGetId(native(stream), &id), "cuStreamGetId");
  return id + 1;
}

} // namespace
} // namespace cuda

std::shared_ptr<Device> makeCudaDevice(const CudaDeviceOptions &options) {
  auto context = std::make_shared<const cuda::Context>(cuda::openDriver(options.driver), options.ordinal);
  return std::make_shared<cuda::CudaDevice>(std::move(context), options);
}

} // namespace kiln
