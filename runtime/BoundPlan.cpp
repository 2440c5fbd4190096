#include "runtime/BoundPlan.h"
#include "kiln/Error.h"
#include "runtime/Nearest.h"
#include "runtime/Signature.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/files/Safetensors.h"
#include "runtime/host/HostDevice.h"

#include <fmt/format.h>
#include <utility>

namespace kiln {

BoundPlan::BoundPlan(LaunchPlan plan, std::vector<KernelImage> kernels, std::shared_ptr<Device> device,
                     const ExecutableOptions &options)
    : plan(std::move(plan)), kernels(std::move(kernels)), device(std::move(device)), options(options) {}

const PlanBuffer *BoundPlan::parameter(const std::string &name) const {
  for (const PlanBuffer &b : plan.buffers)
    if (b.kind == BufferKind::Parameter && b.name == name) return &b;
  return nullptr;
}

void BoundPlan::bind(const std::string &name, const HostTensor &value) {
  const PlanBuffer *buffer = parameter(name);
  if (!buffer) throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such parameter"});
  if (std::vector<int64_t> shape = shapeOf(*buffer, {}); buffer->dtype != value.dtype() || shape != value.shape())
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = name,
                 .rule = "a parameter must have its type in the graph",
                 .expected = typeString(buffer->dtype, shape),
                 .found = value.typeString()});
  std::lock_guard guard(lock);
  values[name] = value;
  current.reset();
}

void BoundPlan::bindFile(const std::string &path) {
  SafetensorsFile file = SafetensorsFile::open(path);
  for (const PlanBuffer &b : plan.buffers) {
    if (b.kind != BufferKind::Parameter) continue;
    if (!file.contains(b.name)) {
      std::string nearest = nearestName(b.name, file.names());
      throw Error({.code = ErrorCode::InvalidInput,
                   .op = path,
                   .rule = "every parameter must be in the file",
                   .expected = fmt::format("a tensor \"{}\" of {}", b.name, typeString(b.dtype, shapeOf(b, {}))),
                   .found = fmt::format("{} other tensors", file.names().size()),
                   .hint = nearest.empty() ? "" : fmt::format("\"{}\", the nearest name in the file", nearest)});
    }
    bind(b.name, file.tensor(b.name));
  }
}

std::vector<std::string> BoundPlan::missing() const {
  std::vector<std::string> names;
  for (const PlanBuffer &b : plan.buffers)
    if (b.kind == BufferKind::Parameter && b.aliasOf == kNoBuffer && !values.contains(b.name)) names.push_back(b.name);
  return names;
}

std::vector<std::string> BoundPlan::unbound() const {
  std::lock_guard guard(lock);
  return missing();
}

NamedTensors BoundPlan::parameters() const {
  std::lock_guard guard(lock);
  return values;
}

std::shared_ptr<const PlanExecutable> BoundPlan::loaded() const {
  std::lock_guard guard(lock);
  if (current) return current;
  if (!device)
    throw Error({.code = ErrorCode::NoDevice,
                 .op = plan.name,
                 .rule = "a graph runs where its device is",
                 .found = fmt::format("code for {} and no such device here", plan.target)});
  if (std::vector<std::string> names = missing(); !names.empty())
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = names.front(),
                 .rule = "every parameter must be bound",
                 .found = fmt::format("{} without a value", names.size()),
                 .hint = "bind it by its name, or all of them from a .safetensors file"});
  current = std::make_shared<PlanExecutable>(plan, device, kernels, values, options);
  return current;
}

std::shared_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options) {
  if (name == "cpu") return makeHostDevice({.threads = options.threads, .poisonMemory = options.poisonMemory});
  if (name == "cuda") return makeCudaDevice({.ordinal = options.ordinal, .poisonMemory = options.poisonMemory});
  throw Error({.code = ErrorCode::Usage, .op = name, .rule = "the device is not known", .expected = "cpu or cuda"});
}

} // namespace kiln
