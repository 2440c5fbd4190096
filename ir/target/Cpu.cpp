#include "ir/target/Cpu.h"

using namespace kiln;

std::span<const CpuTarget> kiln::cpuTargets() {
  // Cache sizes: the smallest of each instruction set's common server cores (Skylake-SP, Zen 2, any).
  static const CpuTarget rows[] = {
      {"avx512", 512, 32, 32 << 10, 1 << 20, 3e9, 12e9},
      {"avx2", 256, 16, 32 << 10, 512 << 10, 3e9, 12e9},
      {"sse2", 128, 16, 32 << 10, 256 << 10, 3e9, 12e9},
  };
  return rows;
}

const CpuTarget *kiln::findCpuTarget(std::string_view name) {
  for (const CpuTarget &row : cpuTargets())
    if (row.name == name) return &row;
  return nullptr;
}
