#include "ir/target/Gpu.h"

#include <algorithm>
#include <climits>

using namespace kiln;

std::span<const GpuTarget> kiln::gpuTargets() {
  // PTX versions are the oldest that know the target, so that old drivers do. The products: A100 80GB, A10, L40S, H200,
  // B200, RTX PRO 6000. L2: what microbenchmarks read; mma.sync on Hopper reaches 0.62 of wgmma's 4096.
  static const GpuTarget rows[] = {
      {"sm_80", 80, false, 78, 163 << 10, 164 << 10, 2048, 108, 2.0e12, 1.41e9, 4.5e12, 2048, 128},
      {"sm_86", 86, false, 78, 99 << 10, 100 << 10, 1536, 72, 0.6e12, 1.7e9, 2.0e12, 1024, 256},
      {"sm_89", 89, false, 78, 99 << 10, 100 << 10, 1536, 142, 0.86e12, 2.5e9, 4.0e12, 1024, 256},
      {"sm_90", 90, false, 80, 227 << 10, 228 << 10, 2048, 132, 4.8e12, 1.75e9, 5.5e12, 2560, 256},
      {"sm_90a", 90, true, 80, 227 << 10, 228 << 10, 2048, 132, 4.8e12, 1.75e9, 5.5e12, 2560, 256},
      {"sm_100", 100, false, 86, 227 << 10, 228 << 10, 2048, 148, 8.0e12, 1.85e9, 8.0e12, 2048, 256},
      {"sm_100a", 100, true, 86, 227 << 10, 228 << 10, 2048, 148, 8.0e12, 1.85e9, 8.0e12, 2048, 256},
      {"sm_120", 120, false, 87, 99 << 10, 100 << 10, 1536, 188, 1.8e12, 2.4e9, 6.0e12, 1024, 256},
      {"sm_120a", 120, true, 87, 99 << 10, 100 << 10, 1536, 188, 1.8e12, 2.4e9, 6.0e12, 1024, 256},
  };
  return rows;
}

const GpuTarget *kiln::findGpuTarget(std::string_view name) {
  for (const GpuTarget &row : gpuTargets())
    if (row.name == name) return &row;
  return nullptr;
}

const GpuTarget &kiln::plainGpuTarget(const GpuTarget &target) {
  if (!target.exactOnly) return target;
  for (const GpuTarget &row : gpuTargets())
    if (!row.exactOnly && row.capability == target.capability) return row;
  return target;
}

const GpuTarget *kiln::gpuTargetFor(int capability) {
  const GpuTarget *best = nullptr;
  for (const GpuTarget &row : gpuTargets())
    if (row.exactOnly ? row.capability == capability : row.capability <= capability) best = &row;
  return best;
}

bool kiln::has(const GpuTarget &target, GpuFeature feature) {
  struct FeatureRow {
    GpuFeature feature;
    int from, to; ///< capabilities
    bool exactOnly = false;
  };
  static constexpr FeatureRow rows[] = {{GpuFeature::None, 0, INT_MAX},
                                        {GpuFeature::BulkCopies, 90, INT_MAX},
                                        {GpuFeature::Wgmma, 90, 90, true},
                                        {GpuFeature::ByteFloats, 90, INT_MAX}}; // sm_89 has them too, in PTX 8.1
  return std::ranges::any_of(rows, [&](const FeatureRow &row) {
    return row.feature == feature && row.from <= target.capability && target.capability <= row.to &&
           (target.exactOnly || !row.exactOnly);
  });
}

const GpuTarget &kiln::firstWith(GpuFeature feature) {
  return *std::ranges::find_if(gpuTargets(), [&](const GpuTarget &row) { return has(row, feature); });
}
