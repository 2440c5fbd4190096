#include "codegen/gpu/LevelSpec.h"
#include "codegen/gpu/ByteFloats.h"
#include "codegen/gpu/Rows.h"
#include "codegen/lower/LevelSpec.h"
#include "codegen/ptx/PtxTranslation.h"
#include "ir/Violation.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

constexpr int64_t kMostRegisters = 255; ///< of a thread, 32 bits each

/// Registers that a thread needs for a fragment: two 16-bit elements share one.
int64_t registersOf(const layout::Fragment &fragment, Type element) {
  int64_t elements = fragment.registers(), bytes = tile::bytesOf(element);
  return bytes == 2 ? llvm::divideCeil(elements, 2) : elements * std::max<int64_t>(bytes / 4, 1);
}

/// What copies and products move, threads do not compute with all of it.
bool isStored(Type element) { return isNumber(element) || isa<Float8E4M3FNType, Float8E5M2Type>(element); }

/// Empty if a value may have this type, else what is wrong with it.
StringRef whyNot(Type type) {
  if (Type element = tile::elementTypeOf(type)) return isStored(element) ? "" : "no such elements in memory";
  if (auto ring = dyn_cast<tile::RingType>(type)) {
    for (tile::SharedType tile : ring.getTiles())
      if (StringRef reason = whyNot(tile); !reason.empty()) return reason;
    return "";
  }
  if (auto pending = dyn_cast<tile::PendingType>(type)) return whyNot(pending.getFragment());
  if (isa<tile::MBarrierType, tile::TurnsType>(type)) return "";
  if (type.isIndex() || isNumber(type)) return "";
  auto fragment = tile::distributionOf(type);
  if (!fragment) return tile::isFragment(type) ? "its layout is of one thread" : "no such type is computed with";
  Type element = cast<RankedTensorType>(type).getElementType();
  if (!isStored(element)) return "no such elements are computed with";
  return registersOf(*fragment, element) > kMostRegisters ? "a thread has 255 registers for a fragment" : "";
}

/// A tile's or ring's offset and bytes, and where it may start.
LogicalResult verifyPlace(Operation *op, std::optional<int64_t> offset, int64_t bytes, int64_t alignment,
                          int64_t sharedBytes) {
  if (!offset) return op->emitOpError("has no offset; tile-assign-shared sets it");
  if (*offset >= 0 && *offset % alignment == 0 && bytes <= sharedBytes && *offset <= sharedBytes - bytes)
    return success();
  return ir::violate(op, {"", "cannot lie at this offset",
                          fmt::format("a multiple of {}, the tile's end at most {}", alignment, sharedBytes),
                          std::to_string(*offset)});
}

/// Whether the target has what the op's row needs.
LogicalResult verifyFeature(Operation *op, const GpuTarget &target) {
  GpuFeature feature = featureOf(op);
  if (has(target, feature)) return success();
  InFlightDiagnostic diag = op->emitOpError() << "is nothing that " << target.name << " can do";
  diag.attachNote() << "the first target that can is " << firstWith(feature).name;
  return diag;
}

/// Floats of 8 bits are moved and converted, not computed with.
LogicalResult verifyByteFloats(Operation *op) {
  static const llvm::StringSet<> takes{"tile.load",    "tile.store",    "tile.gather",  "tile.scatter",
                                       "tile.extract", "tile.relayout", "tile.wgmma",   "arith.truncf",
                                       "arith.extf",   "arith.select",  "arith.bitcast"};
  auto isFragment = [](Type type) { return tile::isFragment(type) && isByteFloat(type); };
  StringRef name = op->getName().getStringRef();
  if (takes.contains(name) || isControlFlow(name)) return success();
  if (llvm::none_of(op->getOperandTypes(), isFragment) && llvm::none_of(op->getResultTypes(), isFragment))
    return success();
  InFlightDiagnostic diag = op->emitOpError("cannot be lowered for a gpu");
  diag.attachNote() << "floats of 8 bits are moved and converted, not computed with";
  return diag;
}

/// The place of a tile or ring; any other op has none.
LogicalResult verifyPlace(Operation *op, int64_t sharedBytes) {
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    tile::SharedType type = alloc.getTile().getType();
    return verifyPlace(op, alloc.getOffset(), tile::bytesOf(alloc), tile::alignmentOf(type), sharedBytes);
  }
  if (auto alloc = dyn_cast<tile::AllocRingOp>(op))
    return verifyPlace(op, alloc.getOffset(), tile::bytesOf(alloc), tile::alignmentOf(alloc.getRing().getType()),
                       sharedBytes);
  return success();
}

bool isKnown(StringRef name) { return name == "tile.return" || isControlFlow(name) || gpuRows().contains(name); }

constexpr TileLevel kLevel{"a gpu", "codegen/gpu", isKnown, whyNot};

LogicalResult verifyKernel(tile::KernelOp kernel, const GpuTarget &target) {
  if (!kernel.getThreads()) return kernel.emitOpError("has no threads; on a gpu a CTA has them");
  if (auto ctas = static_cast<int64_t>(kernel.getGrid().value_or(0)); ctas > kMostCtas)
    return ir::violate(kernel,
                       {"", "a launch has no more CTAs than a gpu counts to", fmt::format("at most {}", kMostCtas),
                        std::to_string(ctas), "smaller tensors, or larger tiles"});
  if (int64_t bytes = kernel.getSharedBytes().value_or(0); bytes > target.sharedBytes)
    return ir::violate(kernel,
                       {"", "needs more shared memory than a CTA has",
                        fmt::format("at most {} bytes on {}", target.sharedBytes, target.name), std::to_string(bytes)});
  for (Type type : kernel.getArgumentTypes())
    if (failed(verifyType(kernel, type, kLevel))) return failure();
  return success();
}

} // namespace

LogicalResult kiln::codegen::gpu::verifyTileLevel(tile::KernelOp kernel, const GpuTarget &target) {
  if (failed(verifyKernel(kernel, target))) return failure();
  LogicalResult result = success();
  int64_t sharedBytes = kernel.getSharedBytes().value_or(0);
  kernel.getBody().walk([&](Operation *op) {
    if (failed(verifyTileOp(op, kLevel)) || failed(verifyFeature(op, target)) || failed(verifyByteFloats(op)) ||
        failed(verifyPlace(op, sharedBytes)))
      result = failure();
  });
  return result;
}

LogicalResult kiln::codegen::gpu::verifyThreadLevel(LLVM::LLVMFuncOp function) {
  static const llvm::StringSet<> accepted = [] {
    llvm::StringSet<> names{// The special function unit, parts of structs, words across two registers.
                            "llvm.extractvalue", "llvm.intr.fshl", "llvm.intr.fshr",
                            // Memory.
                            "llvm.ptrtoint", "llvm.inttoptr", "nvvm.cp.async.shared.global",
                            "nvvm.cp.async.commit.group", "nvvm.cp.async.wait.group", "nvvm.ldmatrix", "nvvm.stmatrix",
                            // Floats of 8 bits.
                            "nvvm.convert.f32x2.to.f8x2", "nvvm.convert.f8x2.to.f16x2",
                            // Copies that run beside threads.
                            "nvvm.mbarrier.init", "nvvm.fence.mbarrier.init", "nvvm.fence.proxy",
                            "nvvm.cp.async.bulk.wait_group",
                            // Threads.
                            "nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.nctaid.x",
                            "nvvm.barrier0", "nvvm.barrier", "nvvm.bar.warp.sync", "nvvm.shfl.sync", "nvvm.mma.sync",
                            // Warpgroups.
                            "nvvm.wgmma.commit.group.sync.aligned", "nvvm.setmaxregister", "nvvm.elect.sync",
                            // Clusters and launches.
                            "nvvm.read.ptx.sreg.cluster.ctarank", "nvvm.cluster.arrive", "nvvm.cluster.arrive.relaxed",
                            "nvvm.cluster.wait", "nvvm.mapa", "nvvm.griddepcontrol"};
    names.insert_range(commonThreadOps());
    names.insert_range(translatedPtxOps());
    return names;
  }();
  return verifyOps(function, accepted, "a gpu");
}
