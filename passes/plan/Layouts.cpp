#include "passes/plan/Layouts.h"

#include "ir/DTypes.h"
#include "ir/layout/IndexMap.h"

#include <cstring>

using namespace mlir;
using namespace kiln;

namespace {

/// Where one operand or result lies.
struct Place {
  RankedTensorType type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool dense = true;

  Place(Value value, std::optional<ArrayAttr> layouts, size_t i)
      : type(cast<RankedTensorType>(value.getType())), strides(layout::rowMajorStrides(type.getShape())) {
    if (!layouts) return;
    auto given = cast<graph::LayoutAttr>((*layouts)[i]);
    dense = given.getOffset() == 0 && given.getStrides() == ArrayRef<int64_t>(strides);
    strides.assign(given.getStrides().begin(), given.getStrides().end());
    offset = given.getOffset();
  }

  HostTensor memory() const {
    DType dtype = *ir::dtypeOf(type);
    if (dense) return HostTensor(type.getShape().vec(), dtype);
    int64_t elements = type.getNumElements() ? offset + 1 : 0;
    for (auto [extent, stride] : llvm::zip(type.getShape(), strides)) elements += elements ? (extent - 1) * stride : 0;
    return HostTensor({elements}, dtype);
  }

  /// Calls `move` with the place of every element in memory, and in the dense tensor.
  void forEach(llvm::function_ref<void(int64_t memory, int64_t dense)> move) const {
    SmallVector<int64_t> index(type.getRank());
    int64_t at = offset;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      move(at, i);
      for (int64_t d = type.getRank(); d-- > 0;) {
        at += strides[d];
        if (++index[d] < type.getDimSize(d)) break;
        at -= strides[d] * index[d];
        index[d] = 0;
      }
    }
  }
};

size_t elementBytes(const HostTensor &tensor) { return static_cast<size_t>(bitWidth(tensor.dtype())) / 8; }

Place operandPlace(graph::KernelOp kernel, size_t i) { return {kernel.getInputs()[i], kernel.getInputLayouts(), i}; }
Place resultPlace(graph::KernelOp kernel, size_t i) { return {kernel.getOutputs()[i], kernel.getResultLayouts(), i}; }

} // namespace

HostTensor kiln::operandMemory(graph::KernelOp kernel, size_t i) { return operandPlace(kernel, i).memory(); }
HostTensor kiln::resultMemory(graph::KernelOp kernel, size_t i) { return resultPlace(kernel, i).memory(); }

HostTensor kiln::toOperandMemory(graph::KernelOp kernel, size_t i, const HostTensor &dense) {
  Place place = operandPlace(kernel, i);
  if (place.dense) return dense;
  HostTensor memory = place.memory();
  size_t bytes = elementBytes(memory);
  place.forEach([&](int64_t to, int64_t from) {
    std::memcpy(&memory.bytes()[static_cast<size_t>(to) * bytes], &dense.bytes()[static_cast<size_t>(from) * bytes],
                bytes);
  });
  return memory;
}

HostTensor kiln::fromResultMemory(graph::KernelOp kernel, size_t i, const HostTensor &memory) {
  Place place = resultPlace(kernel, i);
  if (place.dense) return memory;
  HostTensor dense(place.type.getShape().vec(), memory.dtype());
  size_t bytes = elementBytes(memory);
  place.forEach([&](int64_t from, int64_t to) {
    std::memcpy(&dense.bytes()[static_cast<size_t>(to) * bytes], &memory.bytes()[static_cast<size_t>(from) * bytes],
                bytes);
  });
  return dense;
}
