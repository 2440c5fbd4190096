#include "passes/plan/Constants.h"

#include <cstring>

using namespace mlir;

namespace kiln {

HostTensor hostTensor(DenseElementsAttr attribute, DType dtype) {
  HostTensor tensor = HostTensor::uninitialized(attribute.getType().getShape().vec(), dtype);
  std::span<std::byte> to = tensor.bytes();
  if (to.empty()) return tensor;
  if (dtype == DType::Bool || dtype == DType::I4) { // packed differently in IR
    int64_t i = 0;
    for (const APInt &value : attribute.getValues<APInt>()) tensor.setInt(i++, value.getSExtValue());
    return tensor;
  }
  ArrayRef<char> from = attribute.getRawData();
  for (size_t at = 0; at < to.size(); at += from.size())
    std::memcpy(to.data() + at, from.data(), from.size()); // a splat repeats
  return tensor;
}

} // namespace kiln
