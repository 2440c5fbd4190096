//===- Family.h - the kernels that a target has code for ---------------------------------------------------------===//
//
// A target is data (ir/target) and a table of families. Each says which kernels it takes, how they may be tiled, how
// long that takes, and builds the program. Fusion's outcome, padding, scheduling and tiling ask the table, and know no
// target. The rows of a newer gpu stand before those of the older ones that it inherits.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_KERNEL_FAMILY_H
#define KILN_PASSES_KERNEL_FAMILY_H

#include "ir/target/Target.h"
#include "passes/kernel/Access.h"

namespace kiln::tiling {

struct SkeletonContext;

/// A kernel as families judge it: for a target, its arguments in memory as they are or as they might be.
struct KernelCase {
  graph::KernelOp kernel;
  graph::KernelForm form;
  KernelMemory memory;
  Target target;

  /// With its arguments where its layouts say; a diagnostic where the kernel has no form, or says another kind.
  static mlir::FailureOr<KernelCase> of(graph::KernelOp kernel, const Target &target);
  mlir::Location loc() const { return graph::KernelOp(kernel).getLoc(); }
  llvm::SmallVector<Access> accesses() const { return accessesOf(form, memory.inputs, memory.outputs); }
  /// Operations in its body: how many values may be live at once, roughly.
  int64_t opCount() const;
};

/// One operand or result whose rows do not start at 16 bytes.
struct UnalignedRows {
  unsigned index;           ///< of the kernel's operands, or of its results
  bool isResult = false;    ///< `index` counts results
  bool shifted = false;     ///< what the schedule does about these rows
  double narrowSeconds = 0; ///< of the kernel with narrow accesses
};

struct Family {
  llvm::StringLiteral name; ///< in schedules
  graph::KernelKind kind;
  /// Why it does not take a kernel of its kind; nullopt where it does. Null: it takes all.
  std::optional<std::string> (*objection)(const KernelCase &);
  /// The legal schedules that are worth trying, in order: the default, then others by predicted time, or by what they
  /// need. None where none is legal; then `reason` says why.
  llvm::SmallVector<graph::ScheduleAttr> (*schedules)(const KernelCase &, std::string &reason);
  /// Seconds of one launch under a schedule; where that is null, under the quickest. Infinite where no schedule, or not
  /// this one, is legal; fails with a diagnostic where it is none of the family's. Null: there is no cost model.
  mlir::FailureOr<double> (*seconds)(const KernelCase &, graph::ScheduleAttr);
  /// The operands and results that padded rows may help. Fails as `seconds` does. Null: none in any kernel.
  mlir::FailureOr<llvm::SmallVector<UnalignedRows>> (*unaligned)(const KernelCase &, graph::ScheduleAttr);
  /// Builds the program's body; returns the grid, in CTAs. Fails with a diagnostic, also where the schedule is not
  /// legal.
  mlir::FailureOr<int64_t> (*build)(SkeletonContext &);
};

/// The rows of a target, those that override first.
llvm::SmallVector<const Family *> familiesOf(const Target &target);

/// The first row that takes a kernel, of those that its schedule names, if one does; null where none does, then
/// `reason` says why.
const Family *familyOf(const KernelCase &kernel, graph::ScheduleAttr schedule, std::string &reason);

/// The legal schedules of every row that takes a kernel, row by row. None where no row has one: `reason` says why.
llvm::SmallVector<graph::ScheduleAttr> schedulesOf(const KernelCase &kernel, std::string &reason);

} // namespace kiln::tiling

#endif
