#include "runtime/LoadedPlan.h"
#include "kiln/Error.h"
#include "runtime/Signature.h"

#include <fmt/format.h>
#include <utility>

namespace kiln {
namespace {

std::string labelOf(const PlanStep &step) {
  if (const auto *launch = std::get_if<LaunchStep>(&step))
    return launch->label.empty() ? launch->kernel : launch->label;
  return std::holds_alternative<CopyStep>(step) ? "copy" : "memset";
}

/// `offset` bytes behind `start`; a buffer of no bytes has no address, wherever one points in it.
void *behind(void *start, int64_t offset) { return start ? static_cast<std::byte *>(start) + offset : nullptr; }

} // namespace

LoadedPlan::LoadedPlan(LaunchPlan given, std::shared_ptr<Device> on, std::span<const KernelImage> images,
                       const NamedTensors &parameters, const ExecutableOptions &options)
    : plan(std::move(given)), device(std::move(on)), options(options), alignment(device->pointerAlignment()),
      outputs(std::make_shared<OutputPool>(device)), workspaces(device) {
  checkPlan();
  loadKernels(images);
  bindParameters(parameters);
  if (plan.extents.empty()) fixed = resolve(plan, *device, kernels, {});
}

void LoadedPlan::checkPlan() const {
  std::vector<std::string> problems = verify(plan);
  if (problems.empty()) return;
  std::string found = problems.front();
  if (problems.size() > 1) found += fmt::format(" (and {} more)", problems.size() - 1);
  throw Error({.code = ErrorCode::Internal, .op = plan.name, .rule = "the launch plan is sound", .found = found});
}

void LoadedPlan::loadKernels(std::span<const KernelImage> images) {
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

void LoadedPlan::makeResident(const PlanBuffer &b, const HostTensor &tensor, Stream stream) {
  auto bytes = static_cast<size_t>(b.bytes.evaluate());
  DeviceBuffer memory = device->allocate(bytes);
  if (b.strides.empty()) {
    device->copyIn(memory.data(), tensor.raw(), tensor.byteSize(), stream);
  } else {
    std::vector<int64_t> strides;
    for (const Expr &e : b.strides) strides.push_back(e.evaluate());
    std::vector<std::byte> packed = packStrided(tensor, strides, bytes);
    device->copyIn(memory.data(), packed.data(), packed.size(), stream);
    device->synchronize(stream); // before `packed` goes
  }
  resident[b.id] = std::move(memory);
}

void LoadedPlan::bindParameters(const NamedTensors &parameters) {
  // Not the default stream: that one may not be used while another thread captures a stream.
  std::unique_ptr<OwnedStream> loading = device->makeStream();
  for (const PlanBuffer &b : plan.buffers) {
    if (b.aliasOf != kNoBuffer) continue;
    if (b.kind == BufferKind::Constant) makeResident(b, b.constant, loading->stream);
    if (b.kind != BufferKind::Parameter) continue;
    auto tensor = parameters.find(b.name);
    if (tensor == parameters.end())
      throw Error({.code = ErrorCode::InvalidInput,
                   .op = plan.name,
                   .rule = "every parameter is bound when the plan is loaded",
                   .expected = typeString(b.dtype, shapeOf(b, {})),
                   .found = fmt::format("no tensor named `{}`", b.name)});
    checkTensor(plan, b, tensor->second, {});
    makeResident(b, tensor->second, loading->stream);
  }
  device->synchronize(loading->stream);
}

/// Makes the arena and fills in every slot that no run changes.
void LoadedPlan::prepare(const ResolvedPlan &r, Workspace &w) const {
  if (r.arenaBytes > 0) w.grow(w.arena, static_cast<size_t>(r.arenaBytes), *device);
  w.slots.assign(r.slots.size(), nullptr);
  for (size_t i = 0; i < r.slots.size(); ++i) {
    const ResolvedSlot &slot = r.slots[i];
    if (slot.place.root == kNoBuffer) {
      w.slots[i] = reinterpret_cast<const void *>(slot.value);
    } else if (auto memory = resident.find(slot.place.root); memory != resident.end()) {
      w.slots[i] = behind(memory->second.data(), slot.place.bytes);
    } else if (buffer(slot.place.root).kind == BufferKind::Temporary) {
      w.slots[i] = behind(w.arena.data(), r.offset[static_cast<size_t>(slot.place.root)] + slot.place.bytes);
    }
  }
  w.used.assign(r.entries.size(), nullptr);
  w.stages.resize(r.entries.size());
  w.maps.adopt(r.maps);
  w.prepared = true;
}

/// Kernels read and write the caller's memory itself where it is aligned, else a copy that is.
void LoadedPlan::stageInputs(const ResolvedPlan &r, Workspace &w) const {
  for (size_t i = 0; i < r.entries.size(); ++i) {
    const ResolvedEntry &entry = r.entries[i];
    w.used[i] = w.given[i];
    if (!needsStage(entry, w.given[i])) continue;
    auto bytes = static_cast<size_t>(entry.bytes);
    w.grow(w.stages[i], bytes, *device);
    w.used[i] = w.stages[i].data();
    if (!entry.isOutput) device->copy(w.used[i], w.given[i], bytes, w.stream);
  }
}

void LoadedPlan::enqueueStep(const ResolvedStep &step, const Workspace &w) const {
  if (step.empty) return;
  std::span<const void *const> slots(w.slots.data() + step.firstSlot, step.slotCount);
  auto bytes = static_cast<size_t>(step.bytes);
  switch (step.kind) {
  case ResolvedStep::Kind::Launch: {
    LaunchConfig config = step.config;
    config.tensorMaps = w.maps.maps().subspan(step.firstMap, step.mapCount);
    return device->launch(*step.kernel, config, slots, w.stream);
  }
  case ResolvedStep::Kind::Copy:
    return device->copy(const_cast<void *>(slots[0]), slots[1], bytes, w.stream);
  case ResolvedStep::Kind::Memset:
    return device->memset(const_cast<void *>(slots[0]), step.value, bytes, w.stream);
  }
}

/// Brings outputs that were made elsewhere to where the caller wants them.
void LoadedPlan::deliverOutputs(const ResolvedPlan &r, const Workspace &w) const {
  for (size_t i = 0; i < r.entries.size(); ++i) {
    const ResolvedEntry &entry = r.entries[i];
    if (!entry.isOutput || entry.bytes == 0) continue;
    void *made = entry.partOf < 0 ? w.used[i] : behind(w.used[static_cast<size_t>(entry.partOf)], entry.offset);
    if (made != w.given[i]) device->copy(w.given[i], made, static_cast<size_t>(entry.bytes), w.stream);
  }
}

void LoadedPlan::enqueue(const ResolvedPlan &r, Workspace &w, std::vector<StepTime> *times) const {
  if (!w.prepared) prepare(r, w);
  if (options.poisonArena && r.arenaBytes > 0)
    device->memset(w.arena.data(), 0xFF, static_cast<size_t>(r.arenaBytes), w.stream);
  stageInputs(r, w);
  for (const UserSlot &user : r.userSlots) w.slots[user.slot] = behind(w.used[user.entry], user.bytes);
  w.maps.update(r.maps, w.slots, *device);
  std::vector<std::unique_ptr<TimeMark>> marks;
  auto mark = [&] {
    if (times) marks.push_back(device->mark(w.stream));
  };
  mark();
  for (const ResolvedStep &step : r.steps) {
    enqueueStep(step, w);
    mark();
  }
  deliverOutputs(r, w);
  if (!times) return;
  times->clear();
  for (size_t i = 0; i < plan.steps.size(); ++i)
    times->push_back({i, labelOf(plan.steps[i]), device->secondsBetween(*marks[i], *marks[i + 1])});
}

} // namespace kiln
