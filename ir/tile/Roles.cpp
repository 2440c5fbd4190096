// Constraints of the ops in Roles.td.
#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

namespace {
constexpr int64_t kWarpgroup = 128;
} // namespace

//===- tile.specialize --------------------------------------------------------------------------------------------===//

/// (C3): what the roles have is what the launch gave.
static LogicalResult checkRegisters(SpecializeOp op) {
  constexpr int64_t kFile = 65536, kUnit = 8, kLeast = 24, kMost = 240;
  auto consumers = static_cast<int64_t>(op.getConsumers());
  auto producer = static_cast<int64_t>(op.getProducerRegisters()),
       consumer = static_cast<int64_t>(op.getConsumerRegisters());
  for (int64_t registers : {producer, consumer})
    if (registers % kUnit != 0 || registers < kLeast || registers > kMost)
      return violate(op, {"C3", "a role's registers are what hardware deals out",
                          fmt::format("a multiple of {}, {} to {}", kUnit, kLeast, kMost), std::to_string(registers)});
  int64_t threads = kWarpgroup * (1 + consumers);
  int64_t launched = kFile / threads / kUnit * kUnit, wanted = producer + consumers * consumer;
  if (wanted <= launched * (1 + consumers)) return success();
  return violate(
      op, {"C3", "roles share the registers of the launch",
           fmt::format("at most {}, {} for each of {} warpgroups", launched * (1 + consumers), launched, 1 + consumers),
           fmt::format("{} + {} x {} = {}", producer, consumers, consumer, wanted)});
}

LogicalResult SpecializeOp::verify() {
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  Operation *next = (*this)->getNextNode();
  if (!kernel || !isa_and_nonnull<ReturnOp>(next))
    return violate(*this, {"C1", "roles part once, at the end of the kernel", "in the kernel's block, then tile.return",
                           !kernel ? "in another block"
                           : next  ? next->getName().getStringRef().str() + " behind it"
                                   : "nothing behind it"});
  auto consumers = static_cast<int64_t>(getConsumers()),
       threads = static_cast<int64_t>(kernel.getThreads().value_or(0));
  if (consumers < 1 || threads != kWarpgroup * (1 + consumers))
    return violate(*this,
                   {"C2", "each role's warpgroups are threads of the CTA",
                    fmt::format("at least 1 consumer, {} threads for {}", kWarpgroup * (1 + consumers), consumers),
                    std::to_string(threads)});
  return checkRegisters(*this);
}

/// Ops that one thread cannot run: their threads meet, or each holds a part.
static bool needsWarpgroup(Operation *op) {
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  if (collective && collective.getCollective() != Collective::Thread) return true;
  auto spread = [](Type type) { return isFragment(type) || isa<PendingType>(type); };
  return llvm::any_of(op->getOperandTypes(), spread) || llvm::any_of(op->getResultTypes(), spread);
}

LogicalResult SpecializeOp::verifyRegions() {
  TypeRange producer = getProducer().front().getArgumentTypes(), consumer = getConsumer().front().getArgumentTypes();
  if (!producer.empty() || consumer.size() != 1 || !consumer.front().isIndex())
    return violate(*this, {"C4", "a consumer is told its number, the producer nothing", "one index, none",
                           spell(consumer) + " and " + spell(producer)});
  WalkResult result = getProducer().walk([&](Operation *op) {
    if (!needsWarpgroup(op)) return WalkResult::advance();
    (void)violate(*this,
                  {"C5", "one thread produces", "no op that threads meet for", op->getName().getStringRef().str()});
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===- Turns ------------------------------------------------------------------------------------------------------===//

LogicalResult AllocTurnsOp::verify() {
  constexpr int64_t kBarriers = 16;
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  int64_t consumers = 0, used = 1, groups = getTurns().getType().getGroups();
  if (kernel) {
    for (auto roles : kernel.getBody().getOps<SpecializeOp>()) consumers = static_cast<int64_t>(roles.getConsumers());
    used += 1 + consumers;
    for (auto turns : kernel.getBody().getOps<AllocTurnsOp>()) used += turns.getTurns().getType().getGroups();
  }
  if (!kernel || groups != consumers)
    return violate(*this, {"C1", "turns are taken by the kernel's consumers",
                           kernel ? fmt::format("of {} warpgroups", consumers) : "in the kernel's own block",
                           kernel ? std::to_string(groups) : "in another"});
  if (used <= kBarriers) return success();
  return violate(*this, {"C2", "a CTA has few named barriers",
                         fmt::format("{}: its own, one of each warpgroup, one of each turn", kBarriers),
                         std::to_string(used)});
}

/// (C1) of turns taken and passed.
static LogicalResult checkConsumer(Operation *op) {
  if (consumersAround(op)) return success();
  return violate(op, {"C1", "consumers take turns", "in a `consumers` region", "elsewhere"});
}
LogicalResult TakeTurnOp::verify() { return checkConsumer(*this); }
LogicalResult PassTurnOp::verify() { return checkConsumer(*this); }

//===- Clusters ---------------------------------------------------------------------------------------------------===//

LogicalResult ClusterBarrierOp::verify() {
  if (!(*this)->getParentOfType<SpecializeOp>()) return success();
  return violate(*this, {"C1", "all threads of a cluster meet", "outside of roles", "in a role"});
}

LogicalResult RemoteOp::verify() {
  if (getType().getTile() == getTile().getType()) return success();
  return violate(*this, {"C1", "the result is the tile's", spell(getTile().getType()), spell(getType().getTile())});
}

//===- Extents, strides and the order of tiles --------------------------------------------------------------------===//

LogicalResult ExtentOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel) return success();
  llvm::SetVector<StringRef> names = extentNames(kernel);
  if (names.contains(getDim())) return success();
  return violate(*this, {"C1", "some argument's dimension has the name",
                         names.empty() ? "no name: `tile.dims` gives none" : llvm::join(names, ", "), getDim().str()});
}

LogicalResult StrideOp::verify() {
  if (!argumentNumber(getMemory()))
    return violate(*this,
                   {"C1", "a launch knows the strides of arguments", "an argument of the kernel", "another value"});
  auto dim = static_cast<int64_t>(getDim()), rank = static_cast<int64_t>(getMemory().getType().getShape().size());
  if (dim >= 0 && dim < rank) return success();
  return violate(*this, {"C2", "the memory has the dimension", fmt::format("below {}", rank), std::to_string(dim)});
}

LogicalResult RasterizeOp::verify() {
  if (auto group = static_cast<int64_t>(getGroup()); group < 1)
    return violate(*this, {"C1", "a group has rows", "1 or more", std::to_string(group)});
  return success();
}
