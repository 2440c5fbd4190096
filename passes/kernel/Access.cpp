#include "passes/kernel/Access.h"

#include "ir/layout/IndexMap.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

/// What a kernel demands, from every output and reduction operand, at points of the iteration space.
static SmallVector<graph::Demand> rootDemands(const graph::KernelForm &form) {
  SmallVector<graph::Demand> roots;
  if (form.outputs.empty()) return roots;
  MLIRContext *context = form.outputs[0].store.getContext();
  AffineMap identity = layout::identity(context, form.extents);
  for (graph::ReduceOp reduce : form.reductions) roots.push_back({graph::ReduceOp(reduce).getX(), identity});
  for (const graph::OutputForm &output : form.outputs) roots.push_back({output.value, form.demandMap(output)});
  return roots;
}

/// Memory of a kernel argument: its layout's strides, or dense and row-major.
static Memory argumentMemory(Value base, Value tensor, std::optional<ArrayAttr> layouts, size_t i) {
  Memory memory{base, layout::rowMajorStrides(graph::shapeOf(tensor))};
  if (!layouts) return memory;
  auto layout = cast<graph::LayoutAttr>((*layouts)[i]);
  memory.strides.assign(layout.getStrides().begin(), layout.getStrides().end());
  memory.offset = layout.getOffset();
  return memory;
}

KernelMemory kiln::tiling::memoryOf(graph::KernelOp kernel, ValueRange bases) {
  KernelMemory memory;
  auto base = [&](size_t i) { return bases.empty() ? Value() : bases[i]; };
  size_t inputs = kernel.getInputs().size();
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
    memory.inputs[argument] = argumentMemory(base(i), argument, kernel.getInputLayouts(), i);
  for (auto [i, output] : llvm::enumerate(kernel.getOutputs()))
    memory.outputs.push_back(argumentMemory(base(inputs + i), output, kernel.getResultLayouts(), i));
  return memory;
}

SmallVector<Access> kiln::tiling::accessesOf(const graph::KernelForm &form, const Memories &inputs,
                                             ArrayRef<Memory> outputs) {
  SmallVector<Access> accesses;
  auto add = [&](Value value, AffineMap map, const Memory &where, bool store) {
    accesses.push_back({layout::linearOffset(map, where.strides, form.extents) + where.offset,
                        tile::bytesOf(getElementTypeOrSelf(value.getType())), store, value, map});
  };
  graph::walkDemands(rootDemands(form), form.extents, [&](const graph::Demand &demand) {
    if (auto found = inputs.find(demand.value); found != inputs.end())
      add(demand.value, demand.map, found->second, false);
    return true;
  });
  for (auto [output, where] : llvm::zip(form.outputs, outputs)) add(output.value, form.demandMap(output), where, true);
  return accesses;
}

size_t kiln::tiling::contiguousSuffix(ArrayRef<Access> accesses, ArrayRef<int64_t> extents, ArrayRef<int64_t> dims) {
  auto together = [&](int64_t outer, int64_t inner) {
    if (extents[outer] == 1 || extents[inner] == 1) return true;
    return llvm::all_of(accesses, [&](const Access &access) {
      auto l = layout::linearIn(access.offset, outer, extents), r = layout::linearIn(access.offset, inner, extents);
      return l && r && l->coefficient == r->coefficient * extents[inner];
    });
  };
  size_t count = 1;
  int64_t inner = dims.back();
  while (count < dims.size()) {
    int64_t outer = dims[dims.size() - count - 1];
    if (!together(outer, inner)) break;
    if (extents[outer] != 1) inner = outer; // what matters is the outermost of the group so far
    ++count;
  }
  return count;
}

Rows kiln::tiling::splitRows(ArrayRef<int64_t> extents, ArrayRef<int64_t> dims, size_t suffix) {
  Rows rows;
  rows.outer.assign(dims.begin(), dims.end() - suffix);
  rows.inner.assign(dims.end() - suffix, dims.end());
  rows.count = layout::elementCount(extents, rows.outer);
  rows.length = layout::elementCount(extents, rows.inner);
  return rows;
}

SmallVector<int64_t> kiln::tiling::coalescedOrder(ArrayRef<Access> accesses, ArrayRef<int64_t> extents,
                                                  ArrayRef<int64_t> dims) {
  int64_t best = -1, most = 0;
  for (int64_t dim : llvm::reverse(dims)) {
    if (extents[dim] == 1) continue;
    int64_t bytes = 0;
    for (const Access &access : accesses)
      if (auto linear = layout::linearIn(access.offset, dim, extents); linear && linear->coefficient == 1)
        bytes += access.store ? 2 * access.bytes : access.bytes;
    if (best < 0 || bytes > most) best = dim, most = bytes;
  }
  SmallVector<int64_t> order(dims);
  if (best < 0 || llvm::all_of(llvm::reverse(order), [&](int64_t dim) { return dim == best || extents[dim] == 1; }))
    return order;
  // Behind it only dimensions of extent 1: as good as last.
  auto *at = llvm::find(order, best);
  if (std::all_of(at + 1, order.end(), [&](int64_t dim) { return extents[dim] == 1; })) return order;
  order.erase(at);
  order.push_back(best);
  return order;
}

bool kiln::tiling::isAlong(const Access &access, ArrayRef<int64_t> extents, const Rows &rows) {
  int64_t last = -1; // the fastest dimension of a row
  for (int64_t dim : rows.inner)
    if (extents[dim] != 1) last = dim;
  if (last < 0) return false;
  auto linear = layout::linearIn(access.offset, last, extents);
  return linear && linear->coefficient == 1;
}

int64_t kiln::tiling::rowAlignment(const Access &access, ArrayRef<int64_t> extents, const Rows &rows) {
  AffineExpr start = access.offset, zero = getAffineConstantExpr(0, start.getContext());
  for (int64_t dim : rows.inner) start = start.replace(getAffineDimExpr(dim, start.getContext()), zero);
  return std::gcd<int64_t>(16, layout::simplify(start, extents).getLargestKnownDivisor());
}
