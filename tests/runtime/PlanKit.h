// Plans and kernels written by hand, for the tests of the runtime.
#pragma once

#include "runtime/Executable.h"
#include "runtime/host/HostDevice.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kiln::test {

inline constexpr int64_t kBlock = 64; ///< elements per CTA of the kernels below

/// Slots: x, y, out, n. out = x + y.
inline void addKernel(const void *const *slots, int64_t begin, int64_t end, void *) {
  const auto *x = static_cast<const float *>(slots[0]), *y = static_cast<const float *>(slots[1]);
  auto *out = static_cast<float *>(const_cast<void *>(slots[2]));
  auto n = reinterpret_cast<int64_t>(slots[3]);
  for (int64_t i = begin * kBlock; i < std::min(end * kBlock, n); ++i) out[i] = x[i] + y[i];
}

/// Slots: x, out, n, factor (f32 bits). out = x * factor, by way of the scratch: a CTA's block of floats.
inline void scaleKernel(const void *const *slots, int64_t begin, int64_t end, void *scratch) {
  const auto *x = static_cast<const float *>(slots[0]);
  auto *out = static_cast<float *>(const_cast<void *>(slots[1]));
  auto n = reinterpret_cast<int64_t>(slots[2]);
  auto bits = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(slots[3]));
  auto factor = std::bit_cast<float>(bits);
  auto *block = static_cast<float *>(scratch);
  for (int64_t cta = begin; cta < end; ++cta) {
    int64_t low = cta * kBlock, high = std::min(low + kBlock, n);
    for (int64_t i = low; i < high; ++i) block[i - low] = x[i] * factor;
    for (int64_t i = low; i < high; ++i) out[i] = block[i - low];
  }
}

inline std::vector<KernelImage> kernels() {
  return {HostKernelImage{addKernel, nullptr, "add", nullptr}, HostKernelImage{scaleKernel, nullptr, "scale", nullptr}};
}

inline BufferId addBuffer(LaunchPlan &plan, BufferKind kind, std::string name, Expr n) {
  PlanBuffer b;
  b.id = static_cast<BufferId>(plan.buffers.size());
  b.name = std::move(name);
  b.kind = kind;
  b.shape = {n};
  b.bytes = n * 4;
  if (kind == BufferKind::Input) plan.inputs.push_back(b.id);
  if (kind == BufferKind::Output) plan.outputs.push_back(b.id);
  plan.buffers.push_back(b);
  return b.id;
}

inline BufferId addTemporary(LaunchPlan &plan, std::string name, Expr n, Expr offset, Lifetime lifetime) {
  BufferId id = addBuffer(plan, BufferKind::Temporary, std::move(name), n);
  plan.buffers.back().offset = offset;
  plan.buffers.back().lifetime = lifetime;
  return id;
}

inline LaunchStep add(BufferId x, BufferId y, BufferId out, Expr n) {
  LaunchStep s;
  s.kernel = "add";
  s.target = "cpu";
  s.label = "x + y";
  s.grid[0] = ceilDiv(n, kBlock);
  s.args = {BufferArg{x, 0, Access::Read}, BufferArg{y, 0, Access::Read}, BufferArg{out, 0, Access::Write}, ExprArg{n}};
  return s;
}

inline LaunchStep scale(BufferId x, BufferId out, Expr n, float factor) {
  LaunchStep s;
  s.kernel = "scale";
  s.target = "cpu";
  s.grid[0] = ceilDiv(n, kBlock);
  s.scratchBytes = kBlock * 4;
  s.args = {BufferArg{x, 0, Access::Read}, BufferArg{out, 0, Access::Write}, ExprArg{n},
            ScalarArg{f32, std::bit_cast<uint32_t>(factor)}};
  return s;
}

/// y = ((x + w) * 2 + x) * 3 over n floats: two temporaries that live at once, then a third that takes the first one's
/// place.
inline LaunchPlan chainPlan(Expr n) {
  LaunchPlan plan;
  plan.name = "chain";
  plan.target = "cpu";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", n), w = addBuffer(plan, BufferKind::Parameter, "w", n);
  BufferId y = addBuffer(plan, BufferKind::Output, "y", n);
  Expr step = ceilDiv(n * 4, 256) * 256;
  BufferId a = addTemporary(plan, "a", n, 0, {0, 1}), b = addTemporary(plan, "b", n, step, {1, 2});
  BufferId c = addTemporary(plan, "c", n, 0, {2, 3});
  plan.arenaBytes = step * 2;
  plan.steps = {add(x, w, a, n), scale(a, b, n, 2), add(b, x, c, n), scale(c, y, n, 3)};
  return plan;
}

/// y = x * 2 over n floats, in the memory of x, which is donated.
inline LaunchPlan inPlacePlan(Expr n) {
  LaunchPlan plan;
  plan.name = "inplace";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", n), y = addBuffer(plan, BufferKind::Output, "y", n);
  plan.buffers[size_t(x)].donated = true;
  plan.buffers[size_t(y)].aliasOf = x;
  plan.steps = {scale(x, y, n, 2)};
  return plan;
}

/// chainPlan's result for x, w being 1.
inline float chained(float x) { return ((x + 1) * 2 + x) * 3; }

//===- On GPUs ----------------------------------------------------------------------------------------------------===//

/// A plan of the above as it would be compiled for a GPU.
inline LaunchPlan forCuda(LaunchPlan plan) {
  plan.target = "sm_80";
  for (PlanStep &step : plan.steps)
    if (auto *launch = std::get_if<LaunchStep>(&step)) launch->target = "sm_80", launch->scratchBytes = 0;
  return plan;
}

/// n floats on a device, start, start + 1 ...; `skew` elements behind an aligned address.
inline DeviceBuffer rampOn(Device &device, int64_t n, float start, int64_t skew = 0) {
  std::vector<float> values(static_cast<size_t>(n + skew));
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i + skew)] = start + static_cast<float>(i);
  DeviceBuffer memory = device.allocate(values.size() * 4);
  device.copyIn(memory.data(), values.data(), values.size() * 4);
  device.synchronize();
  return memory;
}

/// The n floats at `y` are the chain's results for that ramp.
inline void expectChained(Device &device, const void *y, int64_t n, float start) {
  std::vector<float> values(static_cast<size_t>(n));
  device.copyOut(values.data(), y, values.size() * 4);
  device.synchronize();
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(values[static_cast<size_t>(i)], chained(start + static_cast<float>(i))) << "element " << i;
}

} // namespace kiln::test
