//===- Devices.h - what the devices of this machine are called and can run ----------------------------------------===//
#ifndef KILN_COMPILER_DEVICES_H
#define KILN_COMPILER_DEVICES_H

#include "compiler/kiln/Compiler.h"
#include "runtime/cuda/CudaDevice.h"

namespace kiln {

/// The cpu of this machine.
DeviceInfo describeCpu();
/// The GPUs that the driver lists, or why there are none. Targets are those that run on the first one.
DeviceInfo describeCuda(const CudaInventory &inventory);

} // namespace kiln

#endif
