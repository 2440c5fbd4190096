//===- Diagnostics.h - from MLIR's diagnostics to kiln::Error -----------------------------------------------------===//
//
// Inside the compiler errors are diagnostics with notes `expected: …`, `found: …`, `try: …`; at the public boundary
// they are one kiln::Error. This is the one place that translates.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_DSL_DIAGNOSTICS_H
#define KILN_COMPILER_DSL_DIAGNOSTICS_H

#include "passes/Decisions.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace kiln::dsl {

/// While alive, keeps the first error of a context from being printed and remembers it as the facts of a kiln::Error.
class ErrorCatcher {
public:
  explicit ErrorCatcher(mlir::MLIRContext *context);
  bool caught() const { return found; }
  /// The facts so far; `code` and what is empty are the caller's to fill in.
  const ErrorFields &fields() const { return facts; }
  /// Throws the error that was caught, or `fallback` where nothing was said. `code` applies to both.
  [[noreturn]] void raise(ErrorCode code, const std::string &op, const std::string &fallback) const;

private:
  void record(mlir::Diagnostic &diagnostic);

  ErrorFields facts;
  bool found = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kiln::dsl

#endif
