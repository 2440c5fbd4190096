#include "passes/Decisions.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace kiln;

SourceLoc kiln::sourceOf(Location loc) {
  SourceLoc where;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file) return WalkResult::advance();
    where = {file.getFilename().str(), static_cast<int>(file.getLine())};
    return WalkResult::interrupt();
  });
  return where;
}

static void sayAsRemark(const Decision &decision, MLIRContext *context) {
  auto locationOf = [&](const DecisionSubject &subject) -> Location {
    return FileLineColLoc::get(context, subject.where.file, static_cast<unsigned>(subject.where.line), 1);
  };
  const DecisionSubject &last = decision.subject.back();
  InFlightDiagnostic diag = emitRemark(locationOf(last));
  for (const DecisionSubject &subject : decision.subject)
    diag << (&subject == decision.subject.data() ? "`" : " " + decision.relation + " `") << subject.name << "`";
  diag << ": " << decision.text();
  for (const DecisionSubject &subject : ArrayRef(decision.subject).drop_back())
    diag.attachNote(locationOf(subject)) << "`" << subject.name << "` is here";
}

void Reporting::tell(Decisions found, bool explain, MLIRContext *context) {
  for (const Decision &decision : found)
    if (explain) sayAsRemark(decision, context);
  if (sink) std::move(found.begin(), found.end(), std::back_inserter(*sink));
}

std::unique_ptr<Pass> kiln::reporting(std::unique_ptr<Pass> pass, Decisions *sink) {
  dynamic_cast<Reporting &>(*pass).sink = sink;
  return pass;
}

void kiln::renumberKernels(Decisions &decisions, ArrayRef<int> launchOf) {
  for (Decision &decision : decisions)
    for (DecisionSubject &subject : decision.subject)
      if (subject.kernel >= 0) subject.kernel = launchOf[static_cast<size_t>(subject.kernel)];
}
