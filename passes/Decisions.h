//===- Decisions.h - how passes tell what they decide -------------------------------------------------------------===//
#ifndef KILN_PASSES_DECISIONS_H
#define KILN_PASSES_DECISIONS_H

#include "kiln/Decision.h"

#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace kiln {

/// A pass that tells what it decides derives from this, too.
class Reporting {
public:
  virtual ~Reporting() = default;
  Decisions *sink = nullptr; ///< where its decisions are appended; may be null

protected:
  /// Hands decisions over; says each as a remark at its last subject, with notes at the others, if `explain`.
  void tell(Decisions found, bool explain, mlir::MLIRContext *context);
};

/// A pass that derives from Reporting, with `sink`, which may be null and else outlives it.
std::unique_ptr<mlir::Pass> reporting(std::unique_ptr<mlir::Pass> pass, Decisions *sink);

/// The launches of earlier decisions' subjects after a pass that adds some: kernel i of the function as it was is
/// launch launchOf[i] now.
void renumberKernels(Decisions &decisions, llvm::ArrayRef<int> launchOf);

/// The first file and line in a location, looking through fused, named and call-site locations; line 0 if none.
SourceLoc sourceOf(mlir::Location loc);

} // namespace kiln

#endif
