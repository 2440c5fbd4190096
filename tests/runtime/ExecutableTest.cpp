#include "runtime/Executable.h"
#include "runtime/Signature.h"
#include "tests/ErrorKit.h"
#include "tests/runtime/PlanKit.h"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace kiln {
namespace {

using namespace test;

std::shared_ptr<Device> poisonedDevice(int threads = 3) {
  return makeHostDevice({.threads = threads, .poisonMemory = true});
}

PlanExecutable chain(Expr n, std::shared_ptr<Device> device, int64_t parameterSize) {
  return {chainPlan(n),
          std::move(device),
          kernels(),
          {{"w", HostTensor::full({parameterSize}, f32, 1)}},
          {.poisonArena = true}};
}

void expectChain(const HostTensor &x, const HostTensor &y) {
  ASSERT_EQ(x.size(), y.size());
  for (int64_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.get(i), ((x.get(i) + 1) * 2 + x.get(i)) * 3) << i;
}

HostTensor ramp(int64_t n, int64_t start = 0) {
  HostTensor t({n}, f32);
  for (int64_t i = 0; i < n; ++i) t.set(i, static_cast<double>((start + i) % 1000));
  return t;
}

TEST(Executable, RunsAChainAtSeveralSizes) {
  for (int64_t n : {0, 1, 63, 64, 65, 1000, 100000}) {
    PlanExecutable exe = chain(n, poisonedDevice(), n);
    HostTensor x = ramp(n);
    std::vector<HostTensor> out = exe.run(std::span<const HostTensor>(&x, 1));
    ASSERT_EQ(out.size(), 1u);
    expectChain(x, out[0]);
    expectChain(x, exe.run(NamedTensors{{"x", x}}).at("y"));
  }
}

TEST(Executable, ManyThreadsShareOne) {
  constexpr int64_t kSize = 5000;
  PlanExecutable exe = chain(kSize, poisonedDevice(), kSize);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      HostTensor y({kSize}, f32);
      for (int i = 0; i < 50; ++i) {
        HostTensor x = ramp(kSize, t * 100 + i);
        exe.runInto({&x, 1}, {&y, 1});
        expectChain(x, y);
      }
    });
  for (auto &t : threads) t.join();
}

TEST(Executable, RunTimeExtentsComeFromTheInputs) {
  LaunchPlan plan;
  plan.name = "double";
  Expr n = Expr::extent("n");
  plan.extents = {{"n", 0, 1 << 20}};
  BufferId x = addBuffer(plan, BufferKind::Input, "x", n), y = addBuffer(plan, BufferKind::Output, "y", n * 2);
  BufferId low = addTemporary(plan, "low", n, 0, {}), high = addTemporary(plan, "high", n, n * 4, {});
  plan.buffers[size_t(low)].aliasOf = plan.buffers[size_t(high)].aliasOf = y;
  plan.steps = {scale(x, low, n, 2), scale(x, high, n, 3)};
  PlanExecutable exe(plan, poisonedDevice(), kernels());
  for (int64_t size : {70, 0, 7, 1000}) {
    HostTensor in = ramp(size), out = exe.run({&in, 1})[0];
    ASSERT_EQ(out.size(), 2 * size);
    for (int64_t i = 0; i < size; ++i) ASSERT_TRUE(out.get(i) == 2 * in.get(i) && out.get(size + i) == 3 * in.get(i));
  }
  HostTensor large({(1 << 20) + 1}, f32);
  EXPECT_NE(messageOf([&] { (void)exe.run({&large, 1}); }).find("extent `n` is in the range"), std::string::npos);
}

TEST(Executable, ADonatedInputsMemoryBecomesTheOutput) {
  PlanExecutable exe(inPlacePlan(100), poisonedDevice(), kernels());
  HostTensor in = ramp(100), out = exe.run({&in, 1})[0];
  EXPECT_EQ(in.raw(), out.raw());
  EXPECT_EQ(out.get(7), 14) << "once, not once per run of anything";
  HostTensor own({100}, f32);
  exe.runInto({&in, 1}, {&own, 1});
  EXPECT_EQ(own.get(7), 28) << "memory of the caller's gets a copy";
  exe.runInto({&in, 1}, {&in, 1});
  EXPECT_EQ(in.get(7), 56);
  HostTensor both({150}, f32), first({100}, f32, both.sharedStorage());
  HostTensor shifted({100}, f32, std::shared_ptr<void>(both.sharedStorage(), both.data<float>() + 50));
  EXPECT_NE(messageOf([&] { exe.runInto({&first, 1}, {&shifted, 1}); }).find("memory of its own"), std::string::npos);
}

TEST(Executable, TemporariesThatLiveAtOnceKeepApart) {
  LaunchPlan plan;
  plan.name = "fan";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", 100), y = addBuffer(plan, BufferKind::Output, "y", 100);
  BufferId a = addTemporary(plan, "a", 100, 0, {0, 2}), b = addTemporary(plan, "b", 100, 512, {1, 2});
  plan.arenaBytes = 912;
  plan.steps = {scale(x, a, 100, 2), scale(x, b, 100, 3), add(a, b, y, 100)};
  HostTensor in = ramp(100), out = PlanExecutable(plan, poisonedDevice(), kernels()).run({&in, 1})[0];
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(out.get(i), 5 * in.get(i));
}

TEST(Executable, ADonatedInputIsNobodyElses) {
  LaunchPlan plan;
  plan.name = "sum";
  BufferId x = addBuffer(plan, BufferKind::Input, "x", 100), z = addBuffer(plan, BufferKind::Input, "z", 100);
  BufferId y = addBuffer(plan, BufferKind::Output, "y", 100);
  plan.buffers[size_t(x)].donated = true;
  plan.buffers[size_t(y)].aliasOf = x;
  plan.steps = {add(x, z, y, 100)};
  PlanExecutable exe(plan, poisonedDevice(), kernels());
  std::vector<HostTensor> twice(2, ramp(100)), apart = {ramp(100), ramp(100)};
  EXPECT_NE(messageOf([&] { (void)exe.run(twice); }).find("donated input `x` has memory of its own"),
            std::string::npos);
  EXPECT_EQ(exe.run(apart)[0].get(9), 18);
}

TEST(Executable, CopiesMemsetsAndConstants) {
  LaunchPlan plan;
  plan.name = "steps";
  BufferId c = addBuffer(plan, BufferKind::Constant, "c", 4), y = addBuffer(plan, BufferKind::Output, "y", 4);
  plan.buffers[size_t(c)].constant = HostTensor::of({4}, f32, {1, 2, 3, 4});
  plan.steps = {MemsetStep{{y, 0}, 16, 0}, CopyStep{{c, 4}, {y, 8}, 8}};
  PlanExecutable exe(plan, poisonedDevice(), {});
  EXPECT_TRUE(bitEqual(exe.run(std::span<const HostTensor>{})[0], HostTensor::of({4}, f32, {0, 0, 2, 3})));
}

TEST(Executable, ParametersTakeThePlansStrides) {
  LaunchPlan plan;
  plan.name = "padded";
  BufferId w = addBuffer(plan, BufferKind::Parameter, "w", 6), y = addBuffer(plan, BufferKind::Output, "y", 12);
  plan.buffers[size_t(w)].shape = {2, 3};
  plan.buffers[size_t(w)].strides = {8, 1};
  plan.buffers[size_t(w)].bytes = 48;
  plan.steps = {CopyStep{{w, 0}, {y, 0}, 48}};
  PlanExecutable exe(plan, poisonedDevice(), {}, {{"w", HostTensor::of({2, 3}, f32, {1, 2, 3, 4, 5, 6})}});
  HostTensor want = HostTensor::of({12}, f32, {1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6, 0});
  EXPECT_TRUE(bitEqual(exe.run(std::span<const HostTensor>{})[0], want));
}

TEST(Executable, WhatDoesNotFitIsNamed) {
  PlanExecutable exe = chain(100, poisonedDevice(), 100);
  HostTensor good = ramp(100), shorter = ramp(99), wide({100}, f64);
  auto positional = [&](const HostTensor &t) { return messageOf([&] { (void)exe.run({&t, 1}); }); };
  EXPECT_EQ(positional(shorter), "invalid input error: chain: input `x` has the type it was compiled for\n"
                                 "  expected: f32[100]\n  found:    f32[99]");
  EXPECT_NE(positional(wide).find("f64[100]"), std::string::npos);
  EXPECT_NE(messageOf([&] { (void)exe.run(std::span<const HostTensor>{}); }).find("takes all inputs"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { (void)exe.run(NamedTensors{{"z", good}}); }).find("input `x`"), std::string::npos);
  EXPECT_NE(messageOf([&] { (void)exe.run(NamedTensors{{"x", good}, {"z", good}}); }).find("`z`"), std::string::npos);
  EXPECT_NE(messageOf([&] {
              exe.runInto({&good, 1}, {&good, 1});
            }).find("output `y` has memory of its own"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { exe.runInto({&good, 1}, {&shorter, 1}); }).find("output `y`"), std::string::npos);
  std::shared_ptr<void> odd(good.sharedStorage(), static_cast<char *>(good.raw()) + 1);
  EXPECT_NE(positional(HostTensor({100}, f32, odd)).find("aligned to its element"), std::string::npos);
}

TEST(Executable, WhatCannotBeLoadedIsNamed) {
  auto load = [](LaunchPlan plan, std::vector<KernelImage> images, const NamedTensors &parameters) {
    return messageOf([&] { PlanExecutable(std::move(plan), poisonedDevice(), images, parameters); });
  };
  NamedTensors good = {{"w", HostTensor({100}, f32)}, {"unused", HostTensor({1}, i64)}};
  EXPECT_EQ(load(chainPlan(100), kernels(), good), "no error");
  EXPECT_NE(load(chainPlan(100), kernels(), {}).find("no tensor named `w`"), std::string::npos);
  EXPECT_NE(load(chainPlan(100), kernels(), {{"w", HostTensor({99}, f32)}}).find("parameter `w`"), std::string::npos);
  EXPECT_NE(load(chainPlan(100), {}, good).find("no kernel `add`"), std::string::npos);
  EXPECT_NE(load(chainPlan(100), {CodeImage{.symbol = "add", .target = "sm_90a"}}, good).find("sm_90a"),
            std::string::npos);
  LaunchPlan broken = chainPlan(100);
  broken.arenaBytes = 0;
  EXPECT_NE(load(broken, kernels(), good).find("the launch plan is sound"), std::string::npos);
}

TEST(Executable, StepTimesNameEveryStep) {
  PlanExecutable exe = chain(100000, poisonedDevice(), 100000);
  HostTensor x = ramp(100000);
  std::vector<StepTime> times;
  (void)exe.run({&x, 1}, {.stepTimes = &times});
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[0].label, "x + y");
  EXPECT_EQ(times[1].label, "scale");
  for (const StepTime &t : times) EXPECT_GT(t.seconds, 0);
}

/// A host device that counts allocations.
class CountingDevice : public Device {
public:
  std::string name() const override { return inner->name(); }
  bool sharesHostMemory() const override { return shares; }
  DeviceBuffer allocate(size_t bytes) override {
    ++allocations;
    return inner->allocate(bytes);
  }
  void copyIn(void *d, const void *h, size_t n, Stream s) override { inner->copyIn(d, h, n, s); }
  void copyOut(void *h, const void *d, size_t n, Stream s) override { inner->copyOut(h, d, n, s); }
  void copy(void *to, const void *from, size_t n, Stream s) override { inner->copy(to, from, n, s); }
  void memset(void *d, uint8_t v, size_t n, Stream s) override { inner->memset(d, v, n, s); }
  KernelHandle load(const KernelImage &image) override { return inner->load(image); }
  void launch(const LoadedKernel &k, const LaunchConfig &c, std::span<const void *const> slots, Stream s) override {
    inner->launch(k, c, slots, s);
  }
  void synchronize(Stream s) override { inner->synchronize(s); }
  std::unique_ptr<TimeMark> mark(Stream s) override { return inner->mark(s); }
  double secondsBetween(const TimeMark &a, const TimeMark &b) override { return inner->secondsBetween(a, b); }

  bool shares = true;
  std::atomic<int> allocations{0};

protected:
  void release(void *, size_t) noexcept override {}

private:
  std::shared_ptr<Device> inner = poisonedDevice(2);
};

TEST(Executable, SteadyStateAllocatesNothingOnTheDevice) {
  auto device = std::make_shared<CountingDevice>();
  PlanExecutable exe = chain(1000, device, 1000);
  HostTensor x = ramp(1000), y({1000}, f32);
  exe.runInto({&x, 1}, {&y, 1});
  int before = device->allocations;
  for (int i = 0; i < 10; ++i) exe.runInto({&x, 1}, {&y, 1});
  EXPECT_EQ(device->allocations, before);
}

TEST(Executable, ADeviceOfItsOwnMemoryGetsCopies) {
  auto device = std::make_shared<CountingDevice>();
  device->shares = false;
  PlanExecutable exe = chain(1000, device, 1000);
  HostTensor x = ramp(1000);
  expectChain(x, exe.run({&x, 1})[0]);
}

TEST(Executable, RunsOnDeviceAddresses) {
  PlanExecutable exe = chain(1000, poisonedDevice(), 1000);
  HostTensor x = ramp(1000), y({1000}, f32);
  void *in = x.raw(), *out = y.raw();
  exe.runDevice({&in, 1}, {&out, 1});
  expectChain(x, y);
  EXPECT_THROW(exe.runDevice({}, {&out, 1}), Error);
  void *null = nullptr, *odd = static_cast<char *>(x.raw()) + 2;
  EXPECT_THROW(exe.runDevice({&null, 1}, {&out, 1}), Error);
  EXPECT_THROW(exe.runDevice({&odd, 1}, {&out, 1}), Error);
}

/// y = a + b, z = a * 2 and, in the memory of d, which is donated, w = d * 3.
LaunchPlan threePlan(Expr n) {
  LaunchPlan plan;
  plan.name = "three";
  BufferId a = addBuffer(plan, BufferKind::Input, "a", n), b = addBuffer(plan, BufferKind::Input, "b", n);
  BufferId d = addBuffer(plan, BufferKind::Input, "d", n);
  BufferId y = addBuffer(plan, BufferKind::Output, "y", n), z = addBuffer(plan, BufferKind::Output, "z", n);
  BufferId w = addBuffer(plan, BufferKind::Output, "w", n);
  plan.buffers[size_t(d)].donated = true;
  plan.buffers[size_t(w)].aliasOf = d;
  plan.steps = {add(a, b, y, n), scale(a, z, n, 2), scale(d, w, n, 3)};
  return plan;
}

TEST(Executable, OverlapIsRefusedHoweverItRuns) {
  constexpr int64_t kSize = 64;
  PlanExecutable exe(threePlan(kSize), poisonedDevice(), kernels());
  std::vector<float> memory(kSize * 8, 1);
  auto at = [&](int64_t element) -> void * { return memory.data() + element; };
  auto refusal = [&](std::vector<void *> in, std::vector<void *> out) {
    std::string run = messageOf([&] { exe.runDevice(in, out); });
    EXPECT_EQ(messageOf([&] { (void)exe.capture(in, out); }), run);
    std::vector<HostTensor> inputs, outputs;
    auto over = [](void *p) { return HostTensor({kSize}, f32, std::shared_ptr<void>(p, [](void *) {})); };
    for (void *p : in) inputs.push_back(over(p));
    for (void *p : out) outputs.push_back(over(p));
    EXPECT_EQ(messageOf([&] { exe.runInto(inputs, outputs); }), run);
    EXPECT_EQ(messageOf([&] { exe.runDevice(in, out); }), run) << "asked again";
    return run;
  };
  std::vector<void *> apart = {at(0), at(64), at(128)}, out = {at(192), at(256), at(320)};
  EXPECT_EQ(refusal(apart, out), "no error");
  EXPECT_EQ(refusal({at(0), at(0), at(128)}, out), "no error") << "inputs that are read alone may be one";
  EXPECT_EQ(refusal({at(0), at(4), at(128)}, out), "no error");
  EXPECT_EQ(refusal(apart, {at(192), at(256), at(128)}), "no error") << "where the plan puts it";
  EXPECT_EQ(refusal(apart, {at(4), at(256), at(320)}),
            "invalid input error: three: output `y` has memory of its own\n  expected: no overlap\n"
            "  found:    bytes shared with input `a`\n  hint:     pass another tensor, or a clone()");
  EXPECT_NE(refusal(apart, {at(0), at(256), at(320)}).find("shared with input `a`"), std::string::npos);
  EXPECT_NE(refusal(apart, {at(192), at(192), at(320)}).find("shared with output `y`"), std::string::npos);
  EXPECT_NE(refusal(apart, {at(192), at(128), at(128)}).find("output `z`"), std::string::npos);
  EXPECT_NE(refusal(apart, {at(192), at(256), at(129)}).find("output `w`"), std::string::npos);
  EXPECT_NE(refusal({at(0), at(64), at(60)}, out).find("donated input `d` has memory of its own"), std::string::npos);
  EXPECT_NE(messageOf([&] {
              (void)exe.runAllocating(std::vector<void *>{at(0), at(64), at(60)});
            }).find("donated"),
            std::string::npos);
  EXPECT_EQ(refusal(apart, out), "no error");
}

TEST(Executable, OverlapIsFoundExactlyWhereThereIsOne) {
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    LaunchPlan plan = threePlan(0);
    std::vector<const void *> given;
    std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
    for (PlanBuffer &b : plan.buffers) {
      if (b.name == "w")
        b.bytes = plan.buffers[2].bytes; // as large as what it lies in
      else
        b.bytes = static_cast<int64_t>(random() % 12);
      uintptr_t begin = b.name == "w" && round % 2 ? ranges[2].first : 1 + random() % 60;
      given.push_back(reinterpret_cast<const void *>(begin));
      ranges.emplace_back(begin, begin + static_cast<uintptr_t>(b.bytes.evaluate()));
    }
    bool overlap = false;
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < i; ++j)
        overlap |= i >= 2 && !(i == 5 && j == 2 && ranges[5].first == ranges[2].first) &&
                   std::max(ranges[i].first, ranges[j].first) < std::min(ranges[i].second, ranges[j].second);
    EXPECT_EQ(messageOf([&] { checkOverlap(plan, given, {}); }) != "no error", overlap) << round;
    refused += overlap;
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1900);
}

} // namespace
} // namespace kiln
