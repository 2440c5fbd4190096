// What stands behind the C interface's handles, and how its functions fail.
#pragma once

#include "kiln/Error.h"
#include "kiln/kiln_runtime.h"
#include "runtime/BoundPlan.h"
#include "runtime/CompiledFile.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kiln::capi {

/// Remembers `fields` as the calling thread's last error and returns the status that says so.
kiln_status fail(const ErrorFields &fields) noexcept;
/// The exception in flight as an error.
kiln_status failWithCurrentException() noexcept;

/// Runs `work`; what it throws becomes the status.
template <typename Work> kiln_status guarded(Work work) noexcept {
  try {
    work();
    return KILN_OK;
  } catch (...) {
    return failWithCurrentException();
  }
}

/// Throws Error (usage) if a pointer that a call needs is null.
void demand(const void *pointer, const char *call, const char *argument);

/// The options that a caller gave, whose struct may be older and so shorter than ours; `defaults` where it gave none.
template <typename Options> Options optionsOr(const Options *given, Options defaults);

/// A tensor, in words that C reads.
struct Described {
  std::string name;
  std::vector<int64_t> shape;
  kiln_tensor_info info; ///< points into the two
};

} // namespace kiln::capi

struct kiln_executable {
  /// Throws Error on a plan with run-time extents.
  kiln_executable(kiln::CompiledGraph graph, std::shared_ptr<kiln::Device> device, int32_t ordinal = 0);

  kiln::BoundPlan bound;
  const int32_t ordinal; ///< of the GPU it runs on
  const std::string version, device, report, plan;
  std::vector<kiln::capi::Described> tensors[3]; ///< by kiln_role

  /// The IR of a level, where a compiler made this; throws Error.
  std::function<std::string(const std::string &level)> ir;
  std::mutex lock;                          ///< of what follows
  std::map<std::string, std::string> texts; ///< by level
};

struct kiln_buffer {
  kiln::DeviceBuffer memory;
  kiln::DType dtype;
  std::vector<int64_t> shape;
  bool onCpu;
  int32_t ordinal; ///< of the GPU, else 0
};

struct kiln_replay {
  kiln::PlanReplay replay;
};

template <typename Options> Options kiln::capi::optionsOr(const Options *given, Options defaults) {
  if (!given) return defaults;
  if (given->size < sizeof(size_t) || given->size > 4096)
    throw Error({.code = ErrorCode::Usage,
                 .op = "options",
                 .rule = "options begin with their size",
                 .expected = std::to_string(sizeof(Options)),
                 .found = std::to_string(given->size)});
  auto *from = reinterpret_cast<const char *>(given);
  std::copy(from, from + std::min(given->size, sizeof(Options)), reinterpret_cast<char *>(&defaults));
  // What a newer caller asks for beyond our fields must be nothing.
  for (size_t i = sizeof(Options); i < given->size; ++i)
    if (from[i])
      throw Error({.code = ErrorCode::Usage,
                   .op = "options",
                   .rule = "this library knows fewer options than its caller",
                   .expected = std::string("zeros behind byte ") + std::to_string(sizeof(Options))});
  defaults.size = sizeof(Options);
  return defaults;
}
