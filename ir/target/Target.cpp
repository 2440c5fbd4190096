#include "ir/target/Target.h"
#include "runtime/Nearest.h"

#include <charconv>

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

/// 75 of "sm_75" and "sm_75a"; nothing of other words.
static std::optional<int> capabilityIn(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (!name.starts_with(prefix)) return std::nullopt;
  int capability = 0;
  const char *end = name.data() + name.size();
  auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, capability);
  bool known = rest == end || (rest + 1 == end && (*rest == 'a' || *rest == 'f'));
  return error == std::errc() && known ? std::optional(capability) : std::nullopt;
}

std::string kiln::nearestTarget(std::string_view name) {
  std::string nearest = nearestName(name, targetNames());
  if (std::optional<int> capability = capabilityIn(name)) {
    const GpuTarget &oldest = gpuTargets().front();
    if (*capability < oldest.capability)
      return "the nearest is `" + oldest.name + "`, the oldest that code is made for";
    nearest = plainGpuTarget(*gpuTargetFor(*capability)).name;
  }
  return "the nearest is `" + nearest + "`";
}
