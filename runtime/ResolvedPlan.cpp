#include "runtime/ResolvedPlan.h"
#include "kiln/Error.h"

#include <algorithm>
#include <variant>

namespace kiln {
namespace {

class Resolver {
public:
  Resolver(const std::map<std::string, KernelHandle> &kernels, const Bindings &extents, ResolvedPlan &out)
      : kernels(kernels), extents(extents), out(out) {}

  ResolvedStep operator()(const LaunchStep &s) const {
    ResolvedStep r;
    r.kernel = kernels.at(s.kernel);
    for (size_t i = 0; i < 3; ++i) r.config.grid[i] = s.grid[i].evaluate(extents);
    r.empty = elementCount(r.config.grid) == 0;
    r.config.sharedBytes = s.sharedBytes.evaluate(extents);
    r.config.scratchBytes = s.scratchBytes.evaluate(extents);
    r.config.cluster = s.cluster;
    r.config.pdl = s.pdl;
    for (const PlanArg &arg : s.args) r.args.push_back(std::visit([&](const auto &a) { return resolveArg(a); }, arg));
    return r;
  }

  ResolvedStep operator()(const CopyStep &s) const {
    ResolvedStep r;
    r.kind = ResolvedStep::Kind::Copy;
    r.from = place(s.src.buffer, s.src.offset);
    r.to = place(s.dst.buffer, s.dst.offset);
    r.bytes = s.bytes.evaluate(extents);
    r.empty = r.bytes == 0;
    return r;
  }

  ResolvedStep operator()(const MemsetStep &s) const {
    ResolvedStep r;
    r.kind = ResolvedStep::Kind::Memset;
    r.to = place(s.dst.buffer, s.dst.offset);
    r.bytes = s.bytes.evaluate(extents);
    r.empty = r.bytes == 0;
    r.value = s.value;
    return r;
  }

private:
  Place place(BufferId buffer, const Expr &offset) const {
    Place p = out.places[static_cast<size_t>(buffer)];
    p.bytes += offset.evaluate(extents);
    return p;
  }

  ResolvedArg resolveArg(const BufferArg &a) const { return {place(a.buffer, a.offset), 0}; }
  ResolvedArg resolveArg(const ExprArg &a) const { return {{}, static_cast<uint64_t>(a.value.evaluate(extents))}; }
  ResolvedArg resolveArg(const ScalarArg &a) const { return {{}, a.bits}; }
  ResolvedArg resolveArg(const TensorMapArg &) const {
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "launch plan",
                 .rule = "this runtime's devices take no tensor maps",
                 .hint = "compile for another target"});
  }

  const std::map<std::string, KernelHandle> &kernels;
  const Bindings &extents;
  ResolvedPlan &out;
};

} // namespace

ResolvedPlan resolve(const LaunchPlan &plan, const std::map<std::string, KernelHandle> &kernels,
                     const Bindings &extents) {
  ResolvedPlan out;
  for (const PlanBuffer &b : plan.buffers) {
    bool alias = b.aliasOf != kNoBuffer;
    int64_t offset = b.offset.evaluate(extents);
    out.places.push_back({alias ? b.aliasOf : b.id, alias ? offset : 0});
    out.offset.push_back(offset);
    out.bytes.push_back(b.bytes.evaluate(extents));
  }
  out.arenaBytes = plan.arenaBytes.evaluate(extents);
  Resolver resolver(kernels, extents, out);
  for (const PlanStep &step : plan.steps) {
    out.steps.push_back(std::visit(resolver, step));
    out.maxArgs = std::max(out.maxArgs, out.steps.back().args.size());
  }
  return out;
}

} // namespace kiln
