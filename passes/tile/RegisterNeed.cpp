#include "passes/tile/RegisterNeed.h"

#include "ir/tile/Rules.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::tile {

using namespace mlir;

namespace {

/// What ptxas keeps beside the program's values: descriptors, addresses of barriers, the thread's own places.
constexpr int64_t kBeside = 20;

/// Values that are computed again wherever they are used: from the thread's number, or from one scalar.
bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<CoordinatesOp, SplatOp, LanesOp, LaneMaskOp, WgmmaNoneOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

/// The fragment that a value is, in flight or not; null where it is none.
RankedTensorType fragmentOf(Value value) {
  if (auto pending = dyn_cast<PendingType>(value.getType())) return pending.getFragment();
  return isFragment(value.getType()) ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

/// Elements of a fragment in one thread: 0 where they take no registers of their own, such as conditions.
int64_t elementsOf(RankedTensorType type) {
  std::optional<layout::Fragment> fragment = distributionOf(type);
  return fragment && !type.getElementType().isInteger(1) ? fragment->registers() : 0;
}

int64_t registersFor(int64_t elements, Type element) {
  int64_t bytes = bytesOf(element);
  return bytes < 4 ? llvm::divideCeil(elements * bytes, 4) : elements * (bytes / 4);
}

/// What is in use: values, and which of a fragment's elements. Parts of fragments, other layouts and what is broadcast
/// are elements of what they were taken from, until something is computed of them.
class Live {
public:
  void add(Value value) {
    if (isFree(value)) return;
    RankedTensorType type = fragmentOf(value);
    add(value, llvm::BitVector(static_cast<unsigned>(type ? elementsOf(type) : 1), true));
  }
  void add(const Live &other) {
    for (auto &[value, elements] : other.values) merge(value, elements);
  }
  void remove(Value value) { values.erase(value); }
  /// Whether an op's result is elements of its operand, so that using it is using those.
  static bool isAlias(Operation *op) {
    if (isa<BroadcastOp>(op)) return true;
    if (!isa<RelayoutOp, ExtractOp>(op)) return false;
    auto own = distributionOf(op->getResult(0).getType());
    return own && sourceOf(op, llvm::BitVector(static_cast<unsigned>(own->registers())));
  }

  RegisterNeed need() const {
    RegisterNeed sum;
    for (auto &[value, elements] : values) {
      RankedTensorType type = fragmentOf(value);
      if (type)
        sum.fragments += registersFor(elements.count(), type.getElementType());
      else
        sum.scalars += registersOf(value);
    }
    return sum;
  }

private:
  llvm::MapVector<Value, llvm::BitVector> values;

  void merge(Value value, const llvm::BitVector &elements) {
    auto [it, isNew] = values.try_emplace(value, elements);
    if (!isNew) it->second |= elements;
  }

  void add(Value value, const llvm::BitVector &elements) {
    if (isFree(value)) return;
    Operation *op = value.getDefiningOp();
    if (auto wide = dyn_cast_or_null<BroadcastOp>(op)) return add(wide.getX());
    if (isa_and_nonnull<RelayoutOp, ExtractOp>(op))
      if (auto source = sourceOf(op, elements)) return add(op->getOperand(0), *source);
    merge(value, elements);
  }

  /// The elements of its operand that an op's elements are; none where that is not known.
  static std::optional<llvm::BitVector> sourceOf(Operation *op, const llvm::BitVector &elements) {
    layout::Place at;
    if (auto part = dyn_cast<ExtractOp>(op)) {
      std::optional<int64_t> row = constantOf(part.getRow()), column = constantOf(part.getColumn());
      if (!row || !column) return std::nullopt;
      at = {*row, *column};
    }
    auto whole = distributionOf(op->getOperand(0).getType()), own = distributionOf(op->getResult(0).getType());
    auto registers = whole && own ? layout::registersOf(*whole, *own, at) : std::nullopt;
    if (!registers || registers->size() != elements.size()) return std::nullopt;
    llvm::BitVector source(static_cast<unsigned>(whole->registers()));
    for (unsigned i : elements.set_bits()) source.set(static_cast<unsigned>((*registers)[i]));
    return source;
  }
};

/// The walk over a region, backwards, with what is in use.
class Walk {
public:
  RegisterNeed most;

  /// `live` holds what is in use behind the block, and becomes what is in use before it.
  void visit(Block &block, Live &live) {
    llvm::DenseMap<Operation *, SmallVector<Value>> read = readInFlight(block);
    for (Operation &op : llvm::reverse(block)) {
      for (Value value : read.lookup(&op)) live.add(value);
      note(&op, live);
      for (Value result : op.getResults()) live.remove(result);
      for (Region &region : op.getRegions()) enter(&op, region, live);
      if (Live::isAlias(&op)) continue;
      for (Value operand : op.getOperands()) live.add(operand);
      // An op that computes element by element has one's result in the other's registers.
      note(&op, live);
    }
    for (BlockArgument argument : block.getArguments()) live.remove(argument);
  }

private:
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
        if (!region.isAncestor(operand.getParentRegion())) around.add(operand);
    });
    Live inside = live;
    if (isa<LoopLikeOpInterface>(op)) inside.add(around);
    for (Block &block : llvm::reverse(region)) visit(block, inside);
    live.add(around);
  }

  void note(Operation *op, const Live &live) {
    RegisterNeed need = live.need();
    if (need.total() < most.total()) return;
    most = need;
    most.where = op;
  }
};

} // namespace

int64_t RegisterNeed::total() const { return fragments + scalars + kBeside; }

int64_t registersOf(Value value) {
  if (isFree(value)) return 0;
  if (RankedTensorType type = fragmentOf(value)) return registersFor(elementsOf(type), type.getElementType());
  // Tiles, rings and tensors are addresses that a warp shares; conditions are predicates.
  Type type = value.getType();
  if (!type.isIntOrIndexOrFloat() || type.isInteger(1)) return 0;
  return type.isIntOrFloat() && bytesOf(type) > 4 ? 2 : 1;
}

RegisterNeed registerNeed(Region &region) {
  Walk walk;
  Live live;
  for (Block &block : llvm::reverse(region)) walk.visit(block, live);
  return walk.most;
}

} // namespace kiln::tile
