// Which code runs on which GPU: rules of NVIDIA's compatibility, without a driver.
#include "runtime/cuda/CudaDevice.h"

#include <charconv>
#include <fmt/format.h>

namespace kiln {

std::string cudaVersionString(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

bool cudaRuns(std::string_view target, CodeImage::Format format, int major, int minor) {
  constexpr std::string_view prefix = "sm_";
  if (!target.starts_with(prefix)) return false;
  int made = 0;
  const char *end = target.data() + target.size();
  auto [rest, error] = std::from_chars(target.data() + prefix.size(), end, made);
  std::string_view suffix(rest, static_cast<size_t>(end - rest));
  if (error != std::errc() || made < 10) return false;
  int has = major * 10 + minor;
  if (suffix == "a") return made == has;                       // this chip alone
  if (suffix == "f") return made / 10 == major && made <= has; // its family
  if (!suffix.empty()) return false;
  return made <= has && (format == CodeImage::Format::Ptx || made / 10 == major);
}

} // namespace kiln
