#include "compiler/Devices.h"

#include "codegen/cpu/HostCpu.h"
#include "ir/target/Target.h"

#include <fmt/format.h>
#include <thread>

using namespace kiln;

DeviceInfo kiln::describeCpu() {
  CpuTarget host = codegen::detectHostCpu();
  DeviceInfo cpu{.name = "cpu",
                 .present = true,
                 .detail = fmt::format(
                     "{} ({}), {} hardware threads, L1 {} KB, L2 {} KB", codegen::machineFor(host).cpu, host.name,
                     std::max(1u, std::thread::hardware_concurrency()), host.l1Bytes / 1024, host.l2Bytes / 1024)};
  for (const CpuTarget &target : cpuTargets())
    if (codegen::machineFor(target).isHost) cpu.targets.push_back(target.name);
  return cpu;
}

DeviceInfo kiln::describeCuda(const CudaInventory &inventory) {
  DeviceInfo cuda{.name = "cuda", .present = !inventory.gpus.empty(), .detail = inventory.absent};
  if (inventory.driverVersion) cuda.driver = cudaVersionString(inventory.driverVersion);
  if (!cuda.present) return cuda;
  cuda.detail = fmt::format("{} GPU{}, driver for CUDA {}", inventory.gpus.size(),
                            inventory.gpus.size() == 1 ? "" : "s", cuda.driver);
  for (const CudaGpu &gpu : inventory.gpus)
    cuda.gpus.push_back({.ordinal = gpu.ordinal,
                         .name = gpu.name,
                         .capability = fmt::format("{}.{}", gpu.major, gpu.minor),
                         .multiprocessors = gpu.multiprocessors,
                         .memoryBytes = gpu.memoryBytes});
  const CudaGpu &first = inventory.gpus.front();
  for (const GpuTarget &target : gpuTargets())
    if (cudaRuns(target.name, CodeImage::Format::Ptx, first.major, first.minor))
      cuda.targets.insert(cuda.targets.begin(), target.name); // rows are oldest first
  return cuda;
}

std::vector<DeviceInfo> kiln::devices() { return {describeCpu(), describeCuda(cudaInventory())}; }
