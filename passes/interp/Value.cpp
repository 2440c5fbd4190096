// Oracle tensors to and from host tensors.
#include "passes/interp/Value.h"

#include <kiln/Error.h>

namespace kiln::interp {

OracleTensor::OracleTensor(std::vector<int64_t> extents, DType type) : shape(std::move(extents)), dtype(type) {
  size_t count = static_cast<size_t>(elementCount(shape));
  if (isFloat())
    values.resize(count);
  else
    integers.resize(count);
}

OracleTensor OracleTensor::fromHost(const HostTensor &tensor) {
  DType type = tensor.dtype();
  if (type != DType::F32 && type != DType::F16 && type != DType::BF16 && type != DType::I32 && type != DType::I64 &&
      type != DType::Bool)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "interpret",
                 .rule = "the interpreter does not take this dtype",
                 .expected = "f32, f16, bf16, i32, i64 or bool",
                 .found = tensor.typeString(),
                 .hint = "cast the tensor first",
                 .where = {}});
  OracleTensor result(tensor.shape(), type);
  if (result.isHalf()) {
    for (int64_t i = 0; i < tensor.size(); ++i) result.values[i] = tensor.get(i);
  } else if (result.isFloat()) {
    const float *from = tensor.data<float>();
    for (int64_t i = 0; i < tensor.size(); ++i) result.values[i] = from[i];
  } else {
    for (int64_t i = 0; i < tensor.size(); ++i) result.integers[i] = tensor.getInt(i);
  }
  return result;
}

HostTensor OracleTensor::toHost() const {
  HostTensor result(shape, dtype);
  if (isHalf()) {
    for (int64_t i = 0; i < size(); ++i) result.set(i, values[i]);
  } else if (isFloat()) {
    float *to = result.data<float>();
    for (int64_t i = 0; i < size(); ++i) to[i] = static_cast<float>(values[i]);
  } else {
    for (int64_t i = 0; i < size(); ++i) result.setInt(i, integers[i]);
  }
  return result;
}

} // namespace kiln::interp
