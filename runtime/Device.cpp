#include "runtime/Device.h"
#include "kiln/Error.h"

namespace kiln {

TensorMap Device::encodeTensorMap(const TensorMapRecipe &, const void *) {
  throw Error({.code = ErrorCode::NoDevice,
               .op = name(),
               .rule = "the device has tensor maps",
               .expected = "an NVIDIA GPU of compute capability 9.0 or newer",
               .found = name(),
               .hint = "compile for a target of this device"});
}

} // namespace kiln
