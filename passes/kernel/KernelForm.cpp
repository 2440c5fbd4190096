#include "passes/kernel/KernelForm.h"

#include "ir/graph/AcceptedOps.h"
#include "ir/layout/IndexMap.h"
#include "passes/kernel/ViewMaps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::graph;
using layout::elementCount;

StringRef kiln::graph::kindName(KernelKind kind) {
  static constexpr StringRef kNames[] = {"pointwise", "row", "column", "matmul"};
  return kNames[static_cast<int>(kind)];
}

SmallVector<int64_t> KernelForm::keptAxes() const {
  SmallVector<int64_t> kept;
  for (int64_t d = 0, rank = extents.size(); d < rank; ++d)
    if (!llvm::is_contained(reducedAxes, d)) kept.push_back(d);
  return kept;
}

AffineMap KernelForm::keptProjection(MLIRContext *context) const {
  SmallVector<AffineExpr> results;
  for (int64_t d : keptAxes()) results.push_back(getAffineDimExpr(d, context));
  return layout::simplify(AffineMap::get(extents.size(), 0, results, context), extents);
}

AffineMap KernelForm::demandMap(const OutputForm &output) const {
  if (!output.perRow) return output.store;
  return layout::compose(output.store, keptProjection(output.store.getContext()), extents);
}

unsigned KernelForm::stageCount() const {
  unsigned count = 0;
  for (unsigned stage : reductionStages) count = std::max(count, stage + 1);
  return count;
}

//===- Demands ----------------------------------------------------------------------------------------------------===//

namespace {

SmallVector<Demand> concatDemands(ConcatOp concat, AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<Demand> demands;
  int64_t offset = 0, axis = concat.getAxis();
  for (Value x : concat.getXs()) {
    SmallVector<AffineExpr> results(map.getResults());
    results[axis] = layout::simplify(results[axis] - offset, extents);
    demands.push_back({x, AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext())});
    offset += shapeOf(x)[axis];
  }
  return demands;
}

SmallVector<Demand> gatherDemands(GatherOp gather, AffineMap map) {
  ArrayRef<AffineExpr> at = map.getResults();
  int64_t axis = gather.getAxis(), rank = shapeOf(gather.getIndices()).size();
  MLIRContext *context = map.getContext();
  auto indices = AffineMap::get(map.getNumDims(), map.getNumSymbols(), at.slice(axis, rank), context);
  SmallVector<AffineExpr> results(at.take_front(axis));
  results.push_back(getAffineSymbolExpr(map.getNumSymbols(), context));
  llvm::append_range(results, at.drop_front(axis + rank));
  auto rows = AffineMap::get(map.getNumDims(), map.getNumSymbols() + 1, results, context);
  return {{gather.getIndices(), indices}, {gather.getX(), rows}};
}

struct DemandInfo {
  static Demand getEmptyKey() { return {Value::getFromOpaquePointer(llvm::DenseMapInfo<void *>::getEmptyKey()), {}}; }
  static Demand getTombstoneKey() {
    return {Value::getFromOpaquePointer(llvm::DenseMapInfo<void *>::getTombstoneKey()), {}};
  }
  static unsigned getHashValue(const Demand &d) {
    return llvm::hash_combine(d.value.getAsOpaquePointer(), d.map ? mlir::hash_value(d.map) : llvm::hash_code(0));
  }
  static bool isEqual(const Demand &a, const Demand &b) { return a == b; }
};

} // namespace

SmallVector<Demand> kiln::graph::operandDemands(const Demand &demand, ArrayRef<int64_t> extents) {
  Operation *op = demand.value.getDefiningOp();
  if (!op) return {};
  if (AffineMap view = layout::viewMap(op)) {
    AffineMap map = layout::compose(view, demand.map, extents);
    unsigned symbols = map.getNumSymbols();
    // Symbols stand for indices worked out elsewhere: all that matters here is that they are not simple ones.
    map = layout::nameLargeResults(map, [&](AffineExpr) { return getAffineSymbolExpr(symbols++, map.getContext()); });
    return {{op->getOperand(0), map}};
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) return concatDemands(concat, demand.map, extents);
  if (auto gather = dyn_cast<GatherOp>(op)) return gatherDemands(gather, demand.map);
  if (isa<ReduceOp, MatmulOp>(op)) return {};
  SmallVector<Demand> demands;
  for (Value operand : op->getOperands()) demands.push_back({operand, demand.map});
  return demands;
}

void kiln::graph::walkDemands(ArrayRef<Demand> roots, ArrayRef<int64_t> extents,
                              llvm::function_ref<bool(const Demand &)> visit,
                              llvm::function_ref<AffineMap(const Demand &)> knownPlace) {
  llvm::DenseSet<Demand, DemandInfo> seen;
  SmallVector<Demand> stack(llvm::reverse(roots));
  while (!stack.empty()) {
    Demand demand = stack.pop_back_val();
    if (!seen.insert(demand).second || !visit(demand)) continue;
    if (AffineMap known = knownPlace ? knownPlace(demand) : AffineMap()) {
      stack.push_back({demand.value.getDefiningOp()->getOperand(0), known});
      continue;
    }
    SmallVector<Demand> next = operandDemands(demand, extents); // named: llvm::reverse would outlive a temporary
    stack.append(next.rbegin(), next.rend());
  }
}

std::pair<AffineMap, AffineMap> kiln::graph::matmulOperandMaps(MatmulOp matmul) {
  unsigned rank = shapeOf(matmul.getResult()).size();
  MLIRContext *context = matmul.getContext();
  auto map = [&](AffineExpr row, AffineExpr column, bool transposed) {
    SmallVector<AffineExpr> results;
    for (unsigned d = 0; d + 2 < rank; ++d) results.push_back(getAffineDimExpr(d, context));
    if (transposed) std::swap(row, column);
    results.append({row, column});
    SmallVector<int64_t> extents(shapeOf(matmul.getResult()));
    ArrayRef<int64_t> a = shapeOf(matmul.getA());
    extents.push_back(a[matmul.getTransposeA() ? rank - 2 : rank - 1]);
    return layout::simplify(AffineMap::get(rank + 1, 0, results, context), extents);
  };
  AffineExpr m = getAffineDimExpr(rank - 2, context), n = getAffineDimExpr(rank - 1, context);
  AffineExpr k = getAffineDimExpr(rank, context);
  return {map(m, k, matmul.getTransposeA()), map(k, n, matmul.getTransposeB())};
}

//===- Analysis ---------------------------------------------------------------------------------------------------===//

namespace {

bool isElementwise(Operation *op) {
  const AcceptedOp *row = findAcceptedOp(op->getName().getStringRef());
  return row && row->opClass == OpClass::Elementwise && op->getNumOperands() > 0;
}

/// Spreads maps from values whose place in a space is known to all that elementwise ops and bijective views tie to
/// them.
class Places {
public:
  Places(ArrayRef<Operation *> ops, ArrayRef<int64_t> extents) : extents(extents) {
    for (Operation *op : ops) {
      if (!isElementwise(op) && !layout::inverseViewMap(op)) continue;
      for (Value operand : op->getOperands()) touching[operand].push_back(op);
      for (Value result : op->getResults()) touching[result].push_back(op);
    }
  }

  void place(Value value, AffineMap map) {
    SmallVector<Value> work;
    if (maps.try_emplace(value, map).second) work.push_back(value);
    while (!work.empty()) {
      Value v = work.pop_back_val();
      for (Operation *op : touching.lookup(v)) spread(op, v, work);
    }
  }
  AffineMap lookup(Value value) const { return maps.lookup(value); }
  /// Where the operand of a view lies whose result is demanded at its own place, found by going from the one to the
  /// other; null for any other demand.
  AffineMap operandPlace(const Demand &demand) const {
    Operation *op = demand.value.getDefiningOp();
    if (!op || placedBy.lookup(demand.value) != op || demand.map != maps.lookup(demand.value)) return {};
    return layout::inverseViewMap(op) ? maps.lookup(op->getOperand(0)) : AffineMap();
  }

private:
  ArrayRef<int64_t> extents;
  llvm::DenseMap<Value, SmallVector<Operation *, 4>> touching;
  llvm::DenseMap<Value, AffineMap> maps;
  llvm::DenseMap<Value, Operation *> placedBy; ///< the op along which a value got its place

  void spread(Operation *op, Value from, SmallVectorImpl<Value> &work) {
    AffineMap map = maps.lookup(from);
    auto assign = [&](Value to, AffineMap toMap) {
      if (!maps.try_emplace(to, toMap).second) return;
      placedBy[to] = op;
      work.push_back(to);
    };
    if (AffineMap backward = layout::inverseViewMap(op)) {
      if (from == op->getOperand(0))
        assign(op->getResult(0), layout::compose(backward, map, extents));
      else
        assign(op->getOperand(0), layout::compose(layout::viewMap(op), map, extents));
      return;
    }
    for (Value operand : op->getOperands())
      if (shapeOf(operand) == shapeOf(from)) assign(operand, map);
    for (Value result : op->getResults()) assign(result, map);
  }
};

class Analysis {
public:
  Analysis(ArrayRef<Operation *> ops, ArrayRef<Value> outputs, std::string &reason)
      : ops(ops), values(outputs), reason(reason) {}

  FailureOr<KernelForm> run() {
    if (values.empty()) return fail("it has no output");
    context = values[0].getContext();
    for (Operation *op : ops) {
      if (auto reduce = dyn_cast<ReduceOp>(op)) form.reductions.push_back(reduce);
      if (auto matmul = dyn_cast<MatmulOp>(op)) {
        if (form.matmul) return fail("a kernel has one matmul");
        form.matmul = matmul;
      }
    }
    if (form.matmul && !form.reductions.empty()) return fail("a kernel has one anchor: a matmul or reductions");
    LogicalResult result = form.matmul ? runMatmul() : !form.reductions.empty() ? runReductions() : runPointwise();
    if (failed(result)) return failure();
    return form;
  }

private:
  ArrayRef<Operation *> ops;
  ArrayRef<Value> values;
  std::string &reason;
  MLIRContext *context = nullptr;
  KernelForm form;

  LogicalResult fail(std::string text) {
    reason = std::move(text);
    return failure();
  }
  AffineMap identity() { return layout::identity(context, form.extents); }
  /// Where `value` lies in the space of `extents`: its known place, or the same row-major position.
  AffineMap placeOf(Value value, const Places &places, ArrayRef<int64_t> extents) {
    if (AffineMap map = places.lookup(value)) return map;
    return layout::simplify(layout::reshapeMap(context, shapeOf(value), extents), extents);
  }

  LogicalResult runPointwise() {
    form.kind = KernelKind::Pointwise;
    form.extents.assign(shapeOf(values[0]).begin(), shapeOf(values[0]).end());
    bool sameShape = llvm::all_of(values, [&](Value v) { return shapeOf(v) == shapeOf(values[0]); });
    Places places(sameShape ? ArrayRef<Operation *>() : ops, form.extents);
    places.place(values[0], identity());
    for (Value value : values) {
      if (elementCount(shapeOf(value)) != elementCount(form.extents))
        return fail(fmt::format("outputs have different element counts, {} and {}", str(values[0].getType()),
                                str(value.getType())));
      form.outputs.push_back({value, false, sameShape ? identity() : placeOf(value, places, form.extents)});
    }
    return success();
  }

  LogicalResult runReductions() {
    ReduceOp first = form.reductions.front();
    ArrayRef<int64_t> shape = shapeOf(first.getX()), axes = first.getAxes();
    form.extents.assign(shape.begin(), shape.end());
    form.reducedAxes.assign(axes.begin(), axes.end());
    for (ReduceOp reduce : form.reductions)
      if (shapeOf(reduce.getX()) != shape || reduce.getAxes() != axes)
        return fail(fmt::format("reductions over different spaces, {} axes {} and {} axes {}",
                                str(first.getX().getType()), str(axes), str(reduce.getX().getType()),
                                str(reduce.getAxes())));
    bool lastAxis = axes.empty() || axes.back() + 1 == static_cast<int64_t>(shape.size());
    form.kind = lastAxis ? KernelKind::Row : KernelKind::Column;

    SmallVector<int64_t> kept;
    for (int64_t d : form.keptAxes()) kept.push_back(form.extents[d]);
    Places full(ops, form.extents), rows(ops, kept);
    AffineMap keptIdentity = layout::identity(context, kept);
    for (ReduceOp reduce : form.reductions) {
      full.place(reduce.getX(), identity());
      rows.place(reduce.getResult(), keptIdentity);
    }
    for (Value value : values) {
      int64_t count = elementCount(shapeOf(value));
      bool perRow = count == elementCount(kept) && (rows.lookup(value) || count != elementCount(form.extents));
      if (!perRow && count != elementCount(form.extents))
        return fail(fmt::format("output {} is neither one element per point of {} nor one per row",
                                str(value.getType()), str(form.extents)));
      form.outputs.push_back({value, perRow, perRow ? placeOf(value, rows, kept) : placeOf(value, full, form.extents)});
    }
    return checkReductionDemands({form.extents, form.keptProjection(context), full}, {kept, keptIdentity, rows});
  }

  /// The points at which outputs are demanded, and the map under which a reduction's result is the point's own.
  struct Space {
    ArrayRef<int64_t> extents;
    AffineMap ownRow;
    const Places &places;
  };

  /// Every use of a reduction's result inside the kernel is a broadcast back along the rows it came from.
  LogicalResult checkReductionDemands(const Space &full, const Space &kept) {
    auto check = [&](const Demand &root, const Space &space, unsigned &stage) {
      LogicalResult result = success();
      auto visit = [&](const Demand &demand) {
        auto reduce = demand.value.getDefiningOp<ReduceOp>();
        auto *found = llvm::find(form.reductions, reduce);
        if (!reduce || found == form.reductions.end()) return isInside(demand.value);
        size_t index = found - form.reductions.begin();
        if (demand.map != space.ownRow || index >= form.reductionStages.size()) {
          result = fail("a reduction's result is used at other rows than those it was reduced from");
          return false;
        }
        stage = std::max(stage, form.reductionStages[index] + 1);
        return false;
      };
      walkDemands(root, space.extents, visit, [&](const Demand &d) { return space.places.operandPlace(d); });
      return result;
    };
    for (ReduceOp reduce : form.reductions) {
      unsigned stage = 0;
      if (failed(check({reduce.getX(), identity()}, full, stage))) return failure();
      form.reductionStages.push_back(stage);
    }
    for (const OutputForm &output : form.outputs) {
      unsigned stage = 0;
      if (failed(check({output.value, output.store}, output.perRow ? kept : full, stage))) return failure();
    }
    return success();
  }

  LogicalResult runMatmul() {
    form.kind = KernelKind::Matmul;
    ArrayRef<int64_t> shape = shapeOf(form.matmul.getResult());
    form.extents.assign(shape.begin(), shape.end());
    Places places(ops, form.extents);
    places.place(form.matmul.getResult(), identity());
    for (Value value : values) {
      if (elementCount(shapeOf(value)) != elementCount(form.extents))
        return fail(fmt::format("output {} has another element count than the matmul's result {}", str(value.getType()),
                                str(form.extents)));
      form.outputs.push_back({value, false, placeOf(value, places, form.extents)});
    }
    LogicalResult result = success();
    auto visit = [&](const Demand &demand) {
      if (demand.value != form.matmul.getResult()) return isInside(demand.value);
      if (demand.map != identity()) result = fail("the matmul's result is used at another index than its own");
      return false;
    };
    for (const OutputForm &output : form.outputs)
      walkDemands(Demand{output.value, output.store}, form.extents, visit,
                  [&](const Demand &demand) { return places.operandPlace(demand); });
    return result;
  }

  bool isInside(Value value) {
    if (inside.empty()) inside.insert(ops.begin(), ops.end());
    return value.getDefiningOp() && inside.contains(value.getDefiningOp());
  }
  llvm::DenseSet<Operation *> inside;
};

} // namespace

FailureOr<KernelForm> kiln::graph::analyzeKernel(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                                                 std::string &reason) {
  return Analysis(ops, outputs, reason).run();
}

FailureOr<KernelForm> kiln::graph::analyzeKernel(KernelOp kernel, std::string &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator()) ops.push_back(&op);
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  SmallVector<Value> outputs(yield.getValues());
  return analyzeKernel(ops, outputs, reason);
}
