// From a compiled graph to its report.
#include "compiler/CompilerImpl.h"
#include "compiler/report/KernelCosts.h"
#include "ir/layout/IndexMap.h"

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

/// What one run of a kernel launches.
static void addPrograms(graph::KernelOp kernel, const CompiledKernelInfo &compiled, KernelReport &row) {
  size_t tensors = kernel.getCustom() ? SIZE_MAX : kernel.getInputs().size() + kernel.getNumResults();
  for (const CompiledProgram &program : compiled.programs) {
    const KernelLaunch &launch = program.launch;
    row.programs.push_back({launch.symbol, launch.grid[0].toString()});
    for (const LaunchMemory &memory : launch.memories)
      if (memory.tensor >= tensors && memory.access != Access::Read)
        row.workspaceBytes +=
            layout::elementCount(memory.type.getShape()) * tile::bytesOf(memory.type.getElementType());
    if (!program.assembly) continue;
    if (!row.assembly) row.assembly.emplace();
    row.assembly->registers = std::max(row.assembly->registers, program.assembly->registers);
    row.assembly->spillBytes += program.assembly->spillBytes;
    row.assembly->stackBytes = std::max(row.assembly->stackBytes, program.assembly->stackBytes);
    row.assembly->seconds += program.assembly->seconds;
    llvm::append_range(row.assembly->notes, program.assembly->notes);
  }
}

Report kiln::makeReport(const CompilerImpl &compiler, ExecutableImpl &executable, const Decisions &decisions) {
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
      addPrograms(kernel, compiled, report.kernels.back());
    }
    ++report.kernels[row->second].launches;
  });
  llvm::copy_if(decisions, std::back_inserter(report.decisions), [](const Decision &d) { return !d.usual; });
  report.memory = memoryOf(executable.plan);
  return report;
}
