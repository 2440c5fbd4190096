#include "runtime/TensorMapCache.h"
#include "kiln/Error.h"

#include <fmt/format.h>

namespace kiln {

void TensorMapCache::adopt(const std::vector<ResolvedMap> &maps) {
  known.resize(maps.size());
  current.resize(maps.size());
  bases.assign(maps.size(), nullptr);
  for (size_t i = 0; i < maps.size(); ++i)
    if (known[i].recipe != maps[i].recipe) known[i] = {.recipe = maps[i].recipe};
}

const TensorMap &TensorMapCache::encode(Known &k, const ResolvedMap &map, const void *base, Device &device) {
  for (size_t i = 0; i < kRemembered; ++i)
    if (k.bases[i] == base) return k.encoded[i];
  if (std::optional<TensorMapFault> fault = faultOfTensor(map.recipe, reinterpret_cast<uintptr_t>(base)))
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = map.kernel,
                 .rule = fault->rule,
                 .expected = fault->expected,
                 .found = fault->found});
  size_t at = k.next++ % kRemembered;
  k.bases[at] = nullptr; // while it may fail
  k.encoded[at] = device.encodeTensorMap(map.recipe, base);
  k.bases[at] = base;
  return k.encoded[at];
}

void TensorMapCache::update(const std::vector<ResolvedMap> &maps, std::span<const void *const> slots, Device &device) {
  for (size_t i = 0; i < maps.size(); ++i) {
    const void *base = slots[maps[i].slot];
    if (maps[i].unused || (base && base == bases[i])) continue;
    bases[i] = nullptr;
    current[i] = encode(known[i], maps[i], base, device);
    bases[i] = base;
  }
}

} // namespace kiln
