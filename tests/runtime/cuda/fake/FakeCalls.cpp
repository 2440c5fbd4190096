// The entry points: devices, contexts, memory, code. Each does what NVIDIA's does, as far as Kiln relies on it.
#include "tests/runtime/cuda/fake/FakeState.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace kiln::test;

namespace {

FakeState &state() { return FakeState::get(); }

/// Every context is its GPU's primary one: a pointer to one of these.
char contexts[16];

/// Whether a PTX compiler of this CUDA reads code that says `.version X.Y`; NVIDIA's release notes of PTX.
bool knowsPtx(int cuda, const char *code) {
  int major = 0, minor = 0;
  const char *at = std::strstr(code, ".version");
  if (!at || std::sscanf(at, ".version %d.%d", &major, &minor) != 2) return true; // machine code, or none at all
  static constexpr struct {
    int cuda, ptx; ///< 12040, 84
  } rows[] = {{11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
              {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}};
  int newest = 0;
  for (auto row : rows)
    if (row.cuda <= cuda) newest = row.ptx;
  return 10 * major + minor <= newest;
}

template <typename T> T *at(CUdeviceptr pointer) { return reinterpret_cast<T *>(pointer); }

} // namespace

// NOLINTBEGIN: names and signatures are the driver's
#define LOCK std::lock_guard guard(state().lock)
#define CALL(name)                                                                                                     \
  LOCK;                                                                                                                \
  if (CUresult failed = state().enter(#name)) return failed
#define CONTEXT_CALL(name)                                                                                             \
  LOCK;                                                                                                                \
  if (CUresult failed = state().enterContext(#name)) return failed
#define UNSAFE_CALL(name)                                                                                              \
  LOCK;                                                                                                                \
  if (CUresult failed = state().enterContext(#name, /*unsafeInCapture=*/true)) return failed

CUresult cuInit(unsigned) {
  CALL(cuInit);
  return state().gpus.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  LOCK;
  *version = state().version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **text) {
  static const std::map<int, const char *> names = {
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}};
  auto it = names.find(result);
  *text = it == names.end() ? nullptr : it->second;
  return it == names.end() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char **text) {
  *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
  CALL(cuDeviceGetCount);
  *count = static_cast<int>(state().gpus.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CALL(cuDeviceGet);
  if (ordinal < 0 || ordinal >= static_cast<int>(state().gpus.size())) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  CALL(cuDeviceGetName);
  std::strncpy(name, state().gpus[device].name.c_str(), length);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  CALL(cuDeviceTotalMem);
  *bytes = state().gpus[device].memoryBytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
  CALL(cuDeviceGetAttribute);
  const FakeGpu &gpu = state().gpus[device];
  const std::map<int, int> values = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu.major},
                                     {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu.minor},
                                     {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu.multiprocessors},
                                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, gpu.sharedBytesPerCta},
                                     {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024}};
  auto it = values.find(which);
  if (it == values.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = it->second;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  CALL(cuDevicePrimaryCtxRetain);
  *context = reinterpret_cast<CUcontext>(&contexts[device]);
  ++state().objects;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  LOCK;
  --state().objects;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  auto &stack = thisThread().contexts;
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  thisThread().contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  auto &stack = thisThread().contexts;
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  CONTEXT_CALL(cuMemGetInfo);
  *total = state().gpus[0].memoryBytes;
  *free = *total - state().liveBytes();
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  UNSAFE_CALL(cuMemAlloc);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > state().gpus[0].memoryBytes - state().liveBytes()) return CUDA_ERROR_OUT_OF_MEMORY;
  auto *memory = static_cast<char *>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(memory, 0xFF, bytes);
  state().memory[memory] = bytes;
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer) {
  UNSAFE_CALL(cuMemFree);
  state().drainAll(); // as NVIDIA's does
  auto it = state().memory.find(at<char>(pointer));
  if (it == state().memory.end()) {
    state().fault("memory freed that is not there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memset(it->first, 0xEE, it->second);
  std::free(it->first);
  state().memory.erase(it);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  CONTEXT_CALL(cuMemcpyHtoDAsync);
  std::vector<char> staged(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
  return state().give(stream, {.run = [=, staged = std::move(staged)] {
                        if (state().inside(at<void>(to), bytes, "a copy to"))
                          std::memcpy(at<void>(to), staged.data(), bytes);
                      }});
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  CONTEXT_CALL(cuMemcpyDtoHAsync);
  return state().give(stream, {.run = [=] {
                        if (state().inside(at<void>(from), bytes, "a copy from"))
                          std::memcpy(to, at<void>(from), bytes);
                      }});
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  CONTEXT_CALL(cuMemcpyDtoDAsync);
  return state().give(stream, {.run = [=] {
                        bool there = state().inside(at<void>(from), bytes, "a copy from");
                        if (there && state().inside(at<void>(to), bytes, "a copy to"))
                          std::memcpy(at<void>(to), at<void>(from), bytes);
                      }});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  CONTEXT_CALL(cuMemsetD8Async);
  return state().give(stream, {.run = [=] {
                        if (state().inside(at<void>(to), bytes, "a memset")) std::memset(at<void>(to), value, bytes);
                      }});
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *code, unsigned count, CUjit_option *options, void **values) {
  LOCK;
  CUresult failed = state().enterContext("cuModuleLoadDataEx", /*unsafeInCapture=*/true);
  if (failed != CUDA_SUCCESS) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char *>(values[i]), state().jitLog.c_str());
    return failed;
  }
  if (!knowsPtx(state().version, static_cast<const char *>(code))) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  *module = reinterpret_cast<CUmodule>(new Module{static_cast<const char *>(code)});
  ++state().objects;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  UNSAFE_CALL(cuModuleUnload);
  for (const auto &s : state().streams)
    if (!s->queue.empty()) state().fault("code unloaded while work is queued");
  delete reinterpret_cast<Module *>(module);
  --state().objects;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *symbol) {
  CONTEXT_CALL(cuModuleGetFunction);
  auto it = state().kernels.find(symbol);
  bool there = reinterpret_cast<Module *>(module)->code.find(symbol) != std::string::npos;
  if (it == state().kernels.end() || !there) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&it->second);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction) {
  CONTEXT_CALL(cuFuncGetAttribute);
  const std::map<int, int> values = {{CU_FUNC_ATTRIBUTE_NUM_REGS, 40},
                                     {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 16},
                                     {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 64},
                                     {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 768}};
  auto it = values.find(which);
  if (it == values.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = it->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  CONTEXT_CALL(cuFuncSetAttribute);
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Function *>(function)->sharedAllowed = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  LOCK;
  const std::vector<size_t> &sizes = reinterpret_cast<Function *>(function)->sizes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *size = sizes[index];
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, CUfunction function, int, size_t sharedBytes) {
  CONTEXT_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  // A kernel that may not have so much has no room at all, as with NVIDIA's.
  *ctas = int(sharedBytes) <= reinterpret_cast<Function *>(function)->sharedAllowed ? state().room : 0;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction, const CUlaunchConfig *c) {
  CONTEXT_CALL(cuOccupancyMaxActiveClusters);
  unsigned size = 0;
  for (unsigned i = 0; i < c->numAttrs; ++i)
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      size = c->attrs[i].value.clusterDim.x * c->attrs[i].value.clusterDim.y * c->attrs[i].value.clusterDim.z;
  if (size == 0 || c->gridDimX % size != 0) return CUDA_ERROR_INVALID_VALUE;
  // Some SMs are left over: no cluster crosses the groups of SMs that share a network.
  *clusters = state().room * int((state().gpus[0].multiprocessors - 12) / size);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                                const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill) {
  CONTEXT_CALL(cuTensorMapEncodeTiled);
  bool fits = rank >= 1 && rank <= 5 && reinterpret_cast<uintptr_t>(base) % 16 == 0 && interleave == 0;
  for (cuuint32_t d = 0; fits && d < rank; ++d)
    fits = extents[d] >= 1 && box[d] >= 1 && box[d] <= 256 && steps[d] == 1 && (d + 1 == rank || strides[d] % 16 == 0);
  if (!fits) return CUDA_ERROR_INVALID_VALUE;
  FakeTensorMap made{base, type, rank, swizzle, l2, {}, {}, {}};
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (d < 3) made.extents[d] = extents[d];
    if (d < 2 && d + 1 < rank) made.strides[d] = strides[d];
    made.box[d] = box[d];
  }
  std::memset(map, 0, sizeof *map);
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction handle, void **parameters, void **) {
  if (state().slowLaunches) std::this_thread::sleep_for(std::chrono::microseconds(20)); // others get their turn
  CONTEXT_CALL(cuLaunchKernelEx);
  if (state().dropLaunches) return CUDA_SUCCESS;
  auto *function = reinterpret_cast<Function *>(handle);
  FakeLaunch launch{function->symbol,
                    {c->gridDimX, c->gridDimY, c->gridDimZ},
                    {c->blockDimX, c->blockDimY, c->blockDimZ},
                    {1, 1, 1},
                    c->sharedMemBytes,
                    false};
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const CUlaunchAttribute &a = c->attrs[i];
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster[0] = a.value.clusterDim.x, launch.cluster[1] = a.value.clusterDim.y,
      launch.cluster[2] = a.value.clusterDim.z;
    launch.pdl |= a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  }
  unsigned threads = c->blockDimX * c->blockDimY * c->blockDimZ;
  bool fits = threads >= 1 && threads <= 768 && int(c->sharedMemBytes) <= function->sharedAllowed;
  for (int d = 0; d < 3; ++d)
    fits &= launch.grid[d] >= 1 && (d == 0 || launch.grid[d] <= 65535) && launch.grid[d] % launch.cluster[d] == 0;
  if (!fits) return CUDA_ERROR_INVALID_VALUE;
  state().launched.push_back(launch);
  // Parameters are copied now; the kernel runs later.
  auto values = std::make_shared<std::vector<std::vector<char>>>();
  for (size_t i = 0; i < function->sizes.size(); ++i) {
    auto *bytes = static_cast<const char *>(parameters[i]);
    values->emplace_back(bytes, bytes + function->sizes[i]);
  }
  return state().give(c->hStream, {.run = [=] {
                        std::vector<void *> places;
                        for (auto &value : *values) places.push_back(value.data());
                        function->kernel(places.data(), launch.grid);
                      }});
}
// NOLINTEND
