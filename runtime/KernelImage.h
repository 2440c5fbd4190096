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

/// A kernel already in this process's memory; `keepAlive` owns the code.
struct HostKernelImage {
  HostKernelFn fn = nullptr;
  std::shared_ptr<void> keepAlive;
  std::string symbol;
};

/// A kernel as text or machine code for a device's own loader.
struct CodeImage {
  enum class Format : uint8_t { Ptx, Cubin };
  Format format = Format::Ptx;
  std::vector<char> code;
  std::string symbol;
  std::string target; ///< "sm_90a"
};

using KernelImage = std::variant<HostKernelImage, CodeImage>;

/// The symbol of either.
inline const std::string &symbolOf(const KernelImage &image) {
  return std::visit([](const auto &i) -> const std::string & { return i.symbol; }, image);
}

} // namespace kiln
