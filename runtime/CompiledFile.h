// The one file that compiling writes: a launch plan, its kernels as bytes, its constants. Whoever has the runtime can
// run it; no LLVM is needed, no compiler either.
//
// Layout: 8 bytes of magic, a version (u32), 4 zero bytes, the header's length (u64), a checksum of all that follows
// (u64, FNV-1a), the header (JSON), then sections at multiples of 64 bytes, which the header names by offset from the
// first one. Numbers are little-endian. A reader takes exactly its own version. Code in a file is trusted as a
// program's is: the checksum finds damage, not malice.
#pragma once

#include "runtime/KernelImage.h"
#include "runtime/LaunchPlan.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kiln {

/// The version of the layout and of the header's fields.
inline constexpr uint32_t kCompiledFileVersion = 1;

/// What a file holds.
struct CompiledGraph {
  std::string kiln;                 ///< the version of Kiln that compiled it
  std::string device;               ///< what runs it: "cpu", "cuda"
  LaunchPlan plan;                  ///< constants included
  std::vector<KernelImage> kernels; ///< every kernel that the plan launches, as bytes of some kind
  std::string report;               ///< the compiler's report as JSON; may be empty
};

/// Whether `bytes` begin as such a file does.
bool isCompiledFile(std::span<const std::byte> bytes);

/// The file's bytes. Throws Error (internal) on a kernel that is no bytes.
std::vector<std::byte> compiledFileBytes(const CompiledGraph &graph);
/// Writes them to `path`; throws Error.
void writeCompiledFile(const std::string &path, const CompiledGraph &graph);

/// What the bytes hold. Throws Error (invalid input), naming `origin`, on any others, of another version, or damaged;
/// and on a plan that is not sound (verify()) or lacks a kernel.
CompiledGraph readCompiledFile(std::span<const std::byte> bytes, const std::string &origin);
/// The same from a file.
CompiledGraph readCompiledFile(const std::string &path);

} // namespace kiln
