//===- HostCpu.h - what the machine at hand can run ---------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_HOSTCPU_H
#define KILN_CODEGEN_CPU_HOSTCPU_H

#include "ir/target/Cpu.h"

#include <string>

namespace kiln::codegen {

/// The widest row of ir/target/Cpu.h whose instructions this machine has, with this machine's cache sizes.
CpuTarget detectHostCpu();

/// How LLVM names the processor that code for a target is made for.
struct CpuMachine {
  std::string triple;
  std::string cpu;      ///< "sapphirerapids", "x86-64-v3"
  std::string features; ///< "+avx512f,-avx512bf16,…"
  bool isHost;          ///< this machine can run the code
};

/// Which machines code is made for: the one at hand, with all it has, or every one that has the target's instructions.
/// The bits of results are the same.
enum class CodeFor { ThisMachine, AnyOfTarget };

/// The host itself for the host's own row, if code is for this machine; else the baseline of the row. Never with
/// avx512bf16, whose conversion flushes subnormals.
CpuMachine machineFor(const CpuTarget &target, CodeFor machines = CodeFor::ThisMachine);

} // namespace kiln::codegen

#endif
