#include "runtime/Signature.h"
#include "kiln/Error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace kiln {
namespace {

[[noreturn]] void fail(const LaunchPlan &plan, std::string rule, std::string expected, std::string found,
                       std::string hint = {}) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = plan.name,
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found),
               .hint = std::move(hint)});
}

/// "f32[n, 128]": the type as the plan states it.
std::string planType(const PlanBuffer &b) {
  std::string shape;
  for (const Expr &e : b.shape) shape += (shape.empty() ? "" : ", ") + e.toString();
  return fmt::format("{}[{}]", name(b.dtype), shape);
}

[[noreturn]] void failType(const LaunchPlan &plan, const PlanBuffer &b, const HostTensor &t) {
  fail(plan, fmt::format("{} `{}` has the type it was compiled for", name(b.kind), b.name), planType(b),
       t.typeString());
}

const PlanBuffer &at(const LaunchPlan &plan, BufferId id) { return plan.buffers[static_cast<size_t>(id)]; }

/// What lies at an address that a caller gave.
struct Range {
  uintptr_t begin, end; ///< half open
  bool written;         ///< an output, or a donated input
};

bool overlap(const Range &a, const Range &b) {
  return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end;
}

/// Does any range overlap another, one of the two written? In the time it takes to sort them.
bool anyOverlap(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range &r) { return r.begin == r.end; });
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  uintptr_t end = 0, writtenEnd = 0; // of those before
  for (const Range &r : ranges) {
    if (r.begin < (r.written ? end : writtenEnd)) return true;
    end = std::max(end, r.end);
    if (r.written) writtenEnd = std::max(writtenEnd, r.end);
  }
  return false;
}

} // namespace

void checkCount(const LaunchPlan &plan, const char *what, size_t expected, size_t found) {
  if (expected != found)
    fail(plan, fmt::format("a run takes all {}", what), std::to_string(expected), std::to_string(found));
}

void checkExtents(const LaunchPlan &plan, const Bindings &extents) {
  for (const PlanExtent &e : plan.extents) {
    auto bound = extents.find(e.name);
    if (bound == extents.end() || bound->second < e.lower || bound->second > e.upper)
      fail(plan, fmt::format("extent `{}` is in the range it was compiled for", e.name),
           fmt::format("{} .. {}", e.lower, e.upper),
           bound == extents.end() ? "no value" : std::to_string(bound->second));
  }
}

void checkPointer(const LaunchPlan &plan, const PlanBuffer &b, const void *pointer, const Bindings &extents) {
  uintptr_t element = std::max(1, bitWidth(b.dtype) / 8);
  if (reinterpret_cast<uintptr_t>(pointer) % element || (!pointer && b.bytes.evaluate(extents) > 0))
    fail(plan, fmt::format("{} `{}` is aligned to its element", name(b.kind), b.name), fmt::format("{} bytes", element),
         fmt::format("address {}", pointer));
}

Bindings bindInputs(const LaunchPlan &plan, std::span<const HostTensor> inputs) {
  checkCount(plan, "inputs", plan.inputs.size(), inputs.size());
  Bindings extents;
  // An extent is bound by the first input that names it alone; everything else is then checked against it.
  for (size_t i = 0; i < inputs.size() && !plan.extents.empty(); ++i) {
    const PlanBuffer &b = at(plan, plan.inputs[i]);
    if (b.shape.size() != inputs[i].shape().size()) failType(plan, b, inputs[i]);
    for (size_t d = 0; d < b.shape.size(); ++d)
      if (b.shape[d].kind() == Expr::Kind::Extent) extents.emplace(b.shape[d].extentName(), inputs[i].shape()[d]);
  }
  checkExtents(plan, extents);
  for (size_t i = 0; i < inputs.size(); ++i) checkTensor(plan, at(plan, plan.inputs[i]), inputs[i], extents);
  return extents;
}

std::vector<int64_t> shapeOf(const PlanBuffer &buffer, const Bindings &extents) {
  std::vector<int64_t> shape;
  for (const Expr &e : buffer.shape) shape.push_back(e.evaluate(extents));
  return shape;
}

void checkTensor(const LaunchPlan &plan, const PlanBuffer &buffer, const HostTensor &tensor, const Bindings &extents) {
  bool fits = tensor.dtype() == buffer.dtype && tensor.shape().size() == buffer.shape.size();
  for (size_t d = 0; fits && d < buffer.shape.size(); ++d)
    fits = tensor.shape()[d] == buffer.shape[d].evaluate(extents);
  if (!fits) failType(plan, buffer, tensor);
  checkPointer(plan, buffer, tensor.raw(), extents);
}

void checkOverlap(const LaunchPlan &plan, std::span<const void *const> given, const Bindings &extents) {
  size_t inputCount = plan.inputs.size();
  auto bufferOf = [&](size_t i) -> const PlanBuffer & {
    return at(plan, i < inputCount ? plan.inputs[i] : plan.outputs[i - inputCount]);
  };
  std::vector<Range> ranges, apart, outputs; // all; all but outputs where the plan puts them; outputs
  std::vector<bool> planned(given.size());   // an output that is where the plan puts it in a donated input
  std::vector<uintptr_t> begins(plan.buffers.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const PlanBuffer &b = bufferOf(i);
    auto begin = reinterpret_cast<uintptr_t>(given[i]);
    ranges.push_back({begin, begin + static_cast<uintptr_t>(b.bytes.evaluate(extents)), i >= inputCount || b.donated});
    begins[static_cast<size_t>(b.id)] = begin;
    if (i >= inputCount && b.aliasOf != kNoBuffer && at(plan, b.aliasOf).kind == BufferKind::Input)
      planned[i] = begin == begins[static_cast<size_t>(b.aliasOf)] + static_cast<uintptr_t>(b.offset.evaluate(extents));
    if (!planned[i]) apart.push_back(ranges[i]);
    if (i >= inputCount) outputs.push_back(ranges[i]);
  }
  if (!anyOverlap(std::move(apart)) && !anyOverlap(std::move(outputs))) return;
  auto refuse = [&](size_t i, size_t other, std::string hint) {
    fail(plan,
         fmt::format("{}{} `{}` has memory of its own", i < inputCount ? "donated " : "", name(bufferOf(i).kind),
                     bufferOf(i).name),
         "no overlap", fmt::format("bytes shared with {} `{}`", name(bufferOf(other).kind), bufferOf(other).name),
         std::move(hint));
  };
  for (size_t i = 0; i < given.size(); ++i)
    for (size_t other = 0; other < (i < inputCount ? inputCount : i); ++other) {
      bool asPlanned = planned[i] && other < inputCount && bufferOf(i).aliasOf == plan.inputs[other];
      if (i != other && ranges[i].written && !asPlanned && overlap(ranges[i], ranges[other]))
        refuse(i, other, i < inputCount ? "pass a clone()" : "pass another tensor, or a clone()");
    }
}

std::vector<std::byte> packStrided(const HostTensor &tensor, std::span<const int64_t> strides, size_t bytes) {
  std::vector<std::byte> packed(bytes);
  const std::vector<int64_t> &shape = tensor.shape();
  auto element = static_cast<size_t>(bitWidth(tensor.dtype())) / 8;
  if (element == 0)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "launch plan",
                 .rule = "parameters of less than a byte per element are dense",
                 .found = tensor.typeString()});
  std::vector<int64_t> index(shape.size());
  int64_t to = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    std::memcpy(&packed[static_cast<size_t>(to) * element], tensor.bytes().data() + static_cast<size_t>(i) * element,
                element);
    // The next index in row-major order, and its place by what the carry moved.
    for (size_t d = shape.size(); d-- > 0;) {
      to += strides[d];
      if (++index[d] < shape[d]) break;
      to -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return packed;
}

} // namespace kiln
