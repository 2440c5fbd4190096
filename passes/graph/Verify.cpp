// graph-verify: the level spec of the graph level.
#include "passes/graph/Passes.h"

#include "ir/graph/AcceptedOps.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::graph {
#define GEN_PASS_DEF_VERIFY
#include "passes/graph/Passes.h.inc"

namespace {
struct Verify : impl::VerifyBase<Verify> {
  using VerifyBase::VerifyBase;
  void runOnOperation() override {
    if (failed(verifyGraphLevel(getOperation(), decomposed ? OpLevel::Decomposed : OpLevel::Graph)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace kiln::graph
