// The launches that a program's rings are gone through in, and what refuses it.
#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"
#include "passes/tile/RingReplay.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace kiln::tile {

using namespace mlir;

namespace {

/// What is seen of a launch.
struct Sight {
  std::optional<Finding> finding;
  llvm::DenseSet<Operation *> ran; ///< of the ops that traces have
  bool isWhole = true;             ///< all traces are
};

/// ", where K = 1536, sms = 23".
std::string spell(KernelOp kernel, const SampleLaunch &launch) {
  std::vector<std::string> facts;
  for (const auto &[name, extent] : launch.extents) facts.push_back(fmt::format("{} = {}", name, extent));
  if (kernel.getGridOf()) facts.push_back(fmt::format("sms = {}", launch.sms));
  return facts.empty() ? "" : fmt::format(", where {}", fmt::join(facts, ", "));
}

/// Goes through such a launch, where each CTA has some tiles, whose number is now even and now odd, and through one of
/// more CTAs than there are tiles.
Sight see(KernelOp kernel, SampleLaunch launch) {
  constexpr int64_t kManySms = 1 << 28;
  Sight sight;
  int64_t few = launch.sms;
  for (int64_t sms : {few, kManySms}) {
    launch.sms = sms;
    int64_t grid = gridOf(kernel, launch).value_or(0);
    if (sms == kManySms && grid > INT32_MAX) continue; // no launch has so many
    for (int64_t cta : {int64_t(0), grid - 1}) {
      if (cta == 0 && sms == kManySms) continue;
      std::vector<PipelineTrace> traces = tracePipelines(kernel, launch, cta);
      for (const PipelineTrace &trace : traces) {
        for (const PipelineEvent &step : trace.steps) sight.ran.insert(step.op);
        sight.isWhole &= trace.isWhole;
      }
      sight.finding = replayRings(traces);
      if (!sight.finding) continue;
      sight.finding->violation.found += fmt::format("; in CTA {} of {}{}", cta, grid, spell(kernel, launch));
      return sight;
    }
  }
  return sight;
}

/// Whether a program that declares no ranges may be right all the same: where two extents are not the same one, such as
/// keys and queries, or, where a loop seems endless, where extents are so short that a product of many is no large
/// number.
bool isRightElsewhere(KernelOp kernel, const Finding &found, int64_t extent, int64_t sms) {
  if (kernel->hasAttr(kRanges)) return false;
  if (isa<scf::ForOp>(found.op)) return !see(kernel, sampleLaunch(kernel, 32, 23)).finding;
  return llvm::any_of(std::array{SampleExtents::Growing, SampleExtents::Shrinking}, [&](SampleExtents extents) {
    Sight sight = see(kernel, sampleLaunch(kernel, extent, sms, extents));
    return !sight.finding && sight.isWhole && sight.ran.contains(found.op);
  });
}

/// A range of one extent that leaves a launch out, others being as they are: `{K = [0, 1024]}` up to the last that goes
/// well, or from the first; "" where no such is found.
std::string rangeWithout(KernelOp kernel, const SampleLaunch &launch) {
  constexpr int64_t kLong = 8192; // of any launch that is gone through
  for (const auto &[name, extent] : launch.extents) {
    auto goesWell = [&, &name = name](int64_t tried) {
      SampleLaunch other = launch;
      other.extents[name] = tried;
      Sight sight = see(kernel, other);
      return !sight.finding && sight.isWhole;
    };
    auto [least, most] = rangeOfExtent(kernel, name);
    for (int64_t end : {least, std::clamp(kLong, least, most)}) {
      int64_t well = end, wrong = extent;
      if (well == wrong || !goesWell(well)) continue;
      while (std::abs(well - wrong) > 1) {
        int64_t middle = std::midpoint(well, wrong);
        (goesWell(middle) ? well : wrong) = middle;
      }
      if (well == 0) continue; // nothing at all is no launch to make a program for
      return fmt::format("{{{} = [{}, {}]}}", name, end < extent ? least : well, end < extent ? well : most);
    }
  }
  return "";
}

/// Refuses a program for what is found wrong in a launch.
LogicalResult refuse(KernelOp kernel, Finding found, const SampleLaunch &launch) {
  if (std::string range = rangeWithout(kernel, launch); !range.empty())
    found.violation.hint += fmt::format("; or no such launch: `attributes {{{} = {}}}`", kRanges.str(), range);
  return violate(found.op, found.violation);
}

} // namespace

LogicalResult replayLaunches(KernelOp kernel) {
  // Far apart, for what is right with short rows only, or with long ones.
  for (auto [extent, sms] : {std::pair<int64_t, int64_t>(1536, 23), {3840, 151}}) {
    SampleLaunch launch = sampleLaunch(kernel, extent, sms);
    std::optional<Finding> found = see(kernel, launch).finding;
    if (found && !isRightElsewhere(kernel, *found, extent, sms)) return refuse(kernel, *found, launch);
  }
  auto ranges = kernel->getAttrOfType<DictionaryAttr>(kRanges);
  if (!ranges) return success();
  SampleLaunch shortest = sampleLaunch(kernel, 1536, 23);
  for (auto &[name, extent] : shortest.extents)
    if (ranges.contains(name)) extent = rangeOfExtent(kernel, name).first;
  std::optional<Finding> found = see(kernel, shortest).finding;
  return found ? refuse(kernel, *found, shortest) : success();
}

} // namespace kiln::tile
