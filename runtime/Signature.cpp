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

/// A half-open range of addresses.
struct Range {
  uintptr_t begin, end;
};

Range rangeOf(const HostTensor &t) {
  auto begin = reinterpret_cast<uintptr_t>(t.raw());
  return {begin, begin + t.byteSize()};
}

bool overlap(Range a, Range b) { return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end; }

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

void checkOverlap(const LaunchPlan &plan, std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
                  const Bindings &extents) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t other = 0; at(plan, plan.inputs[i]).donated && other < inputs.size(); ++other)
      if (i != other && overlap(rangeOf(inputs[i]), rangeOf(inputs[other])))
        fail(plan, fmt::format("donated input `{}` has memory of its own", at(plan, plan.inputs[i]).name), "no overlap",
             fmt::format("bytes shared with input `{}`", at(plan, plan.inputs[other]).name), "pass a clone()");
  for (size_t o = 0; o < outputs.size(); ++o) {
    const PlanBuffer &out = at(plan, plan.outputs[o]);
    Range mine = rangeOf(outputs[o]);
    auto refuse = [&](const PlanBuffer &other) {
      fail(plan, fmt::format("output `{}` has memory of its own", out.name), "no overlap",
           fmt::format("bytes shared with {} `{}`", name(other.kind), other.name), "pass another tensor, or a clone()");
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      Range theirs = rangeOf(inputs[i]);
      bool planned = out.aliasOf == plan.inputs[i] &&
                     mine.begin == theirs.begin + static_cast<uintptr_t>(out.offset.evaluate(extents));
      if (!planned && overlap(mine, theirs)) refuse(at(plan, plan.inputs[i]));
    }
    for (size_t other = 0; other < o; ++other)
      if (overlap(mine, rangeOf(outputs[other]))) refuse(at(plan, plan.outputs[other]));
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
