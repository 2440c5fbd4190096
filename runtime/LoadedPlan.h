// A plan on its device: kernels loaded, parameters and constants in its memory, ready to be given to a stream. Internal
// to the executor.
#pragma once

#include "runtime/Executable.h"
#include "runtime/OutputPool.h"
#include "runtime/ResolvedPlan.h"
#include "runtime/Workspace.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

class LoadedPlan {
public:
  /// As PlanExecutable's constructor.
  LoadedPlan(LaunchPlan plan, std::shared_ptr<Device> device, std::span<const KernelImage> kernels,
             const NamedTensors &parameters, const ExecutableOptions &options);

  const LaunchPlan plan;
  const std::shared_ptr<Device> device;

  const PlanBuffer &buffer(BufferId id) const { return plan.buffers[static_cast<size_t>(id)]; }
  /// The plan with its numbers, for a plan without run-time extents: made once.
  const ResolvedPlan &fixedPlan() const { return fixed; }
  /// The same under `extents`.
  ResolvedPlan resolveFor(const Bindings &extents) const { return resolve(plan, *device, kernels, extents); }
  /// Gives all steps to the workspace's stream, on the addresses in `w.given`. With `times`, waits for them and says
  /// what each took. A workspace stays with one resolved plan unless `w.prepared` is cleared.
  void enqueue(const ResolvedPlan &r, Workspace &w, std::vector<StepTime> *times) const;

private:
  void checkPlan() const;
  void loadKernels(std::span<const KernelImage> images);
  void makeResident(const PlanBuffer &b, const HostTensor &tensor, Stream stream);
  void bindParameters(const NamedTensors &parameters);
  void prepare(const ResolvedPlan &r, Workspace &w) const;
  void stageInputs(const ResolvedPlan &r, Workspace &w) const;
  void enqueueStep(const ResolvedStep &step, const Workspace &w) const;
  void deliverOutputs(const ResolvedPlan &r, const Workspace &w) const;
  bool needsStage(const ResolvedEntry &entry, const void *pointer) const {
    return entry.partOf < 0 && entry.bytes > 0 && reinterpret_cast<uintptr_t>(pointer) % alignment != 0;
  }

  const ExecutableOptions options;
  const size_t alignment; ///< that kernels expect of the start of every buffer
  std::map<std::string, KernelHandle> kernels;
  std::map<BufferId, DeviceBuffer> resident; ///< parameters and constants
  ResolvedPlan fixed;                        ///< of a plan without run-time extents

public:
  const std::shared_ptr<OutputPool> outputs;
  mutable WorkspaceList workspaces; ///< last, and so gone first: it waits for what uses the rest
};

} // namespace kiln
