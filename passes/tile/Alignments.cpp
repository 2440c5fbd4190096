// `aligned`, and that copies by chunks start and end at chunks, is what code relies on, so it has to follow: from
// `tile.aligned` of arguments, which is checked before a launch, from constants and from what is multiplied. Where an
// offset is a sum of products of numbers that a launch is free to choose, and of turns of loops, it is a multiple
// exactly if all coefficients are.
#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"
#include "passes/tile/Forms.h"
#include "passes/tile/ProgramRules.h"
#include "passes/tile/RingTrace.h"
#include "runtime/Expr.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <numeric>
#include <set>

namespace kiln::tile {

using namespace mlir;

static int64_t elementsOfChunk(Type element) { return std::max<int64_t>(16 / bytesOf(element), 1); }

namespace {

/// Offsets of one kernel as forms over numbers that may be 0, 1, and more, each whatever the others are.
class Offsets {
public:
  explicit Offsets(KernelOp kernel) : kernel(kernel) {
    unify();
    kernel.getBody().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      Value turn = loop.getInductionVar();
      std::optional<Form> steps = forms.of(loop.getStep()).times(Form::of(turn));
      std::optional<Form> form = steps ? forms.of(loop.getLowerBound()).plus(*steps) : std::nullopt;
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (!form || (trips && trips->ult(2))) return;
      turns.insert(turn.getAsOpaquePointer());
      forms.set(turn, *form);
    });
    learnExtents();
  }

  /// The largest number that divides all that `value` may be where `op` runs, up to `most`, if it is known not to be a
  /// multiple of it.
  std::optional<int64_t> divisorBelow(Operation *op, Value value, int64_t most) {
    if (mayBeLeftOut(op)) return std::nullopt; // a branch may ask first whether it is one
    // Where each of its numbers is 0 or 1 (times what divides it), a product is that of its factors, once each.
    std::map<std::set<const void *>, int64_t> reduced;
    Form form = forms.of(value);
    for (const auto &[product, coefficient] : form.terms()) {
      int64_t scaled = coefficient;
      for (const void *factor : product) {
        std::optional<int64_t> divisor = divisorOf(factor, op);
        if (!divisor || llvm::MulOverflow(scaled, *divisor, scaled)) return std::nullopt;
      }
      int64_t &sum = reduced[{product.begin(), product.end()}];
      if (llvm::AddOverflow(sum, scaled, sum)) return std::nullopt;
    }
    int64_t divisor = most;
    for (const auto &[factors, coefficient] : reduced) divisor = std::gcd(divisor, coefficient);
    return divisor == most ? std::nullopt : std::optional(divisor);
  }

private:
  static constexpr int64_t kWarp = 32;
  KernelOp kernel;
  Forms forms;
  std::set<const void *> turns;
  llvm::StringMap<int64_t> divisors; ///< of extents
  llvm::StringSet<> unsure;          ///< extents that a launch may check in other ways

  /// What has no operands, such as an extent, is the same wherever it is asked for.
  void unify() {
    std::map<std::pair<const void *, const void *>, Value> first;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<ExtentOp, CtaIdOp, CtaCountOp, WarpIdOp, ClusterRankOp>(op)) return;
      std::pair key(op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer());
      auto [known, isNew] = first.try_emplace(key, op->getResult(0));
      if (!isNew) forms.set(op->getResult(0), Form::of(known->second));
    });
  }

  /// What divides a number that may be any of its multiples where `user` runs; nullopt where it may not.
  std::optional<int64_t> divisorOf(const void *pointer, Operation *user) {
    if (turns.contains(pointer)) return 1;
    Value value = Value::getFromOpaquePointer(pointer);
    Operation *op = value.getDefiningOp();
    if (auto extent = dyn_cast_or_null<ExtentOp>(op)) return divisorOf(extent);
    if (isa_and_nonnull<CtaIdOp>(op) && hasAnyGrid()) return 1;
    if (auto tile = dyn_cast_or_null<RasterizeOp>(op))
      return constantOf(value == tile.getRow() ? tile.getRows() : tile.getColumns()) ? std::nullopt : std::optional(1);
    if (isa_and_nonnull<WarpIdOp>(op) && threadsAround(op) > kWarp && !producerAround(user)) return 1;
    if (isConsumer(value)) return 1;
    if (isa_and_nonnull<CtaCountOp>(op) && kernel.getGridOf() == "sms" && kernel.getCluster().value_or(1) == 1)
      return 1;
    return std::nullopt;
  }

  /// The number of one of several consumers.
  static bool isConsumer(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto roles = argument ? dyn_cast<SpecializeOp>(argument.getOwner()->getParentOp()) : SpecializeOp();
    return roles && roles.getConsumers() > 1;
  }

  /// What a launch checks of extents: as far as rows go, which have the last of an argument's without strides, they are
  /// multiples of what the argument says, and of 16 bytes where tensor maps copy it. An extent that no row has, or of
  /// which a tensor map is made in another way, is nobody's to say.
  void learnExtents() {
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      auto aligned = kernel.getArgAttrOfType<IntegerAttr>(i, kAligned);
      if (std::optional<StringRef> row = rowOf(i)) multiply(*row, aligned ? aligned.getInt() : 1);
    }
    for (const KernelArgument &argument : argumentsOf(kernel)) {
      if (argument.kind != KernelArgument::Kind::Map) continue;
      for (const std::string &extent : argument.map.view)
        for (const std::string &name : Expr::parse(extent).extents()) unsure.insert(name);
      auto memory = cast<GlobalType>(kernel.getArgumentTypes()[argument.argument]);
      std::optional<StringRef> row = argument.map.view.empty() ? rowOf(argument.argument) : std::nullopt;
      if (row) multiply(*row, elementsOfChunk(memory.getElementType()));
    }
  }
  /// The extent that an argument's rows have.
  std::optional<StringRef> rowOf(size_t argument) {
    auto memory = dyn_cast<GlobalType>(kernel.getArgumentTypes()[argument]);
    auto names = dimsOf(kernel, static_cast<unsigned>(argument));
    bool isRow = memory && memory.getStrides().empty() && memory.getShape().size() >= 2 && !names.empty();
    return isRow ? std::optional(names.back()) : std::nullopt;
  }
  void multiply(StringRef extent, int64_t factor) {
    int64_t &divisor = divisors.try_emplace(extent, 1).first->second;
    divisor = std::lcm(divisor, factor);
    if (divisor <= INT32_MAX) return;
    divisor = 1;
    unsure.insert(extent);
  }
  std::optional<int64_t> divisorOf(ExtentOp extent) {
    StringRef name = extent.getDim();
    bool isOpen = divisors.contains(name) && !unsure.contains(name) && !knownExtent(kernel, name);
    return isOpen ? std::optional(divisors.lookup(name)) : std::nullopt;
  }

  /// Whether launches may have any number of CTAs.
  bool hasAnyGrid() {
    static constexpr SampleLaunch kLarge{.extent = 1536, .sms = 23};
    if (!kernel.getGridOf() || gridOf(kernel, kLarge).value_or(0) < 2) return false;
    return llvm::any_of(Expr::parse(kernel.getGridOf()->str()).extents(),
                        [&](const std::string &name) { return name == "sms" || !knownExtent(kernel, name); });
  }
};

/// A number that an op takes to be a multiple of another one: it says so, or it moves whole 16-byte chunks.
struct Claim {
  const char *what;
  Value value;
  int64_t multipleOf;
  bool isSaid = true;
};

} // namespace

static SmallVector<Claim> claimsOf(Operation *op) {
  auto said = [](std::optional<uint64_t> aligned) { return static_cast<int64_t>(aligned.value_or(1)); };
  if (auto load = dyn_cast<LoadOp>(op)) return {{"offset", load.getOffset(), said(load.getAligned())}};
  if (auto store = dyn_cast<StoreOp>(op)) return {{"offset", store.getOffset(), said(store.getAligned())}};
  if (auto mask = dyn_cast<LaneMaskOp>(op)) return {{"count", mask.getCount(), said(mask.getAligned())}};
  SmallVector<Claim> claims;
  auto chunks = [&](const char *what, Value value, Type element) {
    if (value) claims.push_back({what, value, elementsOfChunk(element), false});
  };
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    Type element = copy.getSource().getType().getElementType();
    chunks("offset", copy.getOffset(), element);
    chunks("stride", copy.getStride(), element);
  }
  if (auto load = dyn_cast<BulkLoadOp>(op)) {
    Type element = load.getSource().getType().getElementType();
    chunks("offset", load.getOffset(), element);
    chunks("count", load.getCount(), element);
  }
  if (auto store = dyn_cast<BulkStoreOp>(op)) {
    Type element = store.getTarget().getType().getElementType();
    chunks("offset", store.getOffset(), element);
    chunks("count", store.getCount(), element);
  }
  return claims;
}

static LogicalResult check(Operation *op, const Claim &claim, Offsets &offsets) {
  if (claim.multipleOf <= 1) return success();
  std::optional<int64_t> divisor = offsets.divisorBelow(op, claim.value, claim.multipleOf);
  if (!divisor) return success();
  std::string declared =
      fmt::format("`{} = {}` on the arguments whose rows are so long", kAligned.str(), claim.multipleOf);
  return violate(op, {"",
                      fmt::format("{} follows from what a launch checks of the {}",
                                  claim.isSaid ? "`aligned`" : "that copies move whole 16-byte chunks", claim.what),
                      fmt::format("multiples of {}", claim.multipleOf), fmt::format("multiples of {}", *divisor),
                      claim.isSaid ? fmt::format("`aligned {}`, or {}", *divisor, declared) : declared});
}

LogicalResult checkAlignments(KernelOp kernel) {
  Offsets offsets(kernel);
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    for (const Claim &claim : claimsOf(op))
      if (failed(check(op, claim, offsets))) return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace kiln::tile
