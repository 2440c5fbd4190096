#include "passes/tiling/sm80/MatmulProblem.h"

#include "ir/layout/IndexMap.h"
#include "passes/kernel/ViewMaps.h"
#include "passes/tiling/Loops.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

int64_t sm80::alignmentOf(AffineExpr offset, int64_t most) {
  auto constant = dyn_cast<AffineConstantExpr>(offset);
  if (constant && constant.getValue() == 0) return most;
  return std::gcd(most, offset.getLargestKnownDivisor());
}

namespace {

/// An operand's loads: how they run along its two dimensions.
class OperandAnalysis {
public:
  OperandAnalysis(MatmulOperand &operand, const graph::KernelForm &form, const Memories &memories, int64_t k)
      : operand(operand), memories(memories), extents(form.extents), kDim(form.extents.size()) {
    extents.push_back(k);
  }

  void run() {
    constexpr int64_t kMostHeld = 16; // ops: each is there once per row
    int64_t alongK = 0, alongFree = 0, ops = 0;
    graph::walkDemands(graph::Demand{operand.value, operand.map}, extents, [&](const graph::Demand &demand) {
      ++ops;
      auto memory = memories.find(demand.value);
      if (memory == memories.end()) return true;
      loads.push_back({offsetOf(demand, memory->second), bytesOf(demand)});
      if (runsAlong(loads.back().offset, kDim)) alongK += loads.back().bytes;
      if (runsAlong(loads.back().offset, operand.free)) alongFree += loads.back().bytes;
      return true;
    });
    operand.alongK = alongK >= alongFree;
    operand.vec = accessWidth();
    operand.isHeld = ops <= kMostHeld;
    for (const Load &load : loads) {
      bool varies = load.offset.isFunctionOfDim(operand.alongK ? kDim : operand.free);
      operand.variesAlongLanes &= varies;
      if (varies) operand.heldBytes += std::max(load.bytes, 4 / operand.vec); // a register for each narrow access
    }
    findSource();
  }

private:
  struct Load {
    AffineExpr offset;
    int64_t bytes; ///< of an element
  };
  MatmulOperand &operand;
  const Memories &memories;
  SmallVector<int64_t> extents; ///< of (batch…, m, n, k)
  unsigned kDim;
  SmallVector<Load> loads;

  AffineExpr offsetOf(const graph::Demand &demand, const Memory &memory) {
    return layout::linearOffset(demand.map, memory.strides, extents) + memory.offset;
  }
  static int64_t bytesOf(const graph::Demand &demand) {
    return tile::bytesOf(getElementTypeOrSelf(demand.value.getType()));
  }
  bool runsAlong(AffineExpr offset, unsigned dim) {
    auto linear = layout::linearIn(offset, dim, extents);
    return linear && linear->coefficient == 1;
  }

  /// As wide as the widest element's 16 bytes and what is known of where rows start.
  int64_t accessWidth() {
    int64_t widest = 0, aligned = 1;
    for (const Load &load : loads) {
      auto linear = layout::linearIn(load.offset, operand.alongK ? kDim : operand.free, extents);
      if (!linear || linear->coefficient != 1) continue;
      widest = std::max(widest, load.bytes);
      aligned = std::max(aligned, alignmentOf(linear->rest, kAccessBytes / load.bytes));
    }
    return widest ? std::min(kAccessBytes / widest, aligned) : 1;
  }

  void findSource() {
    graph::Demand demand{operand.value, operand.map};
    while (!memories.contains(demand.value)) {
      Operation *op = demand.value.getDefiningOp();
      if (!op || !layout::viewMap(op)) return;
      demand = graph::operandDemands(demand, extents).front();
    }
    operand.memory = demand.value;
    const Memory &memory = memories.find(demand.value)->second;
    AffineExpr offset = offsetOf(demand, memory);
    auto free = layout::linearIn(offset, operand.free, extents);
    auto k = free ? layout::linearIn(free->rest, kDim, extents) : std::nullopt;
    if (!k || demand.map.getNumSymbols() != 0) return;
    auto [along, across] =
        operand.alongK ? std::pair{k->coefficient, free->coefficient} : std::pair{free->coefficient, k->coefficient};
    int64_t chunk = kAccessBytes / bytesOf(demand), length = operand.alongK ? extents[kDim] : operand.extent;
    // Along an extent of 1 nothing is not contiguous.
    if ((along != 1 && length != 1) || across % chunk != 0 || alignmentOf(k->rest, chunk) != chunk) return;
    operand.source = CopySource{memory.base, k->rest, across};
  }
};

/// Bytes accessed contiguously along a dimension; stores count double, since a store of a part of a sector costs a
/// load.
int64_t bytesAlong(ArrayRef<Access> accesses, ArrayRef<int64_t> extents, unsigned dim) {
  int64_t bytes = 0;
  for (const Access &access : accesses)
    if (auto linear = layout::linearIn(access.offset, dim, extents); linear && linear->coefficient == 1)
      bytes += access.store ? 2 * access.bytes : access.bytes;
  return bytes;
}

} // namespace

MatmulProblem sm80::matmulProblem(const graph::KernelForm &form, const KernelMemory &memory) {
  MatmulProblem problem;
  graph::MatmulOp matmul = form.matmul;
  int64_t rank = form.extents.size();
  unsigned m = rank - 2, n = rank - 1;
  for (int64_t d = 0; d + 2 < rank; ++d) {
    problem.batchDims.push_back(d);
    problem.batches *= form.extents[d];
  }
  problem.k = graph::shapeOf(matmul.getA())[matmul.getTransposeA() ? rank - 2 : rank - 1];
  problem.element = getElementTypeOrSelf(matmul.getA().getType());
  problem.sum = matmul.getType().getElementType();
  problem.result = matmul.getResult();

  SmallVector<Access> accesses = accessesOf(form, memory.inputs, memory.outputs);
  bool swapped = bytesAlong(accesses, form.extents, m) > bytesAlong(accesses, form.extents, n);
  auto [aMap, bMap] = graph::matmulOperandMaps(matmul);
  problem.operands[swapped ? Right : Left] = {matmul.getA(), aMap, m, form.extents[m]};
  problem.operands[swapped ? Left : Right] = {matmul.getB(), bMap, n, form.extents[n]};
  for (MatmulOperand &operand : problem.operands) OperandAnalysis(operand, form, memory.inputs, problem.k).run();
  return problem;
}
