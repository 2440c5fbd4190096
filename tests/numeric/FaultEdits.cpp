#include "tests/numeric/FaultEdits.h"

#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

namespace {

/// Applies `change` to every op of a type; whether it changed any.
template <typename Op> bool each(ModuleOp module, llvm::function_ref<bool(Op)> change) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  bool any = false;
  for (Op op : ops) any |= change(op);
  return any;
}

/// `value` plus a constant, before `op`.
Value plus(Operation *op, Value value, int64_t amount) {
  OpBuilder b(op);
  return arith::AddIOp::create(b, op->getLoc(), value, arith::ConstantIndexOp::create(b, op->getLoc(), amount));
}

bool isGlobal(Value memory) { return isa<tile::GlobalType>(memory.getType()); }

/// Replaces float constants (splat or scalar) for which `wanted` gives another value.
bool changeConstants(ModuleOp module, llvm::function_ref<std::optional<double>(arith::ConstantOp, double)> wanted) {
  return each<arith::ConstantOp>(module, [&](arith::ConstantOp constant) {
    auto number = dyn_cast<FloatAttr>(constant.getValue());
    auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    if (elements) number = elements.isSplat() ? elements.getSplatValue<FloatAttr>() : FloatAttr();
    if (!number || !number.getType().isF32()) return false;
    std::optional<double> value = wanted(constant, number.getValueAsDouble());
    if (!value) return false;
    FloatAttr changed = FloatAttr::get(number.getType(), *value);
    constant.setValueAttr(elements ? cast<TypedAttr>(DenseElementsAttr::get(elements.getType(), Attribute(changed)))
                                   : changed);
    return true;
  });
}

/// The loops around the first op of a type, innermost first.
template <typename Op> SmallVector<scf::ForOp> loopsAround(ModuleOp module) {
  SmallVector<scf::ForOp> loops;
  module.walk([&](Op op) {
    for (auto loop = op->template getParentOfType<scf::ForOp>(); loop;
         loop = loop->template getParentOfType<scf::ForOp>())
      loops.push_back(loop);
    return WalkResult::interrupt();
  });
  return loops;
}

/// Without the first turn, and without the last.
bool startLate(scf::ForOp loop) {
  OpBuilder b(loop);
  loop.getLowerBoundMutable().assign(arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
  return true;
}
bool endEarly(scf::ForOp loop) {
  OpBuilder b(loop);
  loop.getUpperBoundMutable().assign(arith::SubIOp::create(b, loop.getLoc(), loop.getUpperBound(), loop.getStep()));
  return true;
}

bool changeResidue(ModuleOp module, int64_t amount) {
  return each<tile::LaneMaskOp>(module, [&](tile::LaneMaskOp mask) {
    mask.getCountMutable().assign(plus(mask, mask.getCount(), amount));
    return true;
  });
}

} // namespace

namespace kiln::numeric {

bool storeWithoutMask(ModuleOp module) {
  return each<tile::StoreOp>(module, [](tile::StoreOp store) {
    if (!store.getMask()) return false;
    store.getMaskMutable().clear();
    return true;
  });
}

bool loadWithoutMask(ModuleOp module) {
  return each<tile::LoadOp>(module, [](tile::LoadOp load) {
    if (!load.getMask()) return false;
    load.getMaskMutable().clear();
    return true;
  });
}

bool residueOneShort(ModuleOp module) { return changeResidue(module, -1); }
bool residueOneLong(ModuleOp module) { return changeResidue(module, 1); }

bool swapSubtraction(ModuleOp module) {
  return each<arith::SubFOp>(module, [](arith::SubFOp sub) {
    Value lhs = sub.getLhs();
    sub.getLhsMutable().assign(sub.getRhs());
    sub.getRhsMutable().assign(lhs);
    return true;
  });
}

bool swapSelect(ModuleOp module) {
  return each<arith::SelectOp>(module, [](arith::SelectOp select) {
    Value taken = select.getTrueValue();
    select.getTrueValueMutable().assign(select.getFalseValue());
    select.getFalseValueMutable().assign(taken);
    return true;
  });
}

bool changeCoefficient(ModuleOp module) {
  bool done = false;
  return changeConstants(module, [&](arith::ConstantOp constant, double value) -> std::optional<double> {
    bool addend = llvm::any_of(constant->getUsers(), [](Operation *user) { return isa<math::FmaOp>(user); });
    if (done || !addend || value < 1e-3 || value > 0.1) return std::nullopt;
    done = true;
    return value * 1.001;
  });
}

bool shiftLoad(ModuleOp module) {
  return each<tile::LoadOp>(module, [](tile::LoadOp load) {
    if (!isGlobal(load.getSource())) return false;
    load.getOffsetMutable().assign(plus(load, load.getOffset(), 1));
    return true;
  });
}

bool shiftGather(ModuleOp module) {
  return each<tile::GatherOp>(module, [](tile::GatherOp gather) {
    OpBuilder b(gather);
    auto type = cast<RankedTensorType>(gather.getOffsets().getType());
    Value one = arith::ConstantIntOp::create(b, gather.getLoc(), type.getElementType(), 1);
    Value ones = tile::SplatOp::create(b, gather.getLoc(), type, one);
    gather.getOffsetsMutable().assign(arith::AddIOp::create(b, gather.getLoc(), gather.getOffsets(), ones));
    return true;
  });
}

bool orEqual(ModuleOp module) {
  return each<arith::CmpIOp>(module, [](arith::CmpIOp compare) {
    if (compare.getPredicate() != arith::CmpIPredicate::slt) return false;
    compare.setPredicate(arith::CmpIPredicate::sle);
    return true;
  });
}

bool sumFromOne(ModuleOp module) {
  return changeConstants(module, [](arith::ConstantOp, double value) -> std::optional<double> {
    return value == 0 && std::signbit(value) ? std::optional(1.0) : std::nullopt;
  });
}

bool maxFromZero(ModuleOp module) {
  return changeConstants(module, [](arith::ConstantOp, double value) -> std::optional<double> {
    return value == -std::numeric_limits<double>::infinity() ? std::optional(0.0) : std::nullopt;
  });
}

bool skipFirstChunk(ModuleOp module) {
  auto loops = loopsAround<tile::FoldUnitsOp>(module);
  return !loops.empty() && startLate(loops.front());
}

bool dropLastPiece(ModuleOp module) {
  auto loops = loopsAround<tile::FoldUnitsOp>(module); // chunks, pieces, rows
  if (loops.size() >= 2) return endEarly(loops[loops.size() - 2]);
  SmallVector<arith::AddFOp> sums; // of a row that is spread over CTAs: where another program adds its pieces
  module.walk([&](arith::AddFOp add) { sums.push_back(add); });
  if (sums.size() < 2) return false;
  sums.back().getResult().replaceAllUsesWith(sums.front().getResult());
  return true;
}

bool skipFirstOfColumn(ModuleOp module) {
  auto loops = loopsAround<arith::AddFOp>(module);
  return !loops.empty() && startLate(loops.front());
}

bool skipFirstK(ModuleOp module) {
  auto loops = loopsAround<tile::MmaOp>(module);
  return !loops.empty() && startLate(loops.front());
}

bool skipLastK(ModuleOp module) {
  auto loops = loopsAround<tile::MmaOp>(module);
  return !loops.empty() && endEarly(loops.front());
}

bool forgetAccumulators(ModuleOp module) {
  auto loops = loopsAround<tile::MmaOp>(module);
  if (loops.empty() || loops.front().getInitArgs().empty()) return false;
  OpBuilder b(loops.front());
  auto type = cast<RankedTensorType>(loops.front().getInitArgs()[0].getType());
  Value zero = arith::ConstantOp::create(b, loops.front().getLoc(), b.getZeroAttr(type.getElementType()));
  loops.front().getInitArgsMutable()[0].assign(tile::SplatOp::create(b, loops.front().getLoc(), type, zero));
  return true;
}

bool dropLastCta(ModuleOp module) {
  return each<tile::KernelOp>(module, [](tile::KernelOp kernel) {
    kernel.setGrid(*kernel.getGrid() - 1);
    return true;
  });
}

} // namespace kiln::numeric
