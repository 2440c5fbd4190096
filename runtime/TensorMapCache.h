// The tensor maps that a workspace's launches pass: each is encoded when its tensor is first met at an address, and
// again only after that address has been forgotten. Internal to the executor.
#pragma once

#include "runtime/Device.h"
#include "runtime/ResolvedPlan.h"

#include <array>
#include <span>
#include <vector>

namespace kiln {

class TensorMapCache {
public:
  /// The plan's maps are these from now on; what is known of equal ones stays.
  void adopt(const std::vector<ResolvedMap> &maps);
  /// Makes every map that a launch needs one of the address in its slot. Throws Error on an address or a tensor that no
  /// map can have.
  void update(const std::vector<ResolvedMap> &maps, std::span<const void *const> slots, Device &device);
  /// The maps, in the plan's order.
  std::span<const TensorMap> maps() const { return current; }

private:
  static constexpr size_t kRemembered = 8; ///< addresses per map: a few sets of buffers that a caller takes in turn
  struct Known {
    TensorMapRecipe recipe;
    std::array<const void *, kRemembered> bases{};
    std::array<TensorMap, kRemembered> encoded;
    size_t next = 0;
  };
  const TensorMap &encode(Known &known, const ResolvedMap &map, const void *base, Device &device);

  std::vector<Known> known;
  std::vector<const void *> bases; ///< of `current`; null where there is none yet
  std::vector<TensorMap> current;
};

} // namespace kiln
