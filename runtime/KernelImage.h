// What codegen hands to a device: one kernel, as code the device can load. Data only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kiln {

/// A kernel for the host: runs CTAs ctaBegin .. ctaEnd - 1 of the linearised grid (x fastest) in order. slots[i] is
/// argument i: the pointer itself for a buffer; the value in a pointer-sized slot for an i64 or a scalar (low bytes).
/// `scratch` belongs to the calling worker for the duration of the call: at least the launch's scratch bytes, 256-byte
/// aligned, holding anything.
using HostKernelFn = void (*)(const void *const *slots, int64_t ctaBegin, int64_t ctaEnd, void *scratch);

/// A kernel for the host as machine code that no process has loaded yet: a file's bytes, say. It is x86-64 code with
/// its constants, and runs at any multiple of 4096 once the addresses it names are filled in (runtime/host/HostCode.h).
struct HostCodeImage {
  /// Where code calls a function of the process: eight bytes that hold its address.
  struct Import {
    std::string function; ///< "memcpy": a row of hostImports()
    uint64_t offset = 0;  ///< into `code`
  };
  std::vector<char> code;
  uint64_t entry = 0; ///< offset of the kernel, a HostKernelFn
  std::vector<Import> imports;
  std::vector<uint64_t> relocations; ///< offsets of eight bytes to which the address of `code` is added
  std::string symbol;
  std::string target; ///< "avx512"
};

/// A kernel already in this process's memory; `keepAlive` owns the code.
struct HostKernelImage {
  HostKernelFn fn = nullptr;
  std::shared_ptr<void> keepAlive;
  std::string symbol;
  std::shared_ptr<const HostCodeImage> code; ///< the same as bytes, where it was made of them
};

/// A kernel as text or machine code for a device's own loader. Its parameters are those of the plan's ABI, in order:
/// pointers and i64 of 8 bytes each, scalars in their own type or as 8 bytes, tensor maps of 128 bytes.
struct CodeImage {
  enum class Format : uint8_t { Ptx, Cubin };
  Format format = Format::Ptx;
  std::vector<char> code;
  std::string symbol;      ///< the entry's name in `code`
  std::string target;      ///< "sm_90a"
  int32_t threads = 0;     ///< per CTA, in x; at least 1
  int64_t sharedBytes = 0; ///< dynamic shared memory that a launch may ask for; 0 if launches alone say it
};

using KernelImage = std::variant<HostKernelImage, HostCodeImage, CodeImage>;

/// The symbol of any of them.
inline const std::string &symbolOf(const KernelImage &image) {
  return std::visit([](const auto &i) -> const std::string & { return i.symbol; }, image);
}

} // namespace kiln
