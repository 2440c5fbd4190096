#include "passes/tiling/Stash.h"

#include "ir/layout/IndexMap.h"
#include "ir/tile/Tile.h"
#include "passes/cost/Ops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {

/// Ops whose result is dearer to compute again than to store and load: functions, divisions, indirect loads.
bool isDear(Operation *op) { return cost::costOf(op).expensive || isa<graph::GatherOp>(op); }

} // namespace

Stash kiln::tiling::planStash(const graph::KernelForm &form, int64_t maxBytes) {
  Stash stash;
  if (form.outputs.empty()) return stash;
  MLIRContext *context = form.outputs[0].store.getContext();
  AffineMap identity = layout::identity(context, form.extents);

  // What each pass wants; the last pass stores the outputs.
  unsigned last = form.stageCount();
  SmallVector<SmallVector<graph::Demand>> roots(last + 1);
  for (auto [reduce, stage] : llvm::zip(form.reductions, form.reductionStages))
    roots[stage].push_back({graph::ReduceOp(reduce).getX(), identity});
  for (const graph::OutputForm &output : form.outputs)
    if (!output.perRow) roots[last].push_back({output.value, output.store});

  int64_t length = layout::elementCount(form.extents, form.reducedAxes);
  llvm::MapVector<Value, unsigned> firstStage; // dear values by the first pass that computes them
  llvm::DenseSet<Value> elsewhere;             // values wanted at other points than their own
  int64_t bytes = 0;
  for (unsigned stage = 0; stage <= last; ++stage)
    graph::walkDemands(roots[stage], form.extents, [&](const graph::Demand &demand) {
      Operation *op = demand.value.getDefiningOp();
      if (!op || !isDear(op)) return true;
      // The same map over another shape (a piece of a concat, what a slice reads) names other points.
      if (demand.map != identity || graph::shapeOf(demand.value) != ArrayRef<int64_t>(form.extents)) {
        elsewhere.insert(demand.value);
        return true;
      }
      auto [known, isNew] = firstStage.insert({demand.value, stage});
      if (isNew || known->second == stage) return true;
      if (!llvm::is_contained(stash.values, demand.value)) {
        int64_t need = length * tile::bytesOf(getElementTypeOrSelf(demand.value.getType()));
        if (bytes + need > maxBytes) return true;
        bytes += need;
        stash.values.push_back(demand.value);
        stash.stages.push_back(known->second);
      }
      return false;
    });
  // A value also wanted at other points cannot be served from the row's tile alone.
  for (size_t i = stash.values.size(); i-- > 0;)
    if (elsewhere.contains(stash.values[i])) {
      stash.values.erase(stash.values.begin() + i);
      stash.stages.erase(stash.stages.begin() + i);
    }
  return stash;
}
