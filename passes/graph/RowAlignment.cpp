#include "passes/graph/RowAlignment.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/sm80/Shifts.h"
#include "passes/tiling/sm80/Turned.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::graph {

SmallVector<int64_t> paddedStrides(RankedTensorType type) {
  constexpr int64_t kLine = 128, kChunk = 16, kLongRow = 1024; // bytes
  SmallVector<int64_t> shape(type.getShape());
  int64_t bytes = tile::bytesOf(type.getElementType());
  int64_t unit = (shape.back() * bytes >= kLongRow ? kLine : kChunk) / bytes;
  shape.back() = llvm::divideCeil(shape.back(), unit) * unit;
  return layout::rowMajorStrides(shape);
}

/// Seconds of a kernel whose operand lies in padded rows.
static double secondsPadded(const KernelForm &form, tiling::KernelMemory memory, BlockArgument operand,
                            const GpuTarget &target) {
  memory.inputs[operand].strides = paddedStrides(cast<RankedTensorType>(operand.getType()));
  SmallVector<tiling::Access> accesses = tiling::accessesOf(form, memory.inputs, memory.outputs);
  auto [rows, vec] = tiling::sm80::laneRows(accesses, form);
  return tiling::sm80::RowStreams(accesses, form.extents, rows, vec).best(target).seconds;
}

SmallVector<UnalignedRows> unalignedRows(KernelOp kernel, const KernelForm &form, const GpuTarget &target) {
  using namespace tiling::sm80;
  tiling::KernelMemory memory = tiling::memoryOf(kernel, {});
  SmallVector<tiling::Access> accesses = tiling::accessesOf(form, memory.inputs, memory.outputs);
  if (form.kind == KernelKind::Pointwise && planTurn(accesses, form)) return {};
  auto [rows, vec] = laneRows(accesses, form);
  RowStreams streams(accesses, form.extents, rows, vec);
  LanePlan narrow = streams.narrow(target), best = streams.best(target);

  SmallVector<UnalignedRows> found;
  size_t stores = accesses.size() - form.outputs.size(); // which come last
  for (auto [i, access] : llvm::enumerate(accesses)) {
    int64_t aligned = streams.alignedOf(i);
    auto argument = dyn_cast<BlockArgument>(access.value);
    if (aligned == 0 || aligned == 16 || (!access.store && !argument)) continue;
    auto index = static_cast<unsigned>(access.store ? i - stores : argument.getArgNumber());
    bool shifts = aligned < best.shifted;
    auto *known = llvm::find_if(found, [&](auto &f) { return f.index == index && f.isResult == access.store; });
    if (known != found.end()) { // read at several places
      known->shifted |= shifts;
      continue;
    }
    double padded = access.store ? best.seconds : secondsPadded(form, memory, argument, target);
    found.push_back({index, access.store, narrow.seconds, best.seconds, shifts, padded});
  }
  return found;
}

} // namespace kiln::graph
