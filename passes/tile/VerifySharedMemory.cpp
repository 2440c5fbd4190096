// What shared tiles hold when they are read. A program's first turns are gone through in order: which tiles threads
// have written, which copies are on their way, which of them have been waited for, and whether all threads have met
// since. What depends on values that are not known, is behind a branch that may not be taken, or behind a loop's last
// turn that is looked at, is taken to be right.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"
#include "passes/tile/VerifyRule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <fmt/format.h>
#include <set>

namespace kiln::tile {

using namespace mlir;

namespace {

/// What a slot of memory holds; a later one is worse.
enum class Content { Right, NotMet, OnItsWay, Nothing };

struct Slot {
  Content content = Content::Nothing;
  int64_t group = 0;                        ///< of the copies on their way
  Operation *writer = nullptr;              ///< the copy, or the store, that was last
  bool mayBeWhole = false;                  ///< not known to be written in `parts` alone
  std::set<std::array<int64_t, 4>> parts{}; ///< written by threads: where, rows, columns, row stride

  void becomeRight() { *this = {Content::Right, 0, nullptr, true, {}}; }
  int64_t elements() const {
    int64_t sum = 0;
    for (const auto &part : parts) sum += part[1] * part[2];
    return sum;
  }
};

/// A shared tile by its memory. Without a number it is any slot.
struct Name {
  Operation *memory = nullptr; ///< null: none that is gone through
  bool isKnown = true;         ///< false: it may be any memory
  std::optional<int64_t> slot = 0;
  bool isPart = false;
};

/// How many elements of a tile that it reads whole come to something: what lies outside of a tensor is not stored, and
/// a row of an operand that nobody wrote makes a row of sums that nobody has to keep.
int64_t elementsNeededBy(Operation *op, Value tile) {
  ArrayRef<int64_t> shape = cast<SharedType>(tile.getType()).getShape();
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    bool isA = tile == product.getA(), isB = tile == product.getB();
    int64_t ofA = shape[product.getTransposeA() ? 0 : 1], ofB = shape[product.getTransposeB() ? 1 : 0];
    return isA && isB ? std::min(ofA, ofB) : isA ? ofA : ofB;
  }
  auto store = cast<TmaStoreOp>(op);
  ArrayRef<int64_t> extents = store.getTarget().getType().getShape();
  SmallVector<int64_t> box(shape);
  if (store.getBox()) box.assign(store.getBox()->begin(), store.getBox()->end());
  bool isOwn = !store.getView() && box.size() <= extents.size();
  int64_t elements = 1;
  for (auto [i, side] : llvm::enumerate(llvm::reverse(box))) {
    int64_t extent = isOwn ? extents[extents.size() - 1 - i] : ShapedType::kDynamic;
    if (llvm::MulOverflow(elements, ShapedType::isDynamic(extent) ? side : std::min(side, extent), elements)) return 0;
  }
  return elements;
}

/// The tile or tensor that an op writes; null if it writes none.
Value memoryWrittenBy(Operation *op) {
  for (const MemoryAccess &access : accessesOf(op))
    if (access.writes) return access.memory;
  return {};
}

//===- A run ------------------------------------------------------------------------------------------------------===//

class SharedMemoryState {
public:
  explicit SharedMemoryState(KernelOp kernel) : kernel(kernel) {
    kernel.getBody().walk([&](Operation *op) {
      if (isa<AllocOp>(op)) slots[op].resize(1);
      auto ring = dyn_cast<AllocRingOp>(op);
      if (!ring || ring.getReaders()) return; // what has barriers is held to other rules
      RingType type = ring.getRing().getType();
      constexpr int64_t kMostStages = 64;
      if (type.getStages() > kMostStages) return;
      slots[op].resize(static_cast<size_t>(type.getStages()) * type.getTiles().size());
      stages = std::max(stages, type.getStages());
    });
    kernel.getBody().walk([&](Operation *op) {
      Name name = nameOfMemory(memoryWrittenBy(op));
      everWritten.insert(name.memory);
      if (name.isKnown) return;
      for (auto &[memory, all] : slots) everWritten.insert(memory);
    });
  }

  LogicalResult go() { return run(kernel.getBody().front()); }

private:
  static constexpr int64_t kMostOps = 50000;
  KernelOp kernel;
  llvm::DenseMap<Operation *, SmallVector<Slot>> slots;
  llvm::DenseSet<Operation *> everWritten;
  IndexPolynomials forms;
  int64_t stages = 1, committed = 0, ops = 0;
  int doubts = 0; ///< branches around that may not be taken

  //===- Names ----------------------------------------------------------------------------------------------------===//

  Name nameOf(Value tile) const {
    if (auto part = tile.getDefiningOp<SubtileOp>()) {
      Name whole = nameOf(part.getSource());
      whole.isPart |= part.getSource().getType() != part.getType();
      return whole;
    }
    if (auto remote = tile.getDefiningOp<RemoteOp>()) return nameOf(remote.getTile());
    Operation *op = tile.getDefiningOp();
    if (!op) return {nullptr, isa_and_nonnull<FillOp>(cast<BlockArgument>(tile).getOwner()->getParentOp())};
    if (isa<AllocOp>(op)) return {op};
    if (isa<RingWaitOp>(op)) return {};
    auto slot = dyn_cast<SlotOp>(op);
    Operation *ring = slot ? slot.getRing().getDefiningOp() : nullptr;
    if (!isa_and_nonnull<AllocRingOp>(ring)) return {nullptr, false};
    if (!slots.contains(ring)) return {};
    std::optional<int64_t> iteration = forms.constantOf(slot.getIteration()), number;
    int64_t stagesHere = slot.getRing().getType().getStages();
    auto tiles = static_cast<int64_t>(slot.getNumResults());
    if (iteration && *iteration >= 0)
      number = *iteration % stagesHere * tiles + static_cast<int64_t>(cast<OpResult>(tile).getResultNumber());
    return {ring, true, number};
  }

  /// The same of what an op's operand names: nothing where there is none, or it is global memory.
  Name nameOfMemory(Value memory) const {
    return memory && isa<RemoteType, SharedType>(memory.getType()) ? nameOf(memory) : Name();
  }

  MutableArrayRef<Slot> slotsOf(const Name &name) {
    MutableArrayRef<Slot> all = slots.find(name.memory)->second;
    return name.slot ? all.slice(static_cast<size_t>(*name.slot), 1) : all;
  }

  //===- Accesses -------------------------------------------------------------------------------------------------===//

  LogicalResult read(Operation *op, const MemoryAccess &access) {
    Value tile = access.memory;
    bool isRemote = isa<RemoteType>(tile.getType());
    Name name = nameOfMemory(tile);
    if (!name.memory || doubts > 0) return success();
    ArrayRef<Slot> candidates = slotsOf(name);
    Content best = Content::Nothing;
    for (const Slot &slot : candidates) best = std::min(best, slot.content);
    Operation *writer = candidates.front().writer;
    constexpr int64_t kWarp = 32;
    bool isOneWarp = static_cast<int64_t>(kernel.getThreads().value_or(kWarp)) <= kWarp;
    auto refuse = [&](const char *rule, const std::string &expected, const std::string &found, const char *hint) {
      ir::Violation violation{"", rule, expected, found, hint};
      if (writer) violation.beside = {writer->getLoc(), "written here"};
      return violate(op, violation);
    };
    // What threads read too early they may leave out again; what nobody ever writes has nothing to be read for.
    bool isLeftOut =
        access.completion == Completion::Now && (isa<LoadMatrixOp>(op) || everWritten.contains(name.memory));
    if (best == Content::Nothing && isLeftOut) return success();
    if (best == Content::Nothing)
      return refuse("a shared tile is written before it is read", "a store or a copy to the tile before", "none",
                    "that store or copy, or a read that is left out in the first turn");
    if (best == Content::OnItsWay)
      return refuse("copies by threads have been waited for before their tile is read",
                    "a tile.async_wait that leaves fewer groups than were committed since, then a tile.barrier",
                    "a copy that may be on its way", "a smaller number of groups, or a tile.async_commit behind each");
    if (best == Content::NotMet && !isOneWarp && !isRemote && !isBarrier(op))
      return refuse("threads meet between the wait for their copies and the reads of all of them",
                    "tile.async_wait, then tile.barrier", "no tile.barrier behind the wait",
                    "tile.barrier behind tile.async_wait");
    if (!access.whole || name.isPart || candidates.size() != 1 || candidates.front().mayBeWhole) return success();
    int64_t needed = elementsNeededBy(op, tile), written = candidates.front().elements();
    if (written >= needed) return success();
    return refuse("all of a tile is written before all of it is read", fmt::format("{} elements", needed),
                  fmt::format("{} elements", written), "a tile that is no larger");
  }

  /// The part of its tile that an op writes; nullopt where that is not known.
  std::optional<std::array<int64_t, 4>> partOf(Operation *op) const {
    if (auto store = dyn_cast<StoreMatrixOp>(op)) {
      auto row = forms.constantOf(store.getRow()), column = forms.constantOf(store.getColumn());
      auto value = cast<RankedTensorType>(store.getValue().getType());
      int64_t stride = store.getTarget().getType().getShape()[1];
      if (row && column) return std::array{*row * stride + *column, value.getDimSize(0), value.getDimSize(1), stride};
    }
    auto store = dyn_cast<StoreOp>(op);
    std::optional<int64_t> offset = store ? forms.constantOf(store.getOffset()) : std::nullopt;
    if (!offset) return std::nullopt;
    auto fragment = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (!fragment) return std::array{*offset, int64_t(1), int64_t(1), int64_t(0)};
    if (isa<SimdColumnAttr>(fragment.getEncoding())) return std::nullopt;
    return std::array{*offset, fragment.getRank() == 2 ? fragment.getDimSize(0) : 1, fragment.getShape().back(),
                      static_cast<int64_t>(store.getRowStride().value_or(0))};
  }

  void write(Operation *op, const MemoryAccess &access) {
    Value tile = access.memory;
    Name name = nameOfMemory(tile);
    if (!name.isKnown) {
      for (auto &[memory, all] : slots)
        for (Slot &slot : all) slot.becomeRight();
      return;
    }
    if (!name.memory) return;
    bool isSure = name.slot && doubts == 0 && !isa<RemoteType>(tile.getType()),
         copies = access.completion == Completion::AsyncGroup;
    for (Slot &slot : slotsOf(name)) {
      if (copies && isSure && !name.isPart) {
        slot = {Content::OnItsWay, committed + 1, op, true, {}};
        continue;
      }
      std::optional<std::array<int64_t, 4>> part = isSure && !name.isPart && !copies ? partOf(op) : std::nullopt;
      slot.content = Content::Right;
      slot.writer = op;
      slot.mayBeWhole |= !part;
      if (part) slot.parts.insert(*part);
    }
  }

  void wait(int64_t pending) {
    for (auto &[memory, all] : slots)
      for (Slot &slot : all)
        if (slot.content == Content::OnItsWay && slot.group <= committed - pending) slot.content = Content::NotMet;
  }
  void meet() {
    for (auto &[memory, all] : slots)
      for (Slot &slot : all)
        if (slot.content == Content::NotMet) slot.content = Content::Right;
  }

  //===- Control --------------------------------------------------------------------------------------------------===//

  LogicalResult run(Block &block) {
    for (Operation &op : block)
      if (failed(run(&op))) return failure();
    return success();
  }

  LogicalResult run(Operation *op) {
    if (++ops > kMostOps) return success();
    if (auto loop = dyn_cast<scf::ForOp>(op)) return runFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op)) return runIf(branch);
    if (auto roles = dyn_cast<SpecializeOp>(op)) return runRoles(roles);
    if (isa<FillOp>(op)) {
      settle(op); // what it copies is waited for at its barrier
      return success();
    }
    if (op->getNumRegions() > 0) return runOther(op);
    // Those who store by the asynchronous proxy synchronise before one of them starts to read.
    SmallVector<MemoryAccess, 2> accesses = accessesOf(op);
    for (const MemoryAccess &access : accesses)
      if (!access.writes && failed(read(op, access))) return failure();
    for (const MemoryAccess &access : accesses)
      if (access.writes) write(op, access);
    if (isa<AsyncCommitOp>(op)) ++committed;
    auto waits = dyn_cast<CompletionOpInterface>(op);
    if (waits && waits.getCompletion() == Completion::AsyncGroup) wait(waits.getLeft());
    if (isBarrier(op)) meet();
    return success();
  }

  /// Whatever is written in there may hold what it should.
  void settle(Operation *around) {
    around->walk([&](Operation *op) {
      Name name = nameOfMemory(memoryWrittenBy(op));
      if (!name.memory) return;
      name.slot = std::nullopt;
      for (Slot &slot : slotsOf(name)) slot.becomeRight();
    });
  }

  /// Gives `to` what is known of `from`.
  void carry(ValueRange to, ValueRange from) {
    SmallVector<std::optional<int64_t>> numbers;
    for (Value value : from) numbers.push_back(value.getType().isIntOrIndex() ? forms.constantOf(value) : std::nullopt);
    for (auto [value, number] : llvm::zip_equal(to, numbers))
      number ? forms.set(value, IndexPolynomial(*number)) : forms.forget(value);
  }

  LogicalResult runFor(scf::ForOp loop) {
    std::optional<int64_t> first = forms.constantOf(loop.getLowerBound()), step = forms.constantOf(loop.getStep());
    std::optional<int64_t> end = forms.constantOf(loop.getUpperBound());
    constexpr int64_t kFew = 16, kLarge = int64_t(1) << 40;
    auto isSmall = [](std::optional<int64_t> n) { return n && *n > -kLarge && *n < kLarge; };
    bool isWhole = isSmall(first) && isSmall(step) && isSmall(end) && *step > 0;
    int64_t trips = isWhole ? std::max<int64_t>(llvm::divideCeilSigned(*end - *first, *step), 0) : stages + 2;
    if (trips > kFew + stages) {
      isWhole = false;
      trips = stages + 2;
    }
    carry(loop.getRegionIterArgs(), loop.getInits());
    for (int64_t turn = 0; turn < trips && ops <= kMostOps; ++turn) {
      if (isSmall(first) && isSmall(step))
        forms.set(loop.getInductionVar(), IndexPolynomial(*first + turn * *step));
      else
        forms.forget(loop.getInductionVar());
      if (failed(run(*loop.getBody()))) return failure();
      carry(loop.getRegionIterArgs(), loop.getYieldedValues());
    }
    carry(loop.getResults(), loop.getRegionIterArgs());
    forms.forget(loop.getInductionVar());
    if (isWhole) return success();
    for (Value result : loop.getResults()) forms.forget(result);
    settle(loop);
    return success();
  }

  LogicalResult runIf(scf::IfOp branch) {
    std::optional<bool> condition = forms.isTrue(branch.getCondition());
    if (!condition) return runOther(branch);
    Region &taken = *condition ? branch.getThenRegion() : branch.getElseRegion();
    if (taken.empty()) return success();
    if (failed(run(taken.front()))) return failure();
    carry(branch.getResults(), taken.front().getTerminator()->getOperands());
    return success();
  }

  /// What may or may not run.
  LogicalResult runOther(Operation *op) {
    ++doubts;
    for (Value result : op->getResults()) forms.forget(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(run(block))) return failure();
    --doubts;
    settle(op);
    return success();
  }

  /// A consumer's run, by which what another role writes may have been written.
  LogicalResult runRoles(SpecializeOp roles) {
    SmallVector<Operation *> outside;
    for (auto &[memory, all] : slots)
      if (!roles->isAncestor(memory)) outside.push_back(memory);
    roles->walk([&](Operation *op) {
      Name name = nameOfMemory(memoryWrittenBy(op));
      if (!name.memory || !llvm::is_contained(outside, name.memory)) return;
      name.slot = std::nullopt;
      for (Slot &slot : slotsOf(name)) slot.becomeRight();
    });
    return run(roles.getConsumer().front());
  }
};

} // namespace

static LogicalResult checkContents(KernelOp kernel) { return SharedMemoryState(kernel).go(); }

#define GEN_PASS_DEF_TILEVERIFYSHAREDMEMORY
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifySharedMemory : Rule<impl::TileVerifySharedMemoryBase<TileVerifySharedMemory>, checkContents> {};
} // namespace

} // namespace kiln::tile
