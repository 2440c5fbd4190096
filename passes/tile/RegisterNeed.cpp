#include "passes/tile/RegisterNeed.h"

#include "ir/tile/Rules.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::tile {

using namespace mlir;

namespace {

/// What ptxas keeps beside the program's values: descriptors, addresses of barriers, the thread's own places.
constexpr int64_t kBeside = 20;

/// What a value is made of where it costs nothing of its own: another order of the same registers, or one for many.
Value originOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<RelayoutOp, BroadcastOp>(op)) break;
    value = op->getOperand(0);
  }
  return value;
}

/// Values that are computed again wherever they are used: from the thread's number, or from one scalar.
bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<CoordinatesOp, SplatOp, LanesOp, LaneMaskOp, WgmmaNoneOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

int64_t registersOfFragment(RankedTensorType type) {
  std::optional<layout::Fragment> fragment = distributionOf(type);
  Type element = type.getElementType();
  if (!fragment || element.isInteger(1)) return 0;
  int64_t elements = fragment->registers(), bytes = bytesOf(element);
  return bytes < 4 ? llvm::divideCeil(elements * bytes, 4) : elements * (bytes / 4);
}

/// The walk over a region, backwards, with what is in use.
class Walk {
public:
  RegisterNeed most;

  using Live = llvm::SmallSetVector<Value, 16>;

  /// `live` holds what is in use behind the block, and becomes what is in use before it.
  void visit(Block &block, Live &live) {
    llvm::DenseMap<Operation *, SmallVector<Value>> read = readInFlight(block);
    for (Operation &op : llvm::reverse(block)) {
      if (auto values = read.find(&op); values != read.end())
        for (Value value : values->second) add(value, live);
      note(&op, live);
      if (auto part = dyn_cast<ExtractOp>(op)) ahead[originOf(part.getSource())] += registersOf(part.getResult());
      for (Value result : op.getResults()) live.remove(result);
      for (Region &region : op.getRegions()) enter(&op, region, live);
      for (Value operand : op.getOperands()) add(operand, live);
      // An op that computes element by element has one's result in the other's registers.
      note(&op, live);
    }
    for (BlockArgument argument : block.getArguments()) live.remove(argument);
  }

private:
  static void add(Value value, Live &live) {
    value = originOf(value);
    if (!isFree(value)) live.insert(value);
  }

  /// Fragments that a tensor core still reads, by the op at which it is done with them.
  static llvm::DenseMap<Operation *, SmallVector<Value>> readInFlight(Block &block) {
    llvm::DenseMap<Operation *, SmallVector<Value>> values;
    for (auto product : block.getOps<WgmmaOp>()) {
      if (!isFragment(product.getA().getType())) continue;
      Operation *at = product;
      while (at != &block.back() && !isDoneBetween(block, product, at->getNextNode())) at = at->getNextNode();
      values[at].push_back(product.getA());
    }
    return values;
  }

  /// A region of an op: what follows it is in use all through, and so is what a loop uses from around it.
  void enter(Operation *op, Region &region, Live &live) {
    if (region.empty()) return;
    Live around;
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Value value = originOf(operand); !region.isAncestor(value.getParentRegion()) && !isFree(value))
          around.insert(value);
    });
    Live inside = live;
    if (isa<LoopLikeOpInterface>(op)) inside.insert(around.begin(), around.end());
    for (Block &block : llvm::reverse(region)) visit(block, inside);
    live.insert(around.begin(), around.end());
  }

  void note(Operation *op, const Live &live) {
    int64_t fragments = 0, scalars = 0;
    for (Value value : live) {
      bool isSpread = isFragment(value.getType()) || isa<PendingType>(value.getType());
      (isSpread ? fragments : scalars) += costOf(value, live);
    }
    if (fragments + scalars < most.fragments + most.scalars) return;
    most = {fragments, scalars, op};
  }

  /// What is taken apart is in use part by part: what has not been extracted yet, and the parts themselves.
  int64_t costOf(Value value, const Live &live) const {
    if (isTakenApart(value)) return std::min(ahead.lookup(value), registersOf(value));
    auto part = value.getDefiningOp<ExtractOp>();
    if (!part) return registersOf(value);
    Value whole = originOf(part.getSource());
    return live.contains(whole) && !isTakenApart(whole) ? 0 : registersOf(value);
  }

  /// All that is ever done with the value, under any name, is to extract parts, in the block that it is made in.
  static bool isTakenApart(Value value) {
    return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
      return isa<ExtractOp>(user) && user->getBlock() == value.getParentBlock();
    });
  }

  llvm::DenseMap<Value, int64_t> ahead; ///< registers of the parts that are extracted behind where the walk is
};

} // namespace

int64_t RegisterNeed::total() const { return fragments + scalars + kBeside; }

int64_t registersOf(Value value) {
  if (isFree(value)) return 0;
  Type type = value.getType();
  if (auto pending = dyn_cast<PendingType>(type)) return registersOfFragment(pending.getFragment());
  if (isFragment(type)) return registersOfFragment(cast<RankedTensorType>(type));
  // Tiles, rings and tensors are addresses that a warp shares; conditions are predicates.
  if (!type.isIntOrIndexOrFloat() || type.isInteger(1)) return 0;
  return type.isIntOrFloat() && bytesOf(type) > 4 ? 2 : 1;
}

RegisterNeed registerNeed(Region &region) {
  Walk walk;
  Walk::Live live;
  for (Block &block : llvm::reverse(region)) walk.visit(block, live);
  return walk.most;
}

} // namespace kiln::tile
