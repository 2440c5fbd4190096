// Makes machine code that was compiled elsewhere callable here: copies it to memory of its own, fills in the addresses
// it names, and makes that memory executable. Code is trusted as any program's is; what is around it (offsets, names)
// is not.
#pragma once

#include "runtime/KernelImage.h"

#include <span>
#include <string_view>

namespace kiln {

/// A function of the process that kernels may call.
struct HostImport {
  std::string_view name;
  void *address;
};

/// What code for old processors calls where newer ones have an instruction, and what a compiler may call anywhere. All
/// of them are exact, so that results do not depend on which it was.
std::span<const HostImport> hostImports();

/// Whether this machine has every instruction of the cpu target `target` ("avx512", "avx2", "sse2"); false for a name
/// that is no cpu target's.
bool hostRunsTarget(std::string_view target);

/// The kernel, ready to be called; its code lives as long as the result's keepAlive. Throws Error: no device if this
/// machine lacks the target's instructions, invalid input if an offset or a function's name is not sound, internal if
/// the system grants no executable memory.
HostKernelImage loadHostCode(const HostCodeImage &image);

} // namespace kiln
