//===- Gpu.h - what skeletons and codegen know of a gpu ----------------------------------------------------------===//
//
// Facts about NVIDIA GPUs, data only: one row per compute capability whose code differs, and one more, with an "a",
// where it has instructions that no later one has. Only kernels with such instructions are made for the "a" target
// itself. Nothing here looks at the machine; the runtime says which row runs on the GPU at hand.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TARGET_GPU_H
#define KILN_IR_TARGET_GPU_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln {

/// No launch has more CTAs, on any gpu.
inline constexpr int64_t kMostCtas = (int64_t(1) << 31) - 1;

/// One gpu target. Sources: the CUDA programming guide's table of compute capabilities; products' data sheets.
struct GpuTarget {
  std::string name;    ///< "sm_80"
  int capability;      ///< 10 · major + minor: what the driver reports of a device
  bool exactOnly;      ///< "a" targets: code may have instructions of this capability alone, and then runs on no other
  int ptxVersion;      ///< of the PTX it is given, 10 · major + minor
  int64_t sharedBytes; ///< most shared memory of one CTA
  int64_t sharedBytesOfSm;
  int threadsOfSm;    ///< most resident threads of an SM
  int sms;            ///< of the product that tiling has in mind
  double bandwidth;   ///< of its memory, bytes a second
  double clock;       ///< of its SMs under load, Hz
  double l2Bandwidth; ///< that all SMs together read from L2, bytes a second
  double mmaFlops;    ///< of an SM and clock, through mma.sync on 16-bit operands with f32 sums
  double fmaFlops;    ///< of an SM and clock, f32
};

/// What only some targets have.
enum class GpuFeature {
  None,       ///< every target does
  BulkCopies, ///< barriers that count bytes, the copies that signal them, clusters, matrix stores, dependent launches
  Wgmma,      ///< warpgroups: products from shared memory, registers that move between them
  ByteFloats, ///< conversions to and from floats of 8 bits
};

/// The rows, oldest first, an "a" row behind the plain one of its capability.
std::span<const GpuTarget> gpuTargets();
/// The row of that name, or null.
const GpuTarget *findGpuTarget(std::string_view name);
/// The row that the code of an "a" row is made for where it has none of its own instructions; of a plain row, itself.
const GpuTarget &plainGpuTarget(const GpuTarget &target);
/// The best row whose code runs on a device of this capability; null if it is older than all.
const GpuTarget *gpuTargetFor(int capability);
/// Whether a target has a feature.
bool has(const GpuTarget &target, GpuFeature feature);
/// The oldest target that has a feature.
const GpuTarget &firstWith(GpuFeature feature);

} // namespace kiln

#endif
