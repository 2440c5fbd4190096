#include "compiler/dsl/Diagnostics.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

/// Cuts the op's name and the constraint's label off the front: `'graph.matmul' (C3): text`, `'arith.addf' op text`.
/// The name goes to `op`.
static std::string stripPrefix(std::string text, std::string &op) {
  StringRef rest = text;
  if (!rest.consume_front("'")) return text;
  auto [quoted, tail] = rest.split("'");
  if (tail.empty()) return text;
  if (tail.consume_front(" op ") || tail.consume_front(": ")) {
    op = quoted.str();
    return tail.str();
  }
  if (tail.starts_with(" (") && tail.contains("): ")) {
    op = quoted.str();
    return tail.split("): ").second.str();
  }
  return text;
}

ErrorCatcher::ErrorCatcher(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error) return failure();
        if (!found) record(diagnostic);
        return success();
      }) {}

void ErrorCatcher::record(Diagnostic &diagnostic) {
  found = true;
  facts.rule = stripPrefix(diagnostic.str(), facts.op);
  facts.where = sourceOf(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    StringRef rest = text;
    if (rest.consume_front("expected: "))
      facts.expected = rest.str();
    else if (rest.consume_front("found: "))
      facts.found = rest.str();
    else if (rest.consume_front("try: "))
      facts.hint = rest.str();
  }
}

void ErrorCatcher::raise(ErrorCode code, const std::string &op, const std::string &fallback) const {
  ErrorFields fields = facts;
  fields.code = code;
  if (!op.empty()) fields.op = op;
  if (fields.rule.empty()) fields.rule = fallback;
  throw Error(std::move(fields));
}
