//===- Violation.h - how a broken rule is reported --------------------------------------------------------------===//
//
// The one shape of every dialect's own diagnostics: the op or type, the constraint's label, the rule in words, and
// notes that say what was expected, what was found and what to try.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_VIOLATION_H
#define KILN_IR_VIOLATION_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeRange.h"

#include <optional>
#include <string>

namespace kiln::ir {

/// What a broken rule says: the constraint ("C3"; may be empty), the rule in words, what it expected, what was found,
/// and the nearest thing that would work (may be empty).
struct Violation {
  llvm::StringRef constraint;
  std::string rule;
  std::string expected;
  std::string found;
  std::string hint = {};
  /// Another line that has to do with it, and what it does: "written here".
  std::optional<std::pair<mlir::Location, llvm::StringRef>> beside = {};
};

/// Reports a violation of `subject` (an op, a type or an attribute) as one error with notes `expected: …`, `found: …`
/// and `try: …`. Always fails.
llvm::LogicalResult violate(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::StringRef subject,
                            const Violation &v);
/// The same at a location. Without one it only fails.
llvm::LogicalResult violate(std::optional<mlir::Location> loc, llvm::StringRef subject, const Violation &v);
/// The same of an op, by its name.
llvm::LogicalResult violate(mlir::Operation *op, const Violation &v);

/// Types in full, separated by commas: here the layout matters. "none" if there are none.
std::string spell(mlir::TypeRange types);

} // namespace kiln::ir

#endif
