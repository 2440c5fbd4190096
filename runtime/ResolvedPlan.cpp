#include "runtime/ResolvedPlan.h"

#include <algorithm>
#include <variant>

namespace kiln {
namespace {

class Resolver {
public:
  Resolver(const LaunchPlan &plan, Device &device, const std::map<std::string, KernelHandle> &kernels,
           const Bindings &extents)
      : plan(plan), device(device), kernels(kernels), extents(extents) {}

  ResolvedPlan run() {
    for (const PlanBuffer &b : plan.buffers) {
      bool alias = b.aliasOf != kNoBuffer;
      int64_t offset = b.offset.evaluate(extents);
      places.push_back({alias ? b.aliasOf : b.id, alias ? offset : 0});
      out.offset.push_back(offset);
    }
    out.arenaBytes = plan.arenaBytes.evaluate(extents);
    entryOf.assign(plan.buffers.size(), -1);
    int32_t entry = 0;
    for (BufferId id : plan.inputs) entryOf[static_cast<size_t>(id)] = entry++;
    for (BufferId id : plan.outputs) entryOf[static_cast<size_t>(id)] = entry++;
    for (BufferId id : plan.inputs) addEntry(id, /*isOutput=*/false);
    for (BufferId id : plan.outputs) addEntry(id, /*isOutput=*/true);
    for (const PlanStep &step : plan.steps) {
      size_t first = out.slots.size();
      ResolvedStep resolved = std::visit([&](const auto &s) { return resolveStep(s); }, step);
      resolved.firstSlot = first;
      resolved.slotCount = out.slots.size() - first - resolved.mapCount; // maps' addresses are no arguments
      out.steps.push_back(std::move(resolved));
    }
    for (size_t i = 0; i < out.slots.size(); ++i) {
      const Place &p = out.slots[i].place;
      int32_t user = p.root == kNoBuffer ? -1 : entryOf[static_cast<size_t>(p.root)];
      if (user >= 0) out.userSlots.push_back({i, static_cast<size_t>(user), p.bytes});
    }
    return std::move(out);
  }

private:
  void addEntry(BufferId id, bool isOutput) {
    const PlanBuffer &b = plan.buffers[static_cast<size_t>(id)];
    ResolvedEntry entry{.bytes = b.bytes.evaluate(extents), .isOutput = isOutput};
    if (b.aliasOf != kNoBuffer) {
      entry.partOf = entryOf[static_cast<size_t>(b.aliasOf)];
      entry.offset = out.offset[static_cast<size_t>(id)];
    }
    out.entries.push_back(entry);
  }

  ResolvedStep resolveStep(const LaunchStep &s) {
    ResolvedStep r;
    r.kernel = kernels.at(s.kernel);
    r.config.sharedBytes = s.sharedBytes.evaluate(extents);
    r.config.scratchBytes = s.scratchBytes.evaluate(extents);
    r.config.cluster = s.cluster;
    r.config.pdl = s.pdl;
    resolveGrid(s, r);
    r.firstMap = out.maps.size();
    for (const PlanArg &arg : s.args)
      if (!std::holds_alternative<TensorMapArg>(arg)) out.slots.push_back(resolveArg(arg));
    for (const PlanArg &arg : s.args)
      if (const auto *map = std::get_if<TensorMapArg>(&arg)) {
        out.maps.push_back({s.kernel, out.slots.size(), r.empty, recipeOf(*map, extents)});
        out.slots.push_back(resolveArg(BufferArg{map->buffer, map->offset, map->access}));
      }
    r.mapCount = out.maps.size() - r.firstMap;
    return r;
  }

  void resolveGrid(const LaunchStep &s, ResolvedStep &r) {
    Bindings names = extents;
    if (std::any_of(s.grid.begin(), s.grid.end(), [](const Expr &e) { return e.names(kResidentCtas); }))
      names[kResidentCtas] = device.residentCtas(*r.kernel, r.config);
    for (size_t i = 0; i < 3; ++i) r.config.grid[i] = s.grid[i].evaluate(names);
    r.empty = elementCount(r.config.grid) == 0;
  }

  ResolvedStep resolveStep(const CopyStep &s) {
    ResolvedStep r;
    r.kind = ResolvedStep::Kind::Copy;
    out.slots.push_back(resolveArg(s.dst));
    out.slots.push_back(resolveArg(s.src));
    r.bytes = s.bytes.evaluate(extents);
    r.empty = r.bytes == 0;
    return r;
  }

  ResolvedStep resolveStep(const MemsetStep &s) {
    ResolvedStep r;
    r.kind = ResolvedStep::Kind::Memset;
    out.slots.push_back(resolveArg(s.dst));
    r.bytes = s.bytes.evaluate(extents);
    r.empty = r.bytes == 0;
    r.value = s.value;
    return r;
  }

  ResolvedSlot resolveArg(const BufferArg &a) const {
    Place p = places[static_cast<size_t>(a.buffer)];
    p.bytes += a.offset.evaluate(extents);
    return {p, 0};
  }
  ResolvedSlot resolveArg(const ExprArg &a) const { return {{}, static_cast<uint64_t>(a.value.evaluate(extents))}; }
  ResolvedSlot resolveArg(const ScalarArg &a) const { return {{}, a.bits}; }
  ResolvedSlot resolveArg(const PlanArg &arg) const {
    if (const auto *buffer = std::get_if<BufferArg>(&arg)) return resolveArg(*buffer);
    if (const auto *number = std::get_if<ExprArg>(&arg)) return resolveArg(*number);
    return resolveArg(std::get<ScalarArg>(arg));
  }

  const LaunchPlan &plan;
  Device &device;
  const std::map<std::string, KernelHandle> &kernels;
  const Bindings &extents;
  ResolvedPlan out;
  std::vector<Place> places;    ///< by buffer id: itself, or its root and the offset in it
  std::vector<int32_t> entryOf; ///< by buffer id: its number among the caller's tensors, or -1
};

} // namespace

ResolvedPlan resolve(const LaunchPlan &plan, Device &device, const std::map<std::string, KernelHandle> &kernels,
                     const Bindings &extents) {
  return Resolver(plan, device, kernels, extents).run();
}

} // namespace kiln
