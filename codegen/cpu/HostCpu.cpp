#include "codegen/cpu/HostCpu.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <unistd.h>

using namespace kiln;
using namespace kiln::codegen;

namespace {

/// What each row of cpuTargets() needs, and the processor that has that and no more.
struct Baseline {
  llvm::StringRef target;
  llvm::StringRef cpu;
  std::initializer_list<llvm::StringRef> needs;
};

const Baseline &baselineOf(llvm::StringRef target) {
  static const Baseline rows[] = {
      {"avx512", "x86-64-v4", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma"}},
      {"avx2", "x86-64-v3", {"avx2", "fma"}},
      {"sse2", "x86-64", {"sse2"}},
  };
  for (const Baseline &row : rows)
    if (row.target == target) return row;
  return rows[2];
}

bool hostRuns(llvm::StringRef target) {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return llvm::all_of(baselineOf(target).needs, [](llvm::StringRef need) { return features.lookup(need); });
}

/// sysconf's figure, or the row's where the system does not say.
int64_t cacheBytes(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

const CpuTarget &widestRow() {
  for (const CpuTarget &row : cpuTargets())
    if (hostRuns(row.name)) return row;
  return cpuTargets().back();
}

} // namespace

CpuTarget kiln::codegen::detectHostCpu() {
  CpuTarget target = widestRow();
  target.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, target.l1Bytes);
  target.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, target.l2Bytes);
  return target;
}

CpuMachine kiln::codegen::machineFor(const CpuTarget &target, CodeFor machines) {
  CpuMachine machine{llvm::sys::getProcessTriple(), baselineOf(target.name).cpu.str(), "", hostRuns(target.name)};
  if (machines == CodeFor::AnyOfTarget || target.name != widestRow().name) return machine;
  machine.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second && feature.first() != "avx512bf16");
  machine.features = features.getString();
  return machine;
}
