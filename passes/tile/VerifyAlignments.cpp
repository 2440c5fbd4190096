// `aligned`, and that copies by chunks start and end at chunks, is what code relies on, so it has to follow.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/Alignment.h"
#include "passes/tile/VerifyRule.h"

#include <fmt/format.h>
#include <numeric>

namespace kiln::tile {

using namespace mlir;

static int64_t elementsOfChunk(Type element) { return std::max<int64_t>(16 / bytesOf(element), 1); }

namespace {

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
  auto run = [&](auto bulk, SharedType tile) {
    chunks("offset", bulk.getOffset(), tile.getElementType());
    chunks("count", bulk.getCount(), tile.getElementType());
  };
  if (auto load = dyn_cast<BulkLoadOp>(op)) run(load, load.getTarget().getType());
  if (auto store = dyn_cast<BulkStoreOp>(op)) run(store, store.getSource().getType());
  return claims;
}

static LogicalResult check(Operation *op, const Claim &claim, Alignment &alignment) {
  if (claim.multipleOf <= 1) return success();
  std::optional<int64_t> largest = alignment.divisorOf(claim.value, op).largest;
  if (!largest || *largest % claim.multipleOf == 0) return success();
  int64_t divisor = std::gcd(*largest, claim.multipleOf);
  std::string declared =
      fmt::format("`{} = {}` on the arguments whose rows are so long", kAligned.str(), claim.multipleOf);
  return violate(op, {"",
                      fmt::format("{} follows from what a launch checks of the {}",
                                  claim.isSaid ? "`aligned`" : "that copies move whole 16-byte chunks", claim.what),
                      fmt::format("multiples of {}", claim.multipleOf), fmt::format("multiples of {}", divisor),
                      claim.isSaid ? fmt::format("`aligned {}`, or {}", divisor, declared) : declared});
}

static LogicalResult checkAlignments(KernelOp kernel) {
  Alignment alignment(kernel);
  return checkEach(kernel, [&](Operation *op) {
    auto isRight = [&](const Claim &claim) { return succeeded(check(op, claim, alignment)); };
    return success(llvm::all_of(claimsOf(op), isRight));
  });
}

#define GEN_PASS_DEF_TILEVERIFYALIGNMENTS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyAlignments : Rule<impl::TileVerifyAlignmentsBase<TileVerifyAlignments>, checkAlignments> {};
} // namespace

} // namespace kiln::tile
