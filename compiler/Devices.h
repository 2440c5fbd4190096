//===- Devices.h - what the devices of this machine are called and can run ----------------------------------------===//
#ifndef KILN_COMPILER_DEVICES_H
#define KILN_COMPILER_DEVICES_H

#include "compiler/kiln/Compiler.h"
#include "runtime/cuda/CudaDevice.h"

#include <optional>
#include <string_view>

namespace kiln {

/// What there is of one device, by its name, without looking at the others; nullopt for no device's name.
std::optional<DeviceInfo> describeDevice(std::string_view name);

/// The cpu of this machine.
DeviceInfo describeCpu();
/// The GPUs that the driver lists, or why there are none. Targets are those that run on the first one.
DeviceInfo describeCuda(const CudaInventory &inventory);

} // namespace kiln

#endif
