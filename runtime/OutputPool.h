// Memory for outputs that Kiln makes: what a caller drops is kept for the next run of the same stream, whose work comes
// behind everything the stream still does with it. Internal to the executor.
#pragma once

#include "runtime/Device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace kiln {

class OutputPool : public MemoryOwner, public std::enable_shared_from_this<OutputPool> {
public:
  explicit OutputPool(std::shared_ptr<Device> device) : device(std::move(device)) {}

  /// Memory for `bytes` bytes that work given to `stream` from now on may write.
  DeviceBuffer take(size_t bytes, Stream stream);

protected:
  void release(void *pointer, size_t bytes) noexcept override;

private:
  struct Block {
    DeviceBuffer memory;
    Stream stream;
    bool free = false;
  };

  const std::shared_ptr<Device> device;
  std::mutex mutex;
  std::vector<Block> blocks; ///< in the order in which they were last given out
};

} // namespace kiln
