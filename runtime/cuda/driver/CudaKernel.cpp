#include "runtime/cuda/driver/CudaKernel.h"

#include <array>
#include <fmt/format.h>

namespace kiln::cuda {
namespace {

/// PTX has room for 4352 bytes of parameters, and none takes less than 4.
constexpr size_t kMostArguments = 4352 / 4;
/// CTAs in y and z; in x there may be 2^31 - 1.
constexpr int64_t kMostInX = INT32_MAX, kMostInYZ = 65535;
/// Compute capability from which clusters and programmatic launches exist.
constexpr int kFirstWithClusters = 9;

int64_t product(const std::array<int32_t, 3> &sizes) { return int64_t(sizes[0]) * sizes[1] * sizes[2]; }

} // namespace

std::shared_ptr<const CudaKernel> CudaKernel::load(const ContextRef &context, const CodeImage &image) {
  const DriverApi &api = context->api;
  auto module = std::make_unique<Module>(context, image);
  CUfunction function = nullptr;
  CUresult found = api.moduleGetFunction(&function, module->handle(), image.symbol.c_str());
  if (found != CUDA_SUCCESS)
    throw driverError(api, found, "cuModuleGetFunction", image.symbol, "the entry is not in the code");
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    cuda::check(api, api.funcGetAttribute(&value, which, function), "cuFuncGetAttribute", image.symbol);
    return value;
  };
  KernelResources resources;
  resources.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources.localBytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources.staticSharedBytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  int most = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (image.threads < 1 || image.threads > most)
    throw Error({.code = ErrorCode::Internal,
                 .op = image.symbol,
                 .rule = "a CTA has as many threads as the kernel's registers allow",
                 .expected = fmt::format("1 to {}", most),
                 .found = fmt::format("{} threads, {} registers each", image.threads, resources.registers)});
  std::shared_ptr<CudaKernel> kernel(new CudaKernel(context, std::move(module), function, image, resources));
  kernel->countParameters();
  if (image.sharedBytes > 0) kernel->allowShared(image.sharedBytes);
  return kernel;
}

CudaKernel::CudaKernel(ContextRef context, std::unique_ptr<Module> module, CUfunction function, const CodeImage &image,
                       const KernelResources &resources)
    : LoadedKernel(image.symbol, resources), context(std::move(context)), module(std::move(module)), function(function),
      threads(image.threads) {}

void CudaKernel::countParameters() {
  auto info = context->api.funcGetParamInfo;
  parametersKnown = info != nullptr;
  size_t offset = 0, size = 0;
  while (info && parameters < kMostArguments && info(function, parameters, &offset, &size) == CUDA_SUCCESS)
    ++parameters;
}

void CudaKernel::allowShared(int64_t bytes) const {
  if (bytes <= allowed.load(std::memory_order_acquire)) return;
  std::lock_guard lock(allowing);
  if (bytes <= allowed.load(std::memory_order_relaxed)) return;
  int64_t most = context->gpu.sharedBytesPerCta - resources.staticSharedBytes;
  if (bytes > most)
    throw Error({.code = ErrorCode::NoDevice,
                 .op = symbol,
                 .rule = "the GPU has the shared memory that the kernel was compiled for",
                 .expected = fmt::format("at most {} bytes per CTA on {}", most, context->gpu.name),
                 .found = fmt::format("{} bytes", bytes),
                 .hint = "compile for this GPU's target"});
  cuda::check(
      context->api,
      context->api.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)),
      "cuFuncSetAttribute", symbol);
  allowed.store(bytes, std::memory_order_release);
}

std::string CudaKernel::describe(const LaunchConfig &config) const {
  return fmt::format("grid {} x {} x {}, cluster {} x {} x {}, {} threads of {} registers, {} + {} bytes shared",
                     config.grid[0], config.grid[1], config.grid[2], config.cluster[0], config.cluster[1],
                     config.cluster[2], threads, resources.registers, resources.staticSharedBytes, config.sharedBytes);
}

/// What the driver would not say, or would say in one word: a wrong number of arguments is undefined behaviour there.
void CudaKernel::demand(const LaunchConfig &config, size_t arguments) const {
  auto refuse = [&](const char *rule, std::string expected) {
    throw Error({.code = ErrorCode::Internal,
                 .op = symbol,
                 .rule = rule,
                 .expected = std::move(expected),
                 .found = fmt::format("{} arguments, {}, {} bytes of scratch", arguments, describe(config),
                                      config.scratchBytes)});
  };
  if (arguments > kMostArguments || (parametersKnown && arguments != parameters))
    refuse("a launch has the kernel's arguments", fmt::format("{} arguments", parameters));
  for (int d = 0; d < 3; ++d)
    if (config.grid[d] < 0 || config.grid[d] > (d == 0 ? kMostInX : kMostInYZ))
      refuse("a grid has the size a GPU can count to", fmt::format("{} x {} x {}", kMostInX, kMostInYZ, kMostInYZ));
  if (config.sharedBytes < 0 || config.scratchBytes != 0)
    refuse("a GPU's kernels have shared memory, and scratch by an argument", "no scratch in the launch");
  if (product(config.cluster) != 1 && context->gpu.major < kFirstWithClusters)
    refuse("the GPU has clusters", fmt::format("compute capability {}.0 or newer", kFirstWithClusters));
}

CUlaunchConfig CudaKernel::driverConfig(const LaunchConfig &config, CUstream stream,
                                        CUlaunchAttribute (&attributes)[2]) const {
  CUlaunchConfig launch{};
  launch.gridDimX = static_cast<unsigned>(config.grid[0]);
  launch.gridDimY = static_cast<unsigned>(config.grid[1]);
  launch.gridDimZ = static_cast<unsigned>(config.grid[2]);
  launch.blockDimX = static_cast<unsigned>(threads);
  launch.blockDimY = launch.blockDimZ = 1;
  launch.sharedMemBytes = static_cast<unsigned>(config.sharedBytes);
  launch.hStream = stream;
  launch.attrs = attributes;
  if (product(config.cluster) != 1) {
    CUlaunchAttribute &cluster = attributes[launch.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {static_cast<unsigned>(config.cluster[0]), static_cast<unsigned>(config.cluster[1]),
                                static_cast<unsigned>(config.cluster[2])};
  }
  if (config.pdl && context->gpu.major >= kFirstWithClusters) {
    CUlaunchAttribute &early = attributes[launch.numAttrs++];
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
  }
  return launch;
}

int64_t CudaKernel::residentCtas(const LaunchConfig &config) const {
  const std::array<int64_t, 4> key = {config.sharedBytes, config.cluster[0], config.cluster[1], config.cluster[2]};
  {
    std::lock_guard lock(allowing);
    if (auto known = resident.find(key); known != resident.end()) return known->second;
  }
  allowShared(config.sharedBytes);
  int count = 0;
  int64_t size = product(config.cluster), ctas = 0;
  if (size == 1) {
    cuda::check(
        context->api,
        context->api.occupancyMaxActiveBlocks(&count, function, threads, static_cast<size_t>(config.sharedBytes)),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor", symbol);
    ctas = int64_t(count) * context->gpu.multiprocessors;
  } else {
    LaunchConfig one = config;
    for (int d = 0; d < 3; ++d) one.grid[d] = config.cluster[d];
    demand(one, parameters);
    CUlaunchAttribute attributes[2];
    CUlaunchConfig launch = driverConfig(one, nullptr, attributes);
    cuda::check(context->api, context->api.occupancyMaxActiveClusters(&count, function, &launch),
                "cuOccupancyMaxActiveClusters", symbol);
    ctas = count * size;
  }
  if (ctas < 1)
    throw Error({.code = ErrorCode::NoDevice,
                 .op = symbol,
                 .rule = "the GPU has room for a CTA of the kernel, or for a cluster of them",
                 .found = describe(config),
                 .hint = "compile for this GPU's target"});
  std::lock_guard lock(allowing);
  return resident[key] = ctas;
}

void CudaKernel::launch(const LaunchConfig &config, std::span<const void *const> slots, CUstream stream) const {
  size_t arguments = slots.size() + config.tensorMaps.size();
  demand(config, arguments);
  if (config.grid[0] == 0 || config.grid[1] == 0 || config.grid[2] == 0) return;
  allowShared(config.sharedBytes);
  void *places[kMostArguments]; // not initialised on purpose: the driver reads as many as the kernel has
  size_t at = 0;
  for (const void *const &slot : slots) places[at++] = const_cast<void *>(static_cast<const void *>(&slot));
  for (const TensorMap &map : config.tensorMaps) places[at++] = const_cast<TensorMap *>(&map);

  CUlaunchAttribute attributes[2];
  CUlaunchConfig launch = driverConfig(config, stream, attributes);
  CUresult result = context->api.launchKernelEx(&launch, function, places, nullptr);
  if (result != CUDA_SUCCESS) throw driverError(context->api, result, "cuLaunchKernelEx", symbol, describe(config));
}

} // namespace kiln::cuda
