//===- Pipeline.h - which passes run, level by level --------------------------------------------------------------===//
//
// One function per level adds that level's passes, in order; there is no other place where passes are chosen. The
// recorder sees the IR after each of them, which is what --dump-ir writes.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_PIPELINE_H
#define KILN_COMPILER_PIPELINE_H

#include "ir/target/Target.h"
#include "kiln/Decision.h"
#include "passes/graph/Fusion.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <mutex>

namespace kiln {

struct PipelineOptions {
  std::optional<Target> target;
  bool fuse = true;
  /// Schedules by kernel family that are wanted in place of the default ones.
  std::map<std::string, graph::ScheduleAttr, std::less<>> schedules = {};
  graph::KernelSizes *sizes = nullptr; ///< of kernels that fusion may make; may be null
  Decisions *decisions = nullptr;      ///< what passes decide is added here; may be null
};

/// A function of the ops users write -> one of decomposed ops.
void addGraphPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// -> a function of graph.kernels.
void addFusedPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Kernels, some of which may have a schedule -> all have one that is legal, if there is any, on rows as it wants them.
void addScheduledPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// -> all have a name.
void addNamePasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// A function of named kernels -> a tile program for each distinct kernel.
void addTilePasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// What of it makes tile programs that people wrote ready to be lowered.
void addProgramPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// -> functions of the LLVM dialect.
void addThreadPasses(mlir::OpPassManager &pm, const PipelineOptions &options);

struct Level {
  llvm::StringRef name; ///< "graph", "fused", "tile", "llvm", as dumps name it
  void (*addPasses)(mlir::OpPassManager &, const PipelineOptions &);
};
inline const Level kGraphLevel{"graph", addGraphPasses}, kFusedLevel{"fused", addFusedPasses},
    kScheduledLevel{"fused", addScheduledPasses}, kNamedLevel{"fused", addNamePasses},
    kTileLevel{"tile", addTilePasses}, kThreadLevel{"llvm", addThreadPasses};

/// The IR after every pass, of all kernels, in pipeline order. Several threads may record at once.
class IrRecorder {
public:
  /// The text of `module` after pass number `step` of a level, where it is not as before; `part` orders the kernels
  /// that share the step.
  void record(const Level &level, unsigned step, llvm::StringRef pass, unsigned part, mlir::ModuleOp module);
  /// The last recorded text of a level; empty if there is none.
  std::string last(llvm::StringRef level) const;
  /// Writes NN-<level>-<pass>.mlir for every step that changed something, and the plan (if not empty) as NN-plan.json;
  /// throws Error.
  void write(const std::string &folder, const std::string &planJson) const;

private:
  struct Step {
    std::string pass;
    std::map<unsigned, std::string> parts; ///< that it changed
  };
  mutable std::mutex lock;
  /// (place of the level, step) -> the step.
  std::map<std::pair<unsigned, unsigned>, Step> steps;
  std::map<std::pair<unsigned, unsigned>, std::string> latest; ///< (place of the level, part) -> its text

  /// Goes through the steps with the text of all parts after each.
  void replay(llvm::function_ref<void(const Level &, const Step &, const std::string &)> see) const;
};

/// Runs a level's passes on a module. `recorder` may be null.
llvm::LogicalResult runLevel(const Level &level, mlir::ModuleOp module, const PipelineOptions &options,
                             IrRecorder *recorder, unsigned part = 0);

} // namespace kiln

#endif
