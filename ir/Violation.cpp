#include "ir/Violation.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"

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
  if (v.beside) diag.attachNote(v.beside->first) << v.beside->second;
  return failure();
}

LogicalResult kiln::ir::violate(std::optional<Location> loc, StringRef subject, const Violation &v) {
  if (!loc) return failure();
  return violate([&] { return emitError(*loc); }, subject, v);
}

LogicalResult kiln::ir::violate(Operation *op, const Violation &v) {
  return violate(op->getLoc(), op->getName().getStringRef(), v);
}

std::string kiln::ir::spell(TypeRange types) {
  std::string text;
  for (Type type : types) text += (text.empty() ? "" : ", ") + llvm::formatv("{0}", type).str();
  return text.empty() ? "none" : text;
}
