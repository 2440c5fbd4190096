//===- Cpu.h - what skeletons and codegen know of a CPU ----------------------------------------------------------===//
//
// Facts about host CPUs, data only. A target is an instruction set's row with cache sizes that are usual for it, by
// which tiling decides, so that code never depends on the machine that compiles it. Nothing here looks at the machine.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TARGET_CPU_H
#define KILN_IR_TARGET_CPU_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln {

/// One CPU target: what decides fragment widths and tile sizes.
struct CpuTarget {
  std::string name;    ///< the row's name: "avx512", "avx2", "sse2"
  int vectorBits;      ///< bits of a native vector register
  int vectorRegisters; ///< architectural vector registers
  int64_t l1Bytes;     ///< first-level data cache of one core, bytes; of the machine where detectHostCpu filled it in
  int64_t l2Bytes;     ///< second-level cache of one core, bytes; as l1Bytes
  double clock;        ///< of a core under load, Hz
  double bandwidth;    ///< of memory for one core where all are busy, bytes a second

  /// Lanes of one native vector of elements of `elementBytes` bytes.
  int lanes(int elementBytes = 4) const { return vectorBits / (8 * elementBytes); }
};

/// The rows, widest vectors first; the last runs on every x86-64 CPU.
std::span<const CpuTarget> cpuTargets();
/// The row of that name, or null.
const CpuTarget *findCpuTarget(std::string_view name);

} // namespace kiln

#endif
