#include "runtime/host/HostCode.h"
#include "kiln/Error.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <system_error>

namespace kiln {
namespace {

template <typename Fn> void *addressOf(Fn *function) { return reinterpret_cast<void *>(function); }

/// Memory that is written, then executed, never both.
class ExecutableMemory {
public:
  ExecutableMemory(size_t bytes, const std::string &symbol) : bytes(bytes), symbol(symbol) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail();
  }
  ~ExecutableMemory() {
    if (memory != MAP_FAILED) ::munmap(memory, bytes);
  }
  ExecutableMemory(const ExecutableMemory &) = delete;
  ExecutableMemory &operator=(const ExecutableMemory &) = delete;

  char *data() const { return static_cast<char *>(memory); }
  void seal() {
    if (::mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) fail();
  }

private:
  [[noreturn]] void fail() const {
    throw Error(
        {.op = symbol, .rule = "the system grants executable memory", .found = std::generic_category().message(errno)});
  }

  const size_t bytes;
  const std::string symbol;
  void *memory = MAP_FAILED;
};

[[noreturn]] void refuse(const HostCodeImage &image, std::string rule, std::string expected, std::string found) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = image.symbol,
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found)});
}

/// The eight bytes at `offset` of `code`.
char *wordAt(const HostCodeImage &image, char *code, uint64_t offset) {
  if (offset > image.code.size() || image.code.size() - offset < sizeof(uint64_t))
    refuse(image, "an address lies within the code", fmt::format("at most {}", image.code.size()),
           std::to_string(offset));
  return code + offset;
}

uint64_t addressOfImport(const HostCodeImage &image, const std::string &function) {
  std::span<const HostImport> rows = hostImports();
  auto row = std::find_if(rows.begin(), rows.end(), [&](const HostImport &r) { return r.name == function; });
  if (row == rows.end()) refuse(image, "kernels call functions that the runtime has", "one of its rows", function);
  return reinterpret_cast<uint64_t>(row->address);
}

} // namespace

std::span<const HostImport> hostImports() {
  using F1 = float(float);
  using D1 = double(double);
  static const HostImport rows[] = {
      {"fmaf", addressOf<float(float, float, float)>(::fmaf)},
      {"fma", addressOf<double(double, double, double)>(::fma)},
      {"floorf", addressOf<F1>(::floorf)},
      {"floor", addressOf<D1>(::floor)},
      {"ceilf", addressOf<F1>(::ceilf)},
      {"ceil", addressOf<D1>(::ceil)},
      {"truncf", addressOf<F1>(::truncf)},
      {"trunc", addressOf<D1>(::trunc)},
      {"roundevenf", addressOf<F1>(::rintf)}, // the rounding mode is to nearest even
      {"roundeven", addressOf<D1>(::rint)},
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(::memcpy)},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(::memmove)},
      {"memset", addressOf<void *(void *, int, size_t)>(::memset)},
  };
  return rows;
}

bool hostRunsTarget(std::string_view target) {
  const struct {
    std::string_view target;
    bool runs;
  } rows[] = {
      {"avx512", __builtin_cpu_supports("x86-64-v4") != 0},
      {"avx2", __builtin_cpu_supports("x86-64-v3") != 0},
      {"sse2", __builtin_cpu_supports("sse2") != 0},
  };
  return std::any_of(std::begin(rows), std::end(rows), [&](auto &r) { return r.target == target && r.runs; });
}

HostKernelImage loadHostCode(const HostCodeImage &image) {
  if (!hostRunsTarget(image.target))
    throw Error({.code = ErrorCode::NoDevice,
                 .op = image.symbol,
                 .rule = "this machine must have the instructions that the kernel was made of",
                 .found = fmt::format("code for cpu target \"{}\"", image.target),
                 .hint = "compile for an older target, such as --target avx2"});
  if (image.entry >= image.code.size())
    refuse(image, "a kernel lies within its code", fmt::format("below {}", image.code.size()),
           std::to_string(image.entry));
  auto memory = std::make_shared<ExecutableMemory>(image.code.size(), image.symbol);
  char *code = memory->data();
  std::memcpy(code, image.code.data(), image.code.size());
  for (const HostCodeImage::Import &import : image.imports) {
    uint64_t address = addressOfImport(image, import.function);
    std::memcpy(wordAt(image, code, import.offset), &address, sizeof address);
  }
  for (uint64_t offset : image.relocations) {
    uint64_t address = 0;
    char *word = wordAt(image, code, offset);
    std::memcpy(&address, word, sizeof address);
    address += reinterpret_cast<uint64_t>(code);
    std::memcpy(word, &address, sizeof address);
  }
  memory->seal();
  auto fn = reinterpret_cast<HostKernelFn>(code + image.entry);
  return {fn, std::move(memory), image.symbol, nullptr};
}

} // namespace kiln
