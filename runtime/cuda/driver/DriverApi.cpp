#include "runtime/cuda/driver/DriverApi.h"
#include "kiln/Error.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/driver/DriverError.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace kiln::cuda {
namespace {

/// The row of a function whose type is its place's.
template <typename Function> Entry row(const char *symbol, Function &place, bool optional = false) {
  return {symbol, reinterpret_cast<void **>(&place), optional};
}

[[noreturn]] void refuse(std::string expected, std::string found, std::string hint) {
  throw Error({.code = ErrorCode::NoDevice,
               .op = "cuda",
               .rule = "an NVIDIA driver that Kiln can use is there",
               .expected = std::move(expected),
               .found = std::move(found),
               .hint = std::move(hint)});
}

/// What dlerror() says, or what stands for it.
std::string loaderError() {
  const char *text = ::dlerror();
  return text ? text : "no reason given";
}

} // namespace

std::vector<Entry> entries(DriverApi &api) {
  return {
      row("cuInit", api.init),
      row("cuDriverGetVersion", api.driverGetVersion),
      row("cuGetErrorName", api.getErrorName),
      row("cuGetErrorString", api.getErrorString),
      row("cuDeviceGetCount", api.deviceGetCount),
      row("cuDeviceGet", api.deviceGet),
      row("cuDeviceGetName", api.deviceGetName),
      row("cuDeviceTotalMem_v2", api.deviceTotalMem),
      row("cuDeviceGetAttribute", api.deviceGetAttribute),
      row("cuDevicePrimaryCtxRetain", api.primaryCtxRetain),
      row("cuDevicePrimaryCtxRelease_v2", api.primaryCtxRelease),
      row("cuCtxGetCurrent", api.ctxGetCurrent),
      row("cuCtxPushCurrent_v2", api.ctxPushCurrent),
      row("cuCtxPopCurrent_v2", api.ctxPopCurrent),
      row("cuMemGetInfo_v2", api.memGetInfo),
      row("cuMemAlloc_v2", api.memAlloc),
      row("cuMemFree_v2", api.memFree),
      row("cuMemcpyHtoDAsync_v2", api.memcpyHtoDAsync),
      row("cuMemcpyDtoHAsync_v2", api.memcpyDtoHAsync),
      row("cuMemcpyDtoDAsync_v2", api.memcpyDtoDAsync),
      row("cuMemsetD8Async", api.memsetD8Async),
      row("cuModuleLoadDataEx", api.moduleLoadDataEx),
      row("cuModuleUnload", api.moduleUnload),
      row("cuModuleGetFunction", api.moduleGetFunction),
      row("cuFuncGetAttribute", api.funcGetAttribute),
      row("cuFuncSetAttribute", api.funcSetAttribute),
      row("cuFuncGetParamInfo", api.funcGetParamInfo, /*optional=*/true),         // since 12.4
      row("cuLaunchKernelEx", api.launchKernelEx),                                // since 11.8
      row("cuTensorMapEncodeTiled", api.tensorMapEncodeTiled, /*optional=*/true), // since 12.0
      row("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.occupancyMaxActiveBlocks),
      row("cuOccupancyMaxActiveClusters", api.occupancyMaxActiveClusters),
      row("cuStreamCreate", api.streamCreate),
      row("cuStreamDestroy_v2", api.streamDestroy),
      row("cuStreamSynchronize", api.streamSynchronize),
      row("cuStreamWaitEvent", api.streamWaitEvent),
      row("cuStreamBeginCapture_v2", api.streamBeginCapture),
      row("cuStreamEndCapture", api.streamEndCapture),
      row("cuStreamGetCaptureInfo", api.streamGetCaptureInfo),
      row("cuStreamGetId", api.streamGetId, /*optional=*/true), // since 12.0
      row("cuThreadExchangeStreamCaptureMode", api.threadExchangeStreamCaptureMode),
      row("cuEventCreate", api.eventCreate),
      row("cuEventDestroy_v2", api.eventDestroy),
      row("cuEventRecord", api.eventRecord),
      row("cuEventQuery", api.eventQuery),
      row("cuEventSynchronize", api.eventSynchronize),
      row("cuEventElapsedTime", api.eventElapsedTime),
      row("cuGraphInstantiateWithFlags", api.graphInstantiate),
      row("cuGraphLaunch", api.graphLaunch),
      row("cuGraphDestroy", api.graphDestroy),
      row("cuGraphExecDestroy", api.graphExecDestroy),
  };
}

std::shared_ptr<const DriverApi> openDriver(const std::string &library) {
  // Never closed: the driver has threads of its own, and other libraries of the process use it.
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) refuse("", loaderError(), "install NVIDIA's driver, or use the device cpu");
  auto api = std::make_shared<DriverApi>();
  const Entry *missing = nullptr;
  const std::vector<Entry> rows = entries(*api);
  for (const Entry &entry : rows) {
    *entry.address = ::dlsym(handle, entry.symbol);
    if (!*entry.address && !entry.optional && !missing) missing = &entry;
  }
  if (api->driverGetVersion) api->driverGetVersion(&api->version);
  if (missing)
    refuse(fmt::format("a driver for CUDA 11.8 or newer, with {}", missing->symbol),
           api->version ? "a driver for CUDA " + cudaVersionString(api->version) : library + ", without that function",
           "update the NVIDIA driver, or use the device cpu");
  if (CUresult result = api->init(0); result != CUDA_SUCCESS) throw driverError(*api, result, "cuInit");
  return api;
}

} // namespace kiln::cuda
