// From a compiled graph to its report.
#include "compiler/CompilerImpl.h"
#include "compiler/dsl/Diagnostics.h"
#include "compiler/report/KernelCosts.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;

static MemoryReport memoryOf(const LaunchPlan &plan) {
  MemoryReport memory;
  for (const PlanBuffer &buffer : plan.buffers) {
    if (buffer.aliasOf != kNoBuffer) continue;
    int64_t *const totals[] = {&memory.inputs, &memory.parameters, &memory.outputs, &memory.constants,
                               &memory.temporaries};
    int64_t bytes = buffer.bytes.constant();
    if (buffer.kind == BufferKind::Temporary) bytes = llvm::alignTo(bytes, kBufferAlignment); // as the arena counts
    *totals[static_cast<int>(buffer.kind)] += bytes;
  }
  memory.arena = plan.arenaBytes.constant();
  return memory;
}

/// `launchOf`: kernel of the function as fusion left it -> launch; empty where they are the same.
static EdgeReport edgeOf(const graph::FusionDecision &decision, const std::vector<int> &launchOf) {
  auto launch = [&](int kernel) {
    bool moved = kernel >= 0 && kernel < static_cast<int>(launchOf.size());
    return moved ? launchOf[static_cast<size_t>(kernel)] : kernel;
  };
  EdgeReport edge;
  edge.producer = decision.producerOp;
  edge.consumer = decision.consumerOp;
  edge.producerKernel = launch(decision.producerKernel);
  edge.consumerKernel = launch(decision.consumerKernel);
  edge.producerWhere = dsl::sourceOf(decision.producer);
  edge.consumerWhere = dsl::sourceOf(decision.consumer);
  edge.sibling = decision.sibling;
  edge.rule = decision.rule.str();
  edge.reason = decision.reason;
  edge.bytesKept = decision.bytesKept;
  return edge;
}

static AlignmentReport alignmentOf(const graph::AlignmentDecision &decision) {
  AlignmentReport alignment;
  alignment.kernel = decision.kernel;
  alignment.operand = decision.operand;
  alignment.type = decision.type;
  alignment.where = dsl::sourceOf(decision.where);
  alignment.by = graph::alignedByName(decision.by).str();
  alignment.row = decision.stride;
  alignment.paddedRow = decision.paddedStride;
  alignment.isResult = decision.isResult;
  alignment.shiftedSeconds = decision.shiftedSeconds;
  alignment.narrowSeconds = decision.narrowSeconds;
  alignment.alignedSeconds = decision.alignedSeconds;
  alignment.copySeconds = decision.copySeconds;
  return alignment;
}

Report kiln::makeReport(const CompilerImpl &compiler, ExecutableImpl &executable,
                        ArrayRef<graph::FusionDecision> decisions, const graph::Alignment &alignment,
                        ArrayRef<graph::ProgramChoice> programs) {
  Report report;
  report.target = fmt::format("{} ({})", compiler.deviceName(), compiler.target.name());
  report.fused = compiler.options.fuse;
  report.opsInGraph = executable.opsInGraph;
  std::map<std::string, size_t> rows;
  executable.function().walk([&](graph::KernelOp kernel) {
    std::string symbol = kernel.getSymbol().value_or("").str();
    report.launches.push_back(symbol);
    auto [row, isNew] = rows.try_emplace(symbol, report.kernels.size());
    if (isNew) {
      report.kernels.push_back(report::describe(kernel));
      const CompiledKernelInfo &compiled = executable.kernels.find(symbol)->second;
      report.kernels.back().compileSeconds = compiled.seconds;
      report.kernels.back().assembly = compiled.assembly;
    }
    ++report.kernels[row->second].launches;
  });
  for (const graph::FusionDecision &decision : decisions)
    if (!decision.merged) report.edges.push_back(edgeOf(decision, alignment.launchOf));
  for (const graph::AlignmentDecision &decision : alignment.decisions)
    report.alignments.push_back(alignmentOf(decision));
  for (const graph::ProgramChoice &choice : programs)
    report.programs.push_back(
        {choice.program, dsl::sourceOf(choice.call), choice.reference, choice.reason, choice.orderClass});
  report.memory = memoryOf(executable.plan);
  return report;
}
