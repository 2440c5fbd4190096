#include "ir/target/Target.h"

using namespace kiln;

std::optional<Target> kiln::findTarget(std::string_view name) {
  if (const CpuTarget *cpu = findCpuTarget(name)) return Target(*cpu);
  if (const GpuTarget *gpu = findGpuTarget(name)) return Target(*gpu);
  return std::nullopt;
}

std::vector<std::string> kiln::targetNames() {
  std::vector<std::string> names;
  for (const CpuTarget &row : cpuTargets()) names.push_back(row.name);
  for (const GpuTarget &row : gpuTargets()) names.push_back(row.name);
  return names;
}
