#include "passes/cost/Streams.h"
#include "passes/cost/Matmul.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::cost;

namespace {

constexpr double kWarp = 32, kSector = 32, kLine = 128, kWord = 16; // threads; bytes
constexpr double kShuffles = 4;
/// Address, predicate, packing of an access; a thread's share.
constexpr double kSlotsOfAccess = 1.5;
/// An element at an end of a warp's runs: whether it is one, and its store.
constexpr double kSlotsOfEnd = 3;
constexpr double kIssue = 4;     ///< warps of an SM that issue in a clock
constexpr double kOfPeak = 0.85; ///< of a memory's bandwidth that copies reach
constexpr double kOfL2 = 0.75;

/// Instructions that shift `words` registers out of 4 more: a choice of words by 8 and by 4 bytes, a funnel shift.
double shiftSlots(double words, int64_t aligned) {
  double slots = aligned <= 8 ? words + (aligned <= 4) + (aligned <= 2) : 0;
  if (aligned <= 4) slots += words + (aligned <= 2);
  if (aligned <= 2) slots += words;
  return slots;
}

/// Of one run of every thread of a warp.
StreamWork narrowWork(const Stream &s) {
  double bytes = static_cast<double>(s.run * s.elementBytes);
  double width = std::min({bytes, static_cast<double>(std::max(s.aligned, s.elementBytes)), kWord});
  double accesses = bytes / width, span = kWarp * bytes;
  bool contiguous = accesses == 1;
  double sectors = contiguous ? span / kSector + (s.aligned < kWord) : std::min(kWarp, span / kSector);
  StreamWork work;
  // What several loads read of one sector comes from L1 but once.
  work.l2Bytes = kSector * (s.isStore ? accesses * sectors : contiguous ? sectors : span / kSector);
  work.l1Lines = accesses * std::ceil(span / kLine);
  work.slots = accesses * kSlotsOfAccess;
  return work;
}

StreamWork shiftedWork(const Stream &s) {
  double bytes = static_cast<double>(s.run * s.elementBytes), words = bytes / kWord, span = kWarp * bytes;
  StreamWork work;
  work.slots = shiftSlots(bytes / 4, s.aligned);
  if (s.isStore) {
    double ends = bytes / static_cast<double>(std::max(s.aligned, s.elementBytes));
    // Stores of several words of a thread each write a part of every sector.
    work.l2Bytes = (words > 1 ? words * kWarp * kSector : span) + kSector * ends;
    work.l1Lines = span / kLine + ends;
    work.slots += kShuffles + words * kSlotsOfAccess + ends * kSlotsOfEnd;
  } else {
    work.l2Bytes = span + kSector;
    work.l1Lines = (words + 1) * (span / words / kLine + 1);
    work.slots += (words + 1) * kSlotsOfAccess;
  }
  return work;
}

} // namespace

StreamWork &StreamWork::operator+=(const StreamWork &other) {
  memoryBytes += other.memoryBytes;
  l2Bytes += other.l2Bytes;
  l1Lines += other.l1Lines;
  slots += other.slots;
  return *this;
}

StreamWork kiln::cost::workOf(const Stream &stream) {
  StreamWork work = stream.shifted ? shiftedWork(stream) : narrowWork(stream);
  double warps = stream.accessed / static_cast<double>(stream.run) / kWarp;
  work.l2Bytes *= warps;
  work.l1Lines *= warps;
  work.slots *= warps;
  work.memoryBytes = stream.stored * static_cast<double>(stream.elementBytes);
  return work;
}

double kiln::cost::streamSeconds(const StreamWork &work, const GpuTarget &target) {
  double clocks = std::max(work.l1Lines, work.slots / kIssue) / target.sms;
  return kLaunchSeconds + std::max({work.memoryBytes / (kOfPeak * target.bandwidth),
                                    work.l2Bytes / (kOfL2 * target.l2Bandwidth), clocks / target.clock});
}
