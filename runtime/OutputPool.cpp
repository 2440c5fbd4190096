#include "runtime/OutputPool.h"

#include <algorithm>

namespace kiln {

/// How many blocks wait for another run; beyond, the one that waited longest is given back to the device.
static constexpr long kMostFree = 64;

DeviceBuffer OutputPool::take(size_t bytes, Stream stream) {
  std::unique_lock lock(mutex);
  auto found = std::find_if(blocks.begin(), blocks.end(), [&](const Block &b) {
    return b.free && b.memory.size() == bytes && b.stream.native == stream.native;
  });
  if (found == blocks.end()) {
    lock.unlock(); // allocating may take long
    DeviceBuffer fresh = device->allocate(bytes);
    lock.lock();
    blocks.push_back({std::move(fresh), stream});
  } else {
    std::rotate(found, found + 1, blocks.end());
    blocks.back().free = false;
  }
  return {shared_from_this(), blocks.back().memory.data(), bytes};
}

void OutputPool::release(void *pointer, size_t) noexcept {
  DeviceBuffer surplus;
  std::lock_guard lock(mutex);
  auto dropped = std::find_if(blocks.begin(), blocks.end(), [&](const Block &b) { return b.memory.data() == pointer; });
  if (dropped == blocks.end()) return;
  dropped->free = true;
  auto isFree = [](const Block &b) { return b.free; };
  if (std::count_if(blocks.begin(), blocks.end(), isFree) <= kMostFree) return;
  auto oldest = std::find_if(blocks.begin(), blocks.end(), isFree);
  surplus.swap(oldest->memory);
  blocks.erase(oldest);
}

} // namespace kiln
