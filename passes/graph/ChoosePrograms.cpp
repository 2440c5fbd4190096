// graph-choose-programs: what computes the calls of tile programs on this target.
#include "passes/graph/Passes.h"

#include "ir/graph/Programs.h"
#include "passes/Decisions.h"
#include "passes/kernel/KernelChecks.h"

#include "mlir/IR/IRMapping.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln::graph {
#define GEN_PASS_DEF_CHOOSEPROGRAMS
#include "passes/graph/Passes.h.inc"

namespace {

/// Puts the ops of the reference in the place of the call.
void inlineReference(CustomKernelOp call) {
  OpBuilder b(call);
  IRMapping mapping;
  Block &block = *call.getReferenceBlock();
  mapping.map(block.getArguments(), call.getInputs());
  for (Operation &op : block.without_terminator()) b.clone(op, mapping);
  for (auto [result, value] : llvm::zip(call.getResults(), block.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

std::string describe(const Program &program) {
  auto op = tile::KernelOp(program.op);
  return op.getThreads() ? fmt::format("CTAs of {} threads", *op.getThreads()) : "CTAs without threads";
}

struct ChoosePrograms : impl::ChooseProgramsBase<ChoosePrograms>, Reporting {
  using ChooseProgramsBase::ChooseProgramsBase;

  void runOnOperation() override {
    FailureOr<Target> row = tiling::targetNamed(getOperation(), target);
    if (failed(row)) return signalPassFailure();
    SmallVector<CustomKernelOp> calls;
    getOperation().walk([&](CustomKernelOp call) { calls.push_back(call); });
    for (CustomKernelOp call : calls)
      if (failed(choose(call, *row))) return signalPassFailure();
  }

private:
  LogicalResult choose(CustomKernelOp call, const Target &row) {
    FailureOr<Program> program = programOf(findProgram(call, call.getProgramAttr()), call.getLoc());
    if (failed(program)) return failure();
    bool fits = program->isForGpu() == bool(row.gpu());
    Decision decision{"graph-choose-programs", {{"@" + call.getProgram().str(), sourceOf(call.getLoc())}}};
    if (StringRef order = call.getOrderClass().value_or(""); fits)
      decision.chosen = {"program", "",
                         order.empty() ? "of no order class" : fmt::format("of order class \"{}\"", order.str())};
    else
      decision.chosen.name = "reference";
    if (!fits)
      decision.refused = {
          {"program", "",
           fmt::format("it is of {}, the target {} a gpu", describe(*program), row.gpu() ? "is" : "is not")}};
    tell({decision}, false, call.getContext());
    if (fits) return success();
    if (!call.getReferenceBlock())
      return violate(call.getLoc(), "graph.custom_kernel",
                     {"", "the program must be one for the target, or have a reference",
                      fmt::format("CTAs {} threads for '{}'", row.gpu() ? "of" : "without", row.name()),
                      fmt::format("@{}, of {}, without a reference", call.getProgram().str(), describe(*program)),
                      row.gpu() ? "--device cpu, or a reference region"
                                : "--device cuda with --target sm_80 or a newer one, or a reference region"});
    inlineReference(call);
    ++numReferences;
    return success();
  }
};
} // namespace
} // namespace kiln::graph
