#include "runtime/cuda/driver/CudaTensorMap.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kiln::cuda {
namespace {

/// Compute capability from which GPUs have a tensor memory accelerator.
constexpr int kFirstWithMaps = 9;

struct ElementRow {
  DType dtype;
  CUtensorMapDataType type;
};
constexpr ElementRow kElements[] = {
    {DType::F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},   {DType::F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
    {DType::TF32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32}, {DType::F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
    {DType::BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}, {DType::F8E4M3FN, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {DType::F8E5M2, CU_TENSOR_MAP_DATA_TYPE_UINT8},  {DType::F8E8M0, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {DType::I64, CU_TENSOR_MAP_DATA_TYPE_INT64},     {DType::I32, CU_TENSOR_MAP_DATA_TYPE_INT32},
    {DType::I8, CU_TENSOR_MAP_DATA_TYPE_UINT8},      {DType::Bool, CU_TENSOR_MAP_DATA_TYPE_UINT8},
};

CUtensorMapDataType elementOf(DType dtype) {
  for (const ElementRow &row : kElements)
    if (row.dtype == dtype) return row.type;
  throw Error({.code = ErrorCode::Internal, .op = "tensor map", .rule = "elements are whole bytes"});
}

CUtensorMapSwizzle swizzleOf(int32_t bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapL2promotion l2Of(int32_t bytes) {
  return bytes == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
         : bytes == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                        : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

std::string describe(const TensorMapRecipe &r, const void *base) {
  return fmt::format("{} of extents [{}], strides [{}], box [{}], swizzle {}, L2 {}, at {}", name(r.dtype),
                     fmt::join(r.extents, ", "), fmt::join(r.strides, ", "), fmt::join(r.box, ", "), r.swizzleBytes,
                     r.l2Bytes, base);
}

} // namespace

TensorMap encodeTensorMap(const Context &context, const TensorMapRecipe &r, const void *base) {
  if (context.gpu.major < kFirstWithMaps || !context.api.tensorMapEncodeTiled)
    throw Error(
        {.code = ErrorCode::NoDevice,
         .op = "tensor map",
         .rule = "the GPU and its driver have tensor maps",
         .expected = fmt::format("compute capability {}.0 or newer, and a driver for CUDA 12.0", kFirstWithMaps),
         .found = fmt::format("{} (compute capability {}.{}), a driver for CUDA {}", context.gpu.name,
                              context.gpu.major, context.gpu.minor, cudaVersionString(context.api.version)),
         .hint = "compile for this GPU's target, or update the driver"});
  // The driver counts dimensions from the innermost, strides from the one behind it, in bytes; it holds those that
  // nobody goes along to its rules, too.
  constexpr cuuint64_t kAlignment = 16;
  std::array<cuuint64_t, 5> extents{}, strides{};
  std::array<cuuint32_t, 5> box{}, steps{};
  size_t rank = r.extents.size(), width = static_cast<size_t>(bitWidth(r.dtype)) / 8;
  for (size_t d = 0; d < rank; ++d) {
    size_t from = rank - 1 - d;
    extents[d] = static_cast<cuuint64_t>(r.extents[from]);
    box[d] = static_cast<cuuint32_t>(r.box[from]);
    steps[d] = 1;
    if (d == 0) continue;
    cuuint64_t stride = static_cast<cuuint64_t>(r.strides[from]) * width;
    strides[d - 1] = extents[d] == 1 ? (stride + kAlignment - 1) / kAlignment * kAlignment : stride;
  }
  CUtensorMap map;
  CUresult result = context.api.tensorMapEncodeTiled(
      &map, elementOf(r.dtype), static_cast<cuuint32_t>(rank), const_cast<void *>(base), extents.data(), strides.data(),
      box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(r.swizzleBytes), l2Of(r.l2Bytes),
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw driverError(context.api, result, "cuTensorMapEncodeTiled", context.gpu.name, describe(r, base));
  static_assert(sizeof map == sizeof(TensorMap));
  TensorMap encoded;
  std::memcpy(encoded.bytes.data(), &map, sizeof map);
  return encoded;
}

} // namespace kiln::cuda
