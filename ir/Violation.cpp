#include "ir/Violation.h"

using namespace mlir;
using namespace kiln::ir;

LogicalResult kiln::ir::violate(function_ref<InFlightDiagnostic()> emitError, StringRef subject, const Violation &v) {
  InFlightDiagnostic diag = emitError();
  diag << "'" << subject << "'";
  if (!v.constraint.empty()) diag << " (" << v.constraint << ")";
  diag << ": " << v.rule;
  diag.attachNote() << "expected: " << v.expected;
  diag.attachNote() << "found: " << v.found;
  if (!v.hint.empty()) diag.attachNote() << "try: " << v.hint;
  return failure();
}

LogicalResult kiln::ir::violate(std::optional<Location> loc, StringRef subject, const Violation &v) {
  if (!loc) return failure();
  return violate([&] { return emitError(*loc); }, subject, v);
}
