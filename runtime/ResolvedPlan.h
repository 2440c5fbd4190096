// A launch plan with every expression evaluated and every name looked up: what a run walks over. Internal to the
// executor.
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

/// A pointer-sized kernel argument: a place if it has a root, else the value itself.
struct ResolvedArg {
  Place place;
  uint64_t value = 0;
};

/// One step. Copies and memsets use `to`, `from`, `bytes`, `value`; launches the rest.
struct ResolvedStep {
  enum class Kind : uint8_t { Launch, Copy, Memset };
  Kind kind = Kind::Launch;
  KernelHandle kernel;
  LaunchConfig config;
  bool empty = false; ///< nothing to do: a grid or a copy of size 0
  std::vector<ResolvedArg> args;
  Place to, from;
  int64_t bytes = 0;
  uint8_t value = 0;
};

struct ResolvedPlan {
  std::vector<Place> places;   ///< by buffer id: itself, or its root and the offset in it
  std::vector<int64_t> bytes;  ///< by buffer id
  std::vector<int64_t> offset; ///< by buffer id: temporaries' offset in the arena
  std::vector<ResolvedStep> steps;
  int64_t arenaBytes = 0;
  size_t maxArgs = 0;
};

/// Evaluates a verified `plan` under `extents`; `kernels` has every symbol it launches. Throws Error on what has no
/// value and on tensor maps, which no device here takes.
ResolvedPlan resolve(const LaunchPlan &plan, const std::map<std::string, KernelHandle> &kernels,
                     const Bindings &extents);

} // namespace kiln
