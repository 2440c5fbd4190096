// A launch plan with every expression evaluated and every name looked up: what a run walks over. All pointers that the
// steps need lie in one block of slots, so that a run only fills in the caller's. Internal to the executor.
#pragma once

#include "runtime/Device.h"
#include "runtime/LaunchPlan.h"

#include <map>
#include <string>
#include <vector>

namespace kiln {

/// An address: `bytes` behind the start of the root buffer `root`.
struct Place {
  BufferId root = kNoBuffer;
  int64_t bytes = 0;
};

/// A pointer-sized value: a place if it has a root, else the value itself.
struct ResolvedSlot {
  Place place;
  uint64_t value = 0;
};

/// A tensor map that a launch passes.
struct ResolvedMap {
  std::string kernel;  ///< whose launch it is, for messages
  size_t slot = 0;     ///< holds the tensor's address
  bool unused = false; ///< of a launch of nothing
  TensorMapRecipe recipe;
};

/// One step. Its slots are a launch's arguments; a copy's `to` and `from`; a memset's `to`.
struct ResolvedStep {
  enum class Kind : uint8_t { Launch, Copy, Memset };
  Kind kind = Kind::Launch;
  bool empty = false; ///< nothing to do: a grid or a copy of size 0
  uint8_t value = 0;  ///< memsets
  size_t firstSlot = 0, slotCount = 0;
  size_t firstMap = 0, mapCount = 0; ///< a launch's tensor maps, into ResolvedPlan::maps
  KernelHandle kernel;
  LaunchConfig config;
  int64_t bytes = 0; ///< copies and memsets
};

/// A tensor the caller brings to each run; numbered inputs first, then outputs.
struct ResolvedEntry {
  int64_t bytes = 0;
  bool isOutput = false;
  /// An output that is a part of another entry (a donated input, or another output): which, and where in it. Else -1.
  int32_t partOf = -1;
  int64_t offset = 0;
};

/// A slot that holds an address in an entry.
struct UserSlot {
  size_t slot = 0, entry = 0;
  int64_t bytes = 0; ///< behind the entry's start
};

struct ResolvedPlan {
  std::vector<int64_t> offset; ///< by buffer id: temporaries' offset in the arena
  std::vector<ResolvedEntry> entries;
  std::vector<ResolvedSlot> slots;
  std::vector<UserSlot> userSlots; ///< which of `slots` the caller's addresses go to
  std::vector<ResolvedMap> maps;
  std::vector<ResolvedStep> steps;
  int64_t arenaBytes = 0;
};

/// Evaluates a verified `plan` for `device` under `extents`; `kernels` has every symbol it launches. Throws Error on
/// what has no value.
ResolvedPlan resolve(const LaunchPlan &plan, Device &device, const std::map<std::string, KernelHandle> &kernels,
                     const Bindings &extents);

} // namespace kiln
