// Tensors in memory as frameworks pass them.
#include "runtime/capi/Handle.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

using namespace kiln;
using namespace kiln::capi;

namespace {

/// How DLPack spells a dtype. tf32 is no type of memory, so it has no row.
struct DlType {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};
constexpr DlType kTypes[] = {
    {DType::F64, 2, 64},      {DType::F32, 2, 32},    {DType::F16, 2, 16},    {DType::BF16, 4, 16},
    {DType::F8E4M3FN, 10, 8}, {DType::F8E5M2, 12, 8}, {DType::F8E8M0, 14, 8}, {DType::I64, 0, 64},
    {DType::I32, 0, 32},      {DType::I8, 0, 8},      {DType::I4, 0, 4},      {DType::Bool, 6, 8},
};

const DlType &rowOf(DType dtype) {
  auto row = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const DlType &r) { return r.dtype == dtype; });
  if (row == std::end(kTypes))
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "DLPack",
                 .rule = "the dtype must be one that DLPack knows",
                 .found = std::string(name(dtype))});
  return *row;
}

int32_t deviceType(bool onCpu) { return onCpu ? 1 : 2; }

/// Row-major without gaps; the strides of extents of 1 say nothing.
bool isDense(const kiln_dl_tensor &tensor) {
  int64_t expected = 1;
  for (int32_t d = tensor.rank; tensor.strides && d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

void check(const kiln_executable &executable, const Described &wanted, const kiln_dl_tensor &tensor) {
  auto refuse = [&](const char *rule, std::string expected, std::string found) {
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = wanted.name,
                 .rule = rule,
                 .expected = std::move(expected),
                 .found = std::move(found)});
  };
  const DlType &row = rowOf(static_cast<DType>(wanted.info.dtype));
  const auto &t = tensor.dtype;
  if (t.code != row.code || t.bits != row.bits || t.lanes != 1)
    refuse("a tensor must have the graph's dtype", fmt::format("{} (code {})", name(row.dtype), row.code),
           fmt::format("code {}, {} bits, {} lanes", t.code, t.bits, t.lanes));
  std::vector<int64_t> shape;
  if (tensor.rank > 0 && tensor.shape) shape.assign(tensor.shape, tensor.shape + tensor.rank);
  if (shape != wanted.shape)
    refuse("a tensor must have the graph's shape", shapeString(wanted.shape), shapeString(shape));
  if (!isDense(tensor)) refuse("a tensor must be dense and row-major", "strides of a dense tensor", "others");
  int32_t type = deviceType(executable.device == "cpu");
  if (tensor.device.type != type || (type == 2 && tensor.device.id != executable.ordinal))
    refuse("a tensor must be on the graph's device", fmt::format("{} {}", executable.device, executable.ordinal),
           fmt::format("device type {}, number {}", tensor.device.type, tensor.device.id));
}

/// A tensor with what it owns.
struct Owned {
  kiln_dl_managed_tensor managed;
  std::unique_ptr<kiln_buffer> buffer;
};

} // namespace

kiln_status kiln_dl_address(const kiln_executable *executable, kiln_role role, size_t index,
                            const kiln_dl_tensor *tensor, void **address) {
  return guarded([&] {
    demand(executable, "kiln_dl_address", "executable");
    demand(tensor, "kiln_dl_address", "tensor");
    demand(address, "kiln_dl_address", "address");
    if (index >= kiln_count(executable, role))
      throw Error({.code = ErrorCode::Usage,
                   .op = "kiln_dl_address",
                   .rule = "the index must be below the number of tensors",
                   .found = std::to_string(index)});
    check(*executable, executable->tensors[role][index], *tensor);
    *address = static_cast<std::byte *>(tensor->data) + tensor->byte_offset;
  });
}

kiln_status kiln_buffer_to_dl(kiln_buffer *buffer, kiln_dl_managed_tensor **tensor) {
  return guarded([&] {
    demand(buffer, "kiln_buffer_to_dl", "buffer");
    demand(tensor, "kiln_buffer_to_dl", "tensor");
    const DlType &row = rowOf(buffer->dtype);
    auto owned = std::make_unique<Owned>();
    owned->buffer.reset(buffer);
    owned->managed = {.tensor = {.data = buffer->memory.data(),
                                 .device = {deviceType(buffer->onCpu), buffer->ordinal},
                                 .rank = static_cast<int32_t>(buffer->shape.size()),
                                 .dtype = {row.code, row.bits, 1},
                                 .shape = buffer->shape.data(),
                                 .strides = nullptr,
                                 .byte_offset = 0},
                      .manager = owned.get(),
                      .deleter = [](kiln_dl_managed_tensor *self) { delete static_cast<Owned *>(self->manager); }};
    *tensor = &owned.release()->managed;
  });
}
