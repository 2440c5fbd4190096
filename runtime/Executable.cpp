#include "runtime/Executable.h"
#include "kiln/Error.h"
#include "runtime/LoadedPlan.h"
#include "runtime/Signature.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kiln {
namespace {

/// Where the caller's tensors are, in host memory. Only a donated input is ever written: verify() holds the plan to it.
std::vector<void *> hostAddresses(std::span<const HostTensor> inputs, std::span<HostTensor> outputs) {
  std::vector<void *> addresses;
  for (const HostTensor &t : inputs) addresses.push_back(const_cast<void *>(t.raw()));
  for (HostTensor &t : outputs) addresses.push_back(t.raw());
  return addresses;
}

/// Puts copies of the caller's tensors on the device in their place.
void giveCopies(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, Workspace &w, Device &device) {
  w.given.clear();
  w.hostCopies.resize(inputs.size() + outputs.size());
  auto next = [&](size_t bytes) {
    DeviceBuffer &copy = w.hostCopies[w.given.size()];
    w.grow(copy, bytes, device);
    w.given.push_back(copy.data());
    return copy.data();
  };
  for (const HostTensor &t : inputs) device.copyIn(next(t.byteSize()), t.raw(), t.byteSize(), w.stream);
  for (HostTensor &t : outputs) next(t.byteSize());
}

/// Host tensors that a device copies from and to must stay until it is done, even if a later call fails.
class Settle {
public:
  Settle(Device &device, Stream stream) : device(device), stream(stream) {}
  ~Settle() {
    if (settled) return;
    try {
      device.synchronize(stream);
    } catch (...) {
      // What failed first is on its way to the caller.
    }
  }
  void now() {
    settled = true;
    device.synchronize(stream);
  }

private:
  Device &device;
  Stream stream;
  bool settled = false;
};

/// An output for a run in host memory; one that lies in a donated input is a part of that input's storage.
HostTensor makeOutput(const LoadedPlan &loaded, const PlanBuffer &b, std::span<const HostTensor> inputs,
                      const Bindings &extents) {
  std::vector<int64_t> shape = shapeOf(b, extents);
  if (loaded.device->sharesHostMemory())
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (b.aliasOf != loaded.plan.inputs[i]) continue;
      const std::shared_ptr<void> &storage = inputs[i].sharedStorage();
      auto *start = static_cast<std::byte *>(storage.get()) + b.offset.evaluate(extents);
      return {std::move(shape), b.dtype, std::shared_ptr<void>(storage, start)};
    }
  return HostTensor::uninitialized(std::move(shape), b.dtype);
}

void checkAddresses(const LoadedPlan &loaded, std::span<void *const> inputs, std::span<void *const> outputs,
                    const Bindings &extents) {
  const LaunchPlan &plan = loaded.plan;
  checkCount(plan, "inputs", plan.inputs.size(), inputs.size());
  checkCount(plan, "outputs", plan.outputs.size(), outputs.size());
  checkExtents(plan, extents);
  for (size_t i = 0; i < inputs.size(); ++i) checkPointer(plan, loaded.buffer(plan.inputs[i]), inputs[i], extents);
  for (size_t i = 0; i < outputs.size(); ++i) checkPointer(plan, loaded.buffer(plan.outputs[i]), outputs[i], extents);
}

/// Checks what does not overlap, unless these are the addresses of the workspace's last run.
void giveAddresses(const LoadedPlan &loaded, std::span<void *const> inputs, std::span<void *const> outputs,
                   const Bindings &extents, Workspace &w) {
  if (extents.empty() && w.given.size() == inputs.size() + outputs.size() &&
      std::equal(inputs.begin(), inputs.end(), w.given.begin()) &&
      std::equal(outputs.begin(), outputs.end(), w.given.begin() + static_cast<ptrdiff_t>(inputs.size())))
    return;
  std::vector<void *> given(inputs.begin(), inputs.end());
  given.insert(given.end(), outputs.begin(), outputs.end());
  checkOverlap(loaded.plan, given, extents);
  w.given = std::move(given);
}

/// Gives a run to the workspace's stream, on the addresses it was given.
void enqueueOn(const LoadedPlan &loaded, Workspace &w, const Bindings &extents, const RunOptions &options) {
  if (loaded.plan.extents.empty()) return loaded.enqueue(loaded.fixedPlan(), w, options.stepTimes);
  w.prepared = false;
  loaded.enqueue(loaded.resolveFor(extents), w, options.stepTimes);
}

} // namespace

struct PlanReplay::State {
  ~State() {
    if (workspace && workspace->done) workspace->done->wait();
  }

  std::shared_ptr<const LoadedPlan> loaded;
  ResolvedPlan plan; ///< for these extents
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<DeviceGraph> graph; ///< null on a device that has none
  std::mutex running;
};

PlanReplay::PlanReplay(std::unique_ptr<State> state) : state(std::move(state)) {}
PlanReplay::PlanReplay(PlanReplay &&) noexcept = default;
PlanReplay &PlanReplay::operator=(PlanReplay &&) noexcept = default;

PlanReplay::~PlanReplay() = default;

void PlanReplay::run(Stream stream) const {
  std::lock_guard lock(state->running);
  Workspace &w = *state->workspace;
  if (!state->graph) {
    w.stream = stream;
    return state->loaded->enqueue(state->plan, w, nullptr);
  }
  state->graph->launch(stream);
  if (w.done && state->loaded->device->recordingOf(stream) == 0) w.done->record(stream);
}

PlanExecutable::PlanExecutable(LaunchPlan plan, std::shared_ptr<Device> device, std::span<const KernelImage> kernels,
                               const NamedTensors &parameters, const ExecutableOptions &options)
    : loaded(std::make_shared<const LoadedPlan>(std::move(plan), std::move(device), kernels, parameters, options)) {}

PlanExecutable::~PlanExecutable() = default;
PlanExecutable::PlanExecutable(PlanExecutable &&) noexcept = default;
PlanExecutable &PlanExecutable::operator=(PlanExecutable &&) noexcept = default;

void PlanExecutable::runHost(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, const Bindings &extents,
                             const RunOptions &options) const {
  Device &device = *loaded->device;
  std::vector<void *> addresses = hostAddresses(inputs, outputs);
  checkOverlap(loaded->plan, addresses, extents);
  Lease lease(loaded->workspaces, options.stream);
  Workspace &w = lease.workspace;
  if (device.sharesHostMemory()) {
    w.given = std::move(addresses);
    enqueueOn(*loaded, w, extents, options);
    return device.synchronize(options.stream);
  }
  Settle settle(device, options.stream);
  giveCopies(inputs, outputs, w, device);
  enqueueOn(*loaded, w, extents, options);
  for (size_t i = 0; i < outputs.size(); ++i)
    device.copyOut(outputs[i].raw(), w.given[inputs.size() + i], outputs[i].byteSize(), options.stream);
  settle.now();
}

std::vector<HostTensor> PlanExecutable::run(std::span<const HostTensor> inputs, const RunOptions &options) const {
  Bindings extents = bindInputs(loaded->plan, inputs);
  std::vector<HostTensor> outputs;
  for (BufferId id : loaded->plan.outputs) outputs.push_back(makeOutput(*loaded, loaded->buffer(id), inputs, extents));
  runHost(inputs, outputs, extents, options);
  return outputs;
}

NamedTensors PlanExecutable::run(const NamedTensors &inputs, const RunOptions &options) const {
  const LaunchPlan &plan = loaded->plan;
  std::vector<HostTensor> ordered;
  auto fail = [&](std::string expected, std::string found) {
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = plan.name,
                 .rule = "a run takes every input by its name and no other",
                 .expected = std::move(expected),
                 .found = std::move(found)});
  };
  for (BufferId id : plan.inputs) {
    auto it = inputs.find(loaded->buffer(id).name);
    if (it == inputs.end())
      fail(fmt::format("input `{}`", loaded->buffer(id).name), "no such name");
    else
      ordered.push_back(it->second);
  }
  for (const auto &[name, tensor] : inputs) {
    bool known = false;
    for (BufferId id : plan.inputs) known |= loaded->buffer(id).name == name;
    if (!known) fail("names of inputs", fmt::format("`{}`", name));
  }
  std::vector<HostTensor> outputs = run(std::span<const HostTensor>(ordered), options);
  NamedTensors named;
  for (size_t i = 0; i < outputs.size(); ++i) named[loaded->buffer(plan.outputs[i]).name] = std::move(outputs[i]);
  return named;
}

void PlanExecutable::runInto(std::span<const HostTensor> inputs, std::span<HostTensor> outputs,
                             const RunOptions &options) const {
  const LaunchPlan &plan = loaded->plan;
  Bindings extents = bindInputs(plan, inputs);
  checkCount(plan, "outputs", plan.outputs.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) checkTensor(plan, loaded->buffer(plan.outputs[i]), outputs[i], extents);
  runHost(inputs, outputs, extents, options);
}

void PlanExecutable::runDevice(std::span<void *const> inputs, std::span<void *const> outputs, const Bindings &extents,
                               const RunOptions &options) const {
  checkAddresses(*loaded, inputs, outputs, extents);
  Lease lease(loaded->workspaces, options.stream);
  giveAddresses(*loaded, inputs, outputs, extents, lease.workspace);
  enqueueOn(*loaded, lease.workspace, extents, options);
}

std::vector<DeviceBuffer> PlanExecutable::runAllocating(std::span<void *const> inputs, const Bindings &extents,
                                                        const RunOptions &options) const {
  checkExtents(loaded->plan, extents);
  // What a recording writes is written again by whoever replays it, so it cannot be lent to anybody else.
  bool recorded = loaded->device->recordingOf(options.stream) != 0;
  std::vector<DeviceBuffer> outputs;
  std::vector<void *> addresses;
  for (BufferId id : loaded->plan.outputs) {
    auto bytes = static_cast<size_t>(loaded->buffer(id).bytes.evaluate(extents));
    outputs.push_back(recorded ? loaded->device->allocate(bytes) : loaded->outputs->take(bytes, options.stream));
    addresses.push_back(outputs.back().data());
  }
  runDevice(inputs, addresses, extents, options);
  return outputs;
}

PlanReplay PlanExecutable::capture(std::span<void *const> inputs, std::span<void *const> outputs,
                                   const Bindings &extents) const {
  checkAddresses(*loaded, inputs, outputs, extents);
  auto state = std::make_unique<PlanReplay::State>();
  state->loaded = loaded;
  state->plan = loaded->plan.extents.empty() ? loaded->fixedPlan() : loaded->resolveFor(extents);
  state->workspace = loaded->workspaces.make({});
  Workspace &w = *state->workspace;
  giveAddresses(*loaded, inputs, outputs, extents, w);
  state->graph = loaded->device->recordGraph([&](Stream stream) {
    w.stream = stream;
    loaded->enqueue(state->plan, w, nullptr);
  });
  return PlanReplay(std::move(state));
}

const LaunchPlan &PlanExecutable::plan() const { return loaded->plan; }

Device &PlanExecutable::device() const { return *loaded->device; }

int64_t PlanExecutable::arenaBytes() const { return loaded->plan.arenaBytes.evaluate(); }

} // namespace kiln
