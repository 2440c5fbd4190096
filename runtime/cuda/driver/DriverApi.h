// The driver's functions that Kiln calls, by their names in the library. Each row of the table names one and the place
// its address goes to; the names are those of the oldest variant that does what is needed, so that old drivers serve.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <memory>
#include <string>
#include <vector>

namespace kiln::cuda {

/// Addresses in the driver's library. All are there once openDriver() has returned, but those marked optional, which
/// are null with older drivers.
struct DriverApi {
  PFN_cuInit_v2000 init;
  PFN_cuDriverGetVersion_v2020 driverGetVersion;
  PFN_cuGetErrorName_v6000 getErrorName;
  PFN_cuGetErrorString_v6000 getErrorString;

  PFN_cuDeviceGetCount_v2000 deviceGetCount;
  PFN_cuDeviceGet_v2000 deviceGet;
  PFN_cuDeviceGetName_v2000 deviceGetName;
  PFN_cuDeviceTotalMem_v3020 deviceTotalMem;
  PFN_cuDeviceGetAttribute_v2000 deviceGetAttribute;

  PFN_cuDevicePrimaryCtxRetain_v7000 primaryCtxRetain;
  PFN_cuDevicePrimaryCtxRelease_v11000 primaryCtxRelease;
  PFN_cuCtxGetCurrent_v4000 ctxGetCurrent;
  PFN_cuCtxPushCurrent_v4000 ctxPushCurrent;
  PFN_cuCtxPopCurrent_v4000 ctxPopCurrent;

  PFN_cuMemGetInfo_v3020 memGetInfo;
  PFN_cuMemAlloc_v3020 memAlloc;
  PFN_cuMemFree_v3020 memFree;
  PFN_cuMemcpyHtoDAsync_v3020 memcpyHtoDAsync;
  PFN_cuMemcpyDtoHAsync_v3020 memcpyDtoHAsync;
  PFN_cuMemcpyDtoDAsync_v3020 memcpyDtoDAsync;
  PFN_cuMemsetD8Async_v3020 memsetD8Async;

  PFN_cuModuleLoadDataEx_v2010 moduleLoadDataEx;
  PFN_cuModuleUnload_v2000 moduleUnload;
  PFN_cuModuleGetFunction_v2000 moduleGetFunction;
  PFN_cuFuncGetAttribute_v2020 funcGetAttribute;
  PFN_cuFuncSetAttribute_v9000 funcSetAttribute;
  PFN_cuFuncGetParamInfo_v12040 funcGetParamInfo; ///< optional
  PFN_cuLaunchKernelEx_v11060 launchKernelEx;

  PFN_cuTensorMapEncodeTiled_v12000 tensorMapEncodeTiled; ///< optional
  PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 occupancyMaxActiveBlocks;
  PFN_cuOccupancyMaxActiveClusters_v11070 occupancyMaxActiveClusters;

  PFN_cuStreamCreate_v2000 streamCreate;
  PFN_cuStreamDestroy_v4000 streamDestroy;
  PFN_cuStreamSynchronize_v2000 streamSynchronize;
  PFN_cuStreamWaitEvent_v3020 streamWaitEvent;
  PFN_cuStreamBeginCapture_v10010 streamBeginCapture;
  PFN_cuStreamEndCapture_v10000 streamEndCapture;
  PFN_cuStreamGetCaptureInfo_v10010 streamGetCaptureInfo;
  PFN_cuStreamGetId_v12000 streamGetId; ///< optional
  PFN_cuThreadExchangeStreamCaptureMode_v10010 threadExchangeStreamCaptureMode;

  PFN_cuEventCreate_v2000 eventCreate;
  PFN_cuEventDestroy_v4000 eventDestroy;
  PFN_cuEventRecord_v2000 eventRecord;
  PFN_cuEventQuery_v2000 eventQuery;
  PFN_cuEventSynchronize_v2000 eventSynchronize;
  PFN_cuEventElapsedTime_v2000 eventElapsedTime;

  PFN_cuGraphInstantiateWithFlags_v11040 graphInstantiate;
  PFN_cuGraphLaunch_v10000 graphLaunch;
  PFN_cuGraphDestroy_v10000 graphDestroy;
  PFN_cuGraphExecDestroy_v10000 graphExecDestroy;

  int version = 0; ///< the newest CUDA the driver knows: 12080 is 12.8
};

/// One row: a name in the library and where its address goes.
struct Entry {
  const char *symbol;
  void **address;
  bool optional;
};

/// Every row, for `api`.
std::vector<Entry> entries(DriverApi &api);

/// Opens and initialises the driver. Throws Error (no device) if the library is not there, lacks a function, or finds
/// no GPU; the library then stays open, as it does after success.
std::shared_ptr<const DriverApi> openDriver(const std::string &library);

} // namespace kiln::cuda
