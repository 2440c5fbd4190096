// verify(): first each buffer and entry on its own, then steps against buffers, then the arena as a packing problem.
// Later checks run only over what earlier ones found sound, so that one mistake is reported once and nothing is indexed
// blindly.
#include "kiln/Error.h"
#include "runtime/LaunchPlan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace kiln {
namespace {

/// More CTAs than any device runs at a time.
constexpr int64_t kMostResident = int64_t(1) << 20;

/// A buffer's numbers under one set of bindings; `offset` counts from the arena or the root.
struct Extent {
  int64_t bytes = 0, offset = 0;
};

class Verifier {
public:
  Verifier(const LaunchPlan &plan, Bindings bindings) : plan(plan), bindings(std::move(bindings)) {}

  std::vector<std::string> run() {
    if (plan.schema != kLaunchPlanSchema) problem("the schema is {}, not {}", plan.schema, kLaunchPlanSchema);
    checkIds();
    if (!problems.empty()) return std::move(problems);
    checkNames();
    for (const PlanBuffer &b : plan.buffers) checkBuffer(b);
    if (!problems.empty()) return std::move(problems);
    for (const PlanBuffer &b : plan.buffers) checkAlias(b);
    checkSteps();
    checkArena();
    return std::move(problems);
  }

private:
  template <typename... Args> void problem(fmt::format_string<Args...> format, Args &&...args) {
    problems.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  /// "buffer 3 `h`".
  std::string nameOf(const PlanBuffer &b) const { return fmt::format("buffer {} `{}`", b.id, b.name); }
  const PlanBuffer &buffer(BufferId id) const { return plan.buffers[static_cast<size_t>(id)]; }
  bool known(BufferId id) const { return id >= 0 && static_cast<size_t>(id) < plan.buffers.size(); }
  const PlanBuffer &root(const PlanBuffer &b) const { return b.aliasOf == kNoBuffer ? b : buffer(b.aliasOf); }

  /// The value of `e`, at least 0; otherwise a problem and 0.
  int64_t number(const Expr &e, const std::string &what) {
    try {
      int64_t value = e.evaluate(bindings);
      if (value >= 0) return value;
      problem("{} is negative: {}", what, value);
    } catch (const Error &error) {
      problem("{} has no value: {} ({})", what, error.rule, error.found);
    }
    return 0;
  }

  void checkIds() {
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      const PlanBuffer &b = plan.buffers[i];
      if (b.id != static_cast<BufferId>(i)) problem("the buffer at index {} has id {}", i, b.id);
      if (b.aliasOf != kNoBuffer && !known(b.aliasOf)) problem("buffer {} is an alias of unknown id {}", i, b.aliasOf);
    }
    auto checkEntries = [&](const std::vector<BufferId> &ids, BufferKind kind) {
      for (BufferId id : ids)
        if (!known(id))
          problem("the {}s list unknown id {}", name(kind), id);
        else if (buffer(id).kind != kind)
          problem("{} is listed among the {}s", nameOf(buffer(id)), name(kind));
      auto listed = static_cast<size_t>(
          std::count_if(plan.buffers.begin(), plan.buffers.end(), [&](auto &b) { return b.kind == kind; }));
      if (listed != std::set(ids.begin(), ids.end()).size() || listed != ids.size())
        problem("the {}s are not listed once each", name(kind));
    };
    checkEntries(plan.inputs, BufferKind::Input);
    checkEntries(plan.outputs, BufferKind::Output);
    for (size_t i = 0; i < plan.steps.size(); ++i)
      for (const BufferArg &arg : bufferArgs(plan.steps[i]))
        if (!known(arg.buffer)) problem("step {} names unknown buffer id {}", i, arg.buffer);
  }

  void checkNames() {
    std::set<std::pair<BufferKind, std::string>> seen;
    for (const PlanBuffer &b : plan.buffers) {
      if (b.kind == BufferKind::Temporary || b.kind == BufferKind::Constant) continue;
      if (b.name.empty()) problem("{} is of kind {} and has no name", nameOf(b), name(b.kind));
      if (!seen.insert({b.kind, b.name}).second) problem("{}: a second {} has that name", nameOf(b), name(b.kind));
    }
  }

  /// Bytes from the first to behind the last element, or nothing if that overflows or there is a problem.
  int64_t neededBytes(const PlanBuffer &b) {
    std::vector<int64_t> shape;
    for (const Expr &e : b.shape) shape.push_back(number(e, "an extent of " + nameOf(b)));
    int64_t count = 0;
    try {
      count = elementCount(shape);
    } catch (const Error &error) {
      problem("{}: {}", nameOf(b), error.rule);
    }
    if (!b.strides.empty() && b.strides.size() != b.shape.size()) {
      problem("{} has {} strides for {} extents", nameOf(b), b.strides.size(), b.shape.size());
    } else if (!b.strides.empty() && count > 0) {
      count = 1;
      for (size_t i = 0; i < shape.size(); ++i) {
        int64_t stride = number(b.strides[i], "a stride of " + nameOf(b)), span = 0;
        if (__builtin_mul_overflow(shape[i] - 1, stride, &span) || __builtin_add_overflow(count, span, &count))
          problem("{} spans more than 63 bits", nameOf(b)), count = 0;
      }
    }
    std::optional<int64_t> bytes = byteSize(b.dtype, count);
    if (!bytes) problem("{} spans more than 63 bits", nameOf(b));
    return bytes.value_or(0);
  }

  void checkBuffer(const PlanBuffer &b) {
    Extent e{number(b.bytes, "the size of " + nameOf(b)), number(b.offset, "the offset of " + nameOf(b))};
    extents.push_back(e);
    int64_t needed = neededBytes(b);
    if (e.bytes < needed) problem("{} has {} bytes but its shape needs {}", nameOf(b), e.bytes, needed);
    bool entry = b.kind == BufferKind::Input || b.kind == BufferKind::Output;
    if (entry && !b.strides.empty()) problem("{} is of kind {} and must be dense", nameOf(b), name(b.kind));
    if (entry && e.bytes != needed)
      problem("{} is of kind {} with {} bytes, not {}", nameOf(b), name(b.kind), e.bytes, needed);
    if (b.donated && b.kind != BufferKind::Input) problem("{} is donated but no input", nameOf(b));
    if (b.kind == BufferKind::Constant &&
        (b.constant.dtype() != b.dtype || static_cast<int64_t>(b.constant.byteSize()) != e.bytes))
      problem("{} holds {} instead of its own type", nameOf(b), b.constant.typeString());
    if (b.lifetime.firstStep < 0 || b.lifetime.firstStep > b.lifetime.lastStep)
      problem("{} lives from step {} to {}", nameOf(b), b.lifetime.firstStep, b.lifetime.lastStep);
  }

  void checkAlias(const PlanBuffer &b) {
    if (b.aliasOf == kNoBuffer) return;
    const PlanBuffer &r = buffer(b.aliasOf);
    if (r.aliasOf != kNoBuffer) return problem("{} is an alias of {}, an alias itself", nameOf(b), nameOf(r));
    const Extent &part = extents[static_cast<size_t>(b.id)], &whole = extents[static_cast<size_t>(r.id)];
    if (part.offset > whole.bytes || part.bytes > whole.bytes - part.offset)
      problem("{} reaches to byte {} of {}, which has {}", nameOf(b), part.offset + part.bytes, nameOf(r), whole.bytes);
    if (b.kind == BufferKind::Temporary) return;
    bool ownMemory = b.kind != BufferKind::Output;
    bool callersMemory = r.kind == BufferKind::Output || (r.kind == BufferKind::Input && r.donated);
    if (ownMemory || !callersMemory)
      problem("{} is of kind {} and cannot be an alias of {}, of kind {}{}", nameOf(b), name(b.kind), nameOf(r),
              name(r.kind), r.kind == BufferKind::Input ? ", not donated" : "");
  }

  void checkGrid(const LaunchStep &s, const std::string &step) {
    for (const Expr &g : s.grid)
      for (int64_t resident :
           g.names(kResidentCtas) ? std::vector{int64_t(1), kMostResident} : std::vector{int64_t(1)}) {
        bindings[kResidentCtas] = resident;
        number(g, "the grid of " + step);
      }
    bindings.erase(kResidentCtas);
  }

  /// A map's form; and, where nothing about the tensor is known at run time only, its numbers.
  void checkMap(const TensorMapArg &map, const std::string &step) {
    const PlanBuffer &b = buffer(map.buffer);
    TensorMapRecipe recipe;
    try {
      recipe = recipeOf(map, bindings);
    } catch (const Error &error) {
      return problem("a tensor map of {} has no value: {}", step, error.rule);
    }
    std::optional<TensorMapFault> fault = faultOfForm(recipe);
    bool empty = std::find(recipe.extents.begin(), recipe.extents.end(), 0) != recipe.extents.end();
    if (fault) return problem("a tensor map of {} over {}: {}", step, nameOf(b), fault->toString());
    if (empty) return;
    auto offset = static_cast<uint64_t>(number(map.offset, "an offset of " + step));
    if (plan.extents.empty()) fault = faultOfTensor(recipe, offset);
    if (fault) return problem("a tensor map of {} over {}: {}", step, nameOf(b), fault->toString());
    int64_t last = 0, span = 0;
    for (size_t d = 0; d < recipe.extents.size(); ++d)
      if (__builtin_mul_overflow(recipe.extents[d] - 1, recipe.strides[d], &span) ||
          __builtin_add_overflow(last, span, &last))
        return problem("a tensor map of {} spans more than 63 bits", step);
    std::optional<int64_t> bytes = last < INT64_MAX ? byteSize(map.dtype, last + 1) : std::nullopt;
    int64_t whole = extents[static_cast<size_t>(b.id)].bytes;
    if (!bytes || offset > static_cast<uint64_t>(whole) || *bytes > whole - static_cast<int64_t>(offset))
      problem("a tensor map of {} reaches out of {}, which has {} bytes", step, nameOf(b), whole);
  }

  void checkLaunch(const LaunchStep &s, const std::string &step) {
    checkGrid(s, step);
    number(s.sharedBytes, "shared bytes of " + step);
    number(s.scratchBytes, "scratch bytes of " + step);
    if (s.kernel.empty()) problem("{} names no kernel", step);
    if (*std::min_element(s.cluster.begin(), s.cluster.end()) < 1) problem("{} has an empty cluster", step);
    constexpr size_t kStageOf[] = {0, 1, 1, 2}; // by the variant's index: buffers, numbers, numbers, tensor maps
    auto stage = [&](const PlanArg &arg) { return kStageOf[arg.index()]; };
    if (!std::is_sorted(s.args.begin(), s.args.end(), [&](auto &a, auto &b) { return stage(a) < stage(b); }))
      problem("{} passes its arguments out of the ABI's order", step);
    for (const PlanArg &arg : s.args) {
      if (const auto *map = std::get_if<TensorMapArg>(&arg)) checkMap(*map, step);
      const auto *e = std::get_if<ExprArg>(&arg);
      if (!e) continue;
      try {
        (void)e->value.evaluate(bindings); // may well be negative
      } catch (const Error &error) {
        problem("an argument of {} has no value: {}", step, error.rule);
      }
    }
  }

  /// A copy or memset of `bytes` at `arg` stays in its buffer. Returns where it begins in the buffer's root.
  int64_t checkRange(const BufferArg &arg, const Expr &bytes, const std::string &step) {
    int64_t offset = number(arg.offset, "an offset of " + step), count = number(bytes, "the size of " + step);
    int64_t whole = extents[static_cast<size_t>(arg.buffer)].bytes;
    if (offset > whole || count > whole - offset)
      problem("{} touches bytes {} + {} of {}, which has {}", step, offset, count, nameOf(buffer(arg.buffer)), whole);
    else if (buffer(arg.buffer).aliasOf != kNoBuffer)
      offset += extents[static_cast<size_t>(arg.buffer)].offset;
    return offset;
  }

  void checkUse(const BufferArg &arg, size_t index, const std::string &step) {
    const PlanBuffer &b = buffer(arg.buffer), &r = root(b);
    if (number(arg.offset, "an offset of " + step) > extents[static_cast<size_t>(b.id)].bytes)
      problem("{} points behind {}", step, nameOf(b));
    auto at = static_cast<int64_t>(index);
    if (r.kind == BufferKind::Temporary && (at < r.lifetime.firstStep || at > r.lifetime.lastStep))
      problem("{} uses {} outside its lifetime, steps {} to {}", step, nameOf(r), r.lifetime.firstStep,
              r.lifetime.lastStep);
    bool empty = extents[static_cast<size_t>(b.id)].bytes == 0;
    if (arg.access != Access::Write && !defined[static_cast<size_t>(r.id)] && !empty)
      problem("{} reads {} before any step writes it", step, nameOf(b));
    bool readOnly = r.kind == BufferKind::Parameter || r.kind == BufferKind::Constant ||
                    (r.kind == BufferKind::Input && !r.donated);
    if (arg.access != Access::Read && readOnly)
      problem("{} writes {}, of kind {}{}", step, nameOf(b), name(r.kind),
              r.kind == BufferKind::Input ? ", not donated" : "");
  }

  void checkSteps() {
    for (const PlanBuffer &b : plan.buffers)
      defined.push_back(b.kind != BufferKind::Temporary && b.kind != BufferKind::Output);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      std::string step = fmt::format("step {}", i);
      if (const auto *launch = std::get_if<LaunchStep>(&plan.steps[i])) {
        step += fmt::format(" `{}`", launch->kernel);
        checkLaunch(*launch, step);
      } else if (const auto *copy = std::get_if<CopyStep>(&plan.steps[i])) {
        int64_t from = checkRange(copy->src, copy->bytes, step), to = checkRange(copy->dst, copy->bytes, step);
        bool sameRoot = root(buffer(copy->src.buffer)).id == root(buffer(copy->dst.buffer)).id;
        if (sameRoot && std::max(from, to) - std::min(from, to) < number(copy->bytes, "the size of " + step))
          problem("{} copies between ranges that overlap", step);
      } else {
        const auto &memset = std::get<MemsetStep>(plan.steps[i]);
        checkRange(memset.dst, memset.bytes, step);
      }
      std::vector<BufferArg> uses = bufferArgs(plan.steps[i]);
      for (const BufferArg &arg : uses) checkUse(arg, i, step);
      for (const BufferArg &arg : uses)
        if (arg.access != Access::Read) defined[static_cast<size_t>(root(buffer(arg.buffer)).id)] = true;
    }
    for (BufferId id : plan.outputs)
      if (extents[static_cast<size_t>(id)].bytes && !defined[static_cast<size_t>(root(buffer(id)).id)])
        problem("{} is an output that no step writes", nameOf(buffer(id)));
  }

  /// Sweeps over the steps, keeping the live temporaries ordered by offset: only neighbours can overlap first.
  void checkArena() {
    int64_t arena = number(plan.arenaBytes, "the arena's size"), used = 0;
    std::vector<const PlanBuffer *> temporaries;
    for (const PlanBuffer &b : plan.buffers) {
      if (b.kind != BufferKind::Temporary || b.aliasOf != kNoBuffer) continue;
      const Extent &e = extents[static_cast<size_t>(b.id)];
      if (e.offset % static_cast<int64_t>(kBufferAlignment))
        problem("{} starts at {}, no multiple of {}", nameOf(b), e.offset, kBufferAlignment);
      if (e.offset > arena || e.bytes > arena - e.offset)
        problem("{} at {} + {} is past the arena of {} bytes", nameOf(b), e.offset, e.bytes, arena);
      else if (e.bytes > 0)
        temporaries.push_back(&b), used = std::max(used, e.offset + e.bytes);
    }
    if (arena - used >= static_cast<int64_t>(kBufferAlignment))
      problem("the arena has {} bytes but its temporaries need {}", arena, used);
    std::sort(temporaries.begin(), temporaries.end(),
              [](auto *a, auto *b) { return a->lifetime.firstStep < b->lifetime.firstStep; });
    std::map<int64_t, const PlanBuffer *> live;                                   // by offset
    std::multimap<int32_t, std::map<int64_t, const PlanBuffer *>::iterator> ends; // by last step
    for (const PlanBuffer *b : temporaries) {
      while (!ends.empty() && ends.begin()->first < b->lifetime.firstStep) {
        live.erase(ends.begin()->second);
        ends.erase(ends.begin());
      }
      const Extent &e = extents[static_cast<size_t>(b->id)];
      auto above = live.lower_bound(e.offset);
      const PlanBuffer *hit = above != live.end() && above->first < e.offset + e.bytes ? above->second : nullptr;
      if (!hit && above != live.begin()) {
        const auto &[offset, below] = *std::prev(above);
        if (offset + extents[static_cast<size_t>(below->id)].bytes > e.offset) hit = below;
      }
      if (hit)
        problem("{} and {} overlap in the arena while both live", nameOf(*hit), nameOf(*b));
      else
        ends.emplace(b->lifetime.lastStep, live.emplace(e.offset, b).first);
    }
  }

  const LaunchPlan &plan;
  Bindings bindings;
  std::vector<Extent> extents; ///< by buffer id
  std::vector<bool> defined;   ///< by root id
  std::vector<std::string> problems;
};

} // namespace

std::vector<std::string> verify(const LaunchPlan &plan) {
  Bindings lower, upper;
  for (const PlanExtent &e : plan.extents) {
    if (e.lower < 0 || e.lower > e.upper || lower.contains(e.name) || e.name == kResidentCtas)
      return {fmt::format("extent `{}` from {} to {} is empty, negative, named twice or as what a device knows", e.name,
                          e.lower, e.upper)};
    lower[e.name] = e.lower;
    upper[e.name] = e.upper;
  }
  std::vector<std::string> problems = Verifier(plan, lower).run();
  if (problems.empty() && !plan.extents.empty()) problems = Verifier(plan, upper).run();
  return problems;
}

} // namespace kiln
