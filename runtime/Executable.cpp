#include "runtime/Executable.h"
#include "kiln/Error.h"
#include "runtime/ResolvedPlan.h"
#include "runtime/Signature.h"

#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace kiln {
namespace {

/// What one call needs and the next call of its stream may have: work within a stream is in order.
struct Workspace {
  Stream stream;
  DeviceBuffer arena;
  std::vector<std::byte *> bases; ///< by buffer id: where roots start
  std::vector<const void *> slots;
  std::vector<void *> inputs, outputs;
};

class WorkspaceList {
public:
  Workspace take(Stream stream) {
    std::lock_guard lock(mutex);
    for (auto it = free.rbegin(); it != free.rend(); ++it) {
      if (it->stream.native != stream.native) continue;
      Workspace found = std::move(*it);
      free.erase(std::next(it).base());
      return found;
    }
    free.reserve(++made); // so that put() cannot fail
    Workspace fresh;
    fresh.stream = stream;
    return fresh;
  }
  void put(Workspace workspace) noexcept {
    std::lock_guard lock(mutex);
    free.push_back(std::move(workspace));
  }

private:
  std::mutex mutex;
  std::vector<Workspace> free;
  size_t made = 0;
};

/// A workspace that goes back to its list however the call ends.
struct Lease {
  Lease(WorkspaceList &list, Stream stream) : list(list), workspace(list.take(stream)) {}
  ~Lease() { list.put(std::move(workspace)); }
  Lease(const Lease &) = delete;
  WorkspaceList &list;
  Workspace workspace;
};

std::string labelOf(const PlanStep &step) {
  if (const auto *launch = std::get_if<LaunchStep>(&step))
    return launch->label.empty() ? launch->kernel : launch->label;
  return std::holds_alternative<CopyStep>(step) ? "copy" : "memset";
}

} // namespace

struct PlanExecutable::Impl {
  LaunchPlan plan;
  std::shared_ptr<Device> device;
  ExecutableOptions options;
  std::map<std::string, KernelHandle> kernels;
  std::map<BufferId, DeviceBuffer> resident; ///< parameters and constants
  ResolvedPlan fixed;                        ///< of a plan without run-time extents
  mutable WorkspaceList workspaces;

  const PlanBuffer &buffer(BufferId id) const { return plan.buffers[static_cast<size_t>(id)]; }
  bool isStatic() const { return plan.extents.empty(); }

  void checkPlan() const;
  void loadKernels(std::span<const KernelImage> images);
  void bindParameters(const NamedTensors &parameters);
  void makeResident(const PlanBuffer &b, const HostTensor &tensor);
  void setBases(const ResolvedPlan &r, Workspace &w) const;
  void runStep(const ResolvedStep &step, Workspace &w) const;
  void runPlan(const ResolvedPlan &r, Workspace &w, const RunOptions &options) const;
  void runOn(Workspace &w, const Bindings &extents, const RunOptions &options) const;
  void runHost(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, const Bindings &extents,
               const RunOptions &options) const;
  HostTensor makeOutput(const PlanBuffer &b, std::span<const HostTensor> inputs, const Bindings &extents) const;
};

void PlanExecutable::Impl::checkPlan() const {
  std::vector<std::string> problems = verify(plan);
  if (problems.empty()) return;
  std::string found = problems.front();
  if (problems.size() > 1) found += fmt::format(" (and {} more)", problems.size() - 1);
  throw Error({.code = ErrorCode::Internal, .op = plan.name, .rule = "the launch plan is sound", .found = found});
}

void PlanExecutable::Impl::loadKernels(std::span<const KernelImage> images) {
  std::map<std::string, const KernelImage *> bySymbol;
  for (const KernelImage &image : images) bySymbol.emplace(symbolOf(image), &image);
  for (const PlanStep &step : plan.steps) {
    const auto *launch = std::get_if<LaunchStep>(&step);
    if (!launch || kernels.contains(launch->kernel)) continue;
    auto image = bySymbol.find(launch->kernel);
    if (image == bySymbol.end())
      throw Error({.code = ErrorCode::Internal,
                   .op = plan.name,
                   .rule = "every kernel the plan launches is there",
                   .found = fmt::format("no kernel `{}`", launch->kernel)});
    kernels[launch->kernel] = device->load(*image->second);
  }
}

void PlanExecutable::Impl::makeResident(const PlanBuffer &b, const HostTensor &tensor) {
  auto bytes = static_cast<size_t>(b.bytes.evaluate());
  DeviceBuffer memory = device->allocate(bytes);
  if (b.strides.empty()) {
    device->copyIn(memory.data(), tensor.raw(), tensor.byteSize());
  } else {
    std::vector<int64_t> strides;
    for (const Expr &e : b.strides) strides.push_back(e.evaluate());
    std::vector<std::byte> packed = packStrided(tensor, strides, bytes);
    device->copyIn(memory.data(), packed.data(), packed.size());
    device->synchronize(); // before `packed` goes
  }
  resident[b.id] = std::move(memory);
}

void PlanExecutable::Impl::bindParameters(const NamedTensors &parameters) {
  for (const PlanBuffer &b : plan.buffers) {
    if (b.aliasOf != kNoBuffer) continue;
    if (b.kind == BufferKind::Constant) makeResident(b, b.constant);
    if (b.kind != BufferKind::Parameter) continue;
    auto tensor = parameters.find(b.name);
    if (tensor == parameters.end())
      throw Error({.code = ErrorCode::InvalidInput,
                   .op = plan.name,
                   .rule = "every parameter is bound when the plan is loaded",
                   .expected = typeString(b.dtype, shapeOf(b, {})),
                   .found = fmt::format("no tensor named `{}`", b.name)});
    checkTensor(plan, b, tensor->second, {});
    makeResident(b, tensor->second);
  }
  device->synchronize();
}

void PlanExecutable::Impl::setBases(const ResolvedPlan &r, Workspace &w) const {
  w.bases.assign(plan.buffers.size(), nullptr);
  auto base = [&](BufferId id) -> std::byte *& { return w.bases[static_cast<size_t>(id)]; };
  for (size_t i = 0; i < plan.inputs.size(); ++i) base(plan.inputs[i]) = static_cast<std::byte *>(w.inputs[i]);
  for (size_t i = 0; i < plan.outputs.size(); ++i) base(plan.outputs[i]) = static_cast<std::byte *>(w.outputs[i]);
  for (const auto &[id, memory] : resident) base(id) = static_cast<std::byte *>(memory.data());
  auto *arena = static_cast<std::byte *>(w.arena.data());
  for (const PlanBuffer &b : plan.buffers)
    if (b.kind == BufferKind::Temporary && b.aliasOf == kNoBuffer && r.arenaBytes > 0)
      base(b.id) = arena + r.offset[static_cast<size_t>(b.id)];
}

void PlanExecutable::Impl::runStep(const ResolvedStep &step, Workspace &w) const {
  if (step.empty) return;
  auto address = [&](const Place &p) {
    std::byte *base = w.bases[static_cast<size_t>(p.root)];
    return base ? base + p.bytes : nullptr; // a buffer of no bytes has no address
  };
  switch (step.kind) {
  case ResolvedStep::Kind::Copy:
    return device->copy(address(step.to), address(step.from), size_t(step.bytes), w.stream);
  case ResolvedStep::Kind::Memset:
    return device->memset(address(step.to), step.value, size_t(step.bytes), w.stream);
  case ResolvedStep::Kind::Launch:
    break;
  }
  w.slots.clear();
  for (const ResolvedArg &arg : step.args)
    w.slots.push_back(arg.place.root == kNoBuffer ? reinterpret_cast<const void *>(arg.value) : address(arg.place));
  device->launch(*step.kernel, step.config, w.slots, w.stream);
}

void PlanExecutable::Impl::runPlan(const ResolvedPlan &r, Workspace &w, const RunOptions &run) const {
  if (r.arenaBytes > 0 && w.arena.size() < static_cast<size_t>(r.arenaBytes)) {
    w.arena = DeviceBuffer();
    w.arena = device->allocate(static_cast<size_t>(r.arenaBytes));
  }
  if (options.poisonArena && r.arenaBytes > 0) device->memset(w.arena.data(), 0xFF, size_t(r.arenaBytes), w.stream);
  setBases(r, w);
  w.slots.reserve(r.maxArgs);
  std::vector<std::unique_ptr<TimeMark>> marks;
  auto mark = [&] {
    if (run.stepTimes) marks.push_back(device->mark(w.stream));
  };
  mark();
  for (const ResolvedStep &step : r.steps) {
    runStep(step, w);
    mark();
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const PlanBuffer &b = buffer(plan.outputs[i]);
    if (b.aliasOf == kNoBuffer || r.bytes[static_cast<size_t>(b.id)] == 0) continue;
    const Place &p = r.places[static_cast<size_t>(b.id)];
    std::byte *made = w.bases[static_cast<size_t>(p.root)] + p.bytes;
    if (made != w.outputs[i]) device->copy(w.outputs[i], made, size_t(r.bytes[static_cast<size_t>(b.id)]), w.stream);
  }
  if (!run.stepTimes) return;
  run.stepTimes->clear();
  for (size_t i = 0; i < plan.steps.size(); ++i)
    run.stepTimes->push_back({i, labelOf(plan.steps[i]), device->secondsBetween(*marks[i], *marks[i + 1])});
}

void PlanExecutable::Impl::runOn(Workspace &w, const Bindings &extents, const RunOptions &run) const {
  if (isStatic()) return runPlan(fixed, w, run);
  runPlan(resolve(plan, kernels, extents), w, run);
}

HostTensor PlanExecutable::Impl::makeOutput(const PlanBuffer &b, std::span<const HostTensor> inputs,
                                            const Bindings &extents) const {
  std::vector<int64_t> shape = shapeOf(b, extents);
  if (device->sharesHostMemory())
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (b.aliasOf != plan.inputs[i]) continue;
      const std::shared_ptr<void> &storage = inputs[i].sharedStorage();
      auto *start = static_cast<std::byte *>(storage.get()) + b.offset.evaluate(extents);
      return {std::move(shape), b.dtype, std::shared_ptr<void>(storage, start)};
    }
  return HostTensor::uninitialized(std::move(shape), b.dtype);
}

void PlanExecutable::Impl::runHost(std::span<const HostTensor> inputs, std::span<HostTensor> outputs,
                                   const Bindings &extents, const RunOptions &run) const {
  Lease lease(workspaces, run.stream);
  Workspace &w = lease.workspace;
  w.inputs.clear();
  w.outputs.clear();
  if (device->sharesHostMemory()) {
    // Only a donated input is ever written: verify() holds the plan to it.
    for (const HostTensor &t : inputs) w.inputs.push_back(const_cast<void *>(t.raw()));
    for (HostTensor &t : outputs) w.outputs.push_back(t.raw());
    runOn(w, extents, run);
    return device->synchronize(run.stream);
  }
  std::vector<DeviceBuffer> copies;
  for (const HostTensor &t : inputs) {
    copies.push_back(device->allocate(t.byteSize()));
    w.inputs.push_back(copies.back().data());
    device->copyIn(copies.back().data(), t.raw(), t.byteSize(), run.stream);
  }
  for (HostTensor &t : outputs) {
    copies.push_back(device->allocate(t.byteSize()));
    w.outputs.push_back(copies.back().data());
  }
  runOn(w, extents, run);
  for (size_t i = 0; i < outputs.size(); ++i)
    device->copyOut(outputs[i].raw(), w.outputs[i], outputs[i].byteSize(), run.stream);
  device->synchronize(run.stream);
}

PlanExecutable::PlanExecutable(LaunchPlan plan, std::shared_ptr<Device> device, std::span<const KernelImage> kernels,
                               const NamedTensors &parameters, const ExecutableOptions &options)
    : impl(std::make_unique<Impl>()) {
  impl->plan = std::move(plan);
  impl->device = std::move(device);
  impl->options = options;
  impl->checkPlan();
  impl->loadKernels(kernels);
  impl->bindParameters(parameters);
  if (impl->isStatic()) impl->fixed = resolve(impl->plan, impl->kernels, {});
}

PlanExecutable::~PlanExecutable() = default;
PlanExecutable::PlanExecutable(PlanExecutable &&) noexcept = default;
PlanExecutable &PlanExecutable::operator=(PlanExecutable &&) noexcept = default;

std::vector<HostTensor> PlanExecutable::run(std::span<const HostTensor> inputs, const RunOptions &options) const {
  Bindings extents = bindInputs(impl->plan, inputs);
  std::vector<HostTensor> outputs;
  for (BufferId id : impl->plan.outputs) outputs.push_back(impl->makeOutput(impl->buffer(id), inputs, extents));
  checkOverlap(impl->plan, inputs, outputs, extents);
  impl->runHost(inputs, outputs, extents, options);
  return outputs;
}

NamedTensors PlanExecutable::run(const NamedTensors &inputs, const RunOptions &options) const {
  std::vector<HostTensor> ordered;
  auto fail = [&](std::string expected, std::string found) {
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = impl->plan.name,
                 .rule = "a run takes every input by its name and no other",
                 .expected = std::move(expected),
                 .found = std::move(found)});
  };
  for (BufferId id : impl->plan.inputs) {
    auto it = inputs.find(impl->buffer(id).name);
    if (it == inputs.end())
      fail(fmt::format("input `{}`", impl->buffer(id).name), "no such name");
    else
      ordered.push_back(it->second);
  }
  for (const auto &[name, tensor] : inputs) {
    bool known = false;
    for (BufferId id : impl->plan.inputs) known |= impl->buffer(id).name == name;
    if (!known) fail("names of inputs", fmt::format("`{}`", name));
  }
  std::vector<HostTensor> outputs = run(std::span<const HostTensor>(ordered), options);
  NamedTensors named;
  for (size_t i = 0; i < outputs.size(); ++i) named[impl->buffer(impl->plan.outputs[i]).name] = std::move(outputs[i]);
  return named;
}

void PlanExecutable::runInto(std::span<const HostTensor> inputs, std::span<HostTensor> outputs,
                             const RunOptions &options) const {
  Bindings extents = bindInputs(impl->plan, inputs);
  checkCount(impl->plan, "outputs", impl->plan.outputs.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    checkTensor(impl->plan, impl->buffer(impl->plan.outputs[i]), outputs[i], extents);
  checkOverlap(impl->plan, inputs, outputs, extents);
  impl->runHost(inputs, outputs, extents, options);
}

void PlanExecutable::runDevice(std::span<void *const> inputs, std::span<void *const> outputs, const Bindings &extents,
                               const RunOptions &options) const {
  checkCount(impl->plan, "inputs", impl->plan.inputs.size(), inputs.size());
  checkCount(impl->plan, "outputs", impl->plan.outputs.size(), outputs.size());
  checkExtents(impl->plan, extents);
  for (size_t i = 0; i < inputs.size(); ++i)
    checkPointer(impl->plan, impl->buffer(impl->plan.inputs[i]), inputs[i], extents);
  for (size_t i = 0; i < outputs.size(); ++i)
    checkPointer(impl->plan, impl->buffer(impl->plan.outputs[i]), outputs[i], extents);
  Lease lease(impl->workspaces, options.stream);
  lease.workspace.inputs.assign(inputs.begin(), inputs.end());
  lease.workspace.outputs.assign(outputs.begin(), outputs.end());
  impl->runOn(lease.workspace, extents, options);
}

const LaunchPlan &PlanExecutable::plan() const { return impl->plan; }

Device &PlanExecutable::device() const { return *impl->device; }

int64_t PlanExecutable::arenaBytes() const { return impl->plan.arenaBytes.evaluate(); }

} // namespace kiln
