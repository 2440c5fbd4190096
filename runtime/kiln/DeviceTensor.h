// A dense row-major array in a device's memory: what an asynchronous run makes. A handle, as HostTensor is.
#pragma once

#include "kiln/DType.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kiln {

struct DeviceTensor {
  std::vector<int64_t> shape;
  DType dtype = DType::F32;
  std::shared_ptr<void> storage; ///< the device address; the memory is given back with the last copy of this

  /// The device address of the first element, 256-byte aligned where Kiln made the memory. On the cpu, host memory.
  void *data() const { return storage.get(); }
};

} // namespace kiln
