#include "ir/layout/Fragment.h"

#include <algorithm>
#include <map>

using namespace kiln::layout;

namespace {
constexpr int64_t kWarp = 32, kWarpgroup = 128;
/// Rows that a warpgroup's atom has, and each of its warps'.
constexpr int64_t kAtomRows = 64, kWarpRows = 16;
/// Elements of a run that an outer-product layout deals at a time.
constexpr int64_t kRun = 4;

/// Register `r` of thread 0 along a dimension that is dealt in runs to `threads` threads.
int64_t dealt(int64_t r, int64_t run, int64_t threads) { return r / run * run * threads + r % run; }
} // namespace

int64_t Fragment::threads() const {
  switch (kind) {
  case FragmentKind::Blocked:
    return q;
  case FragmentKind::MmaAcc:
  case FragmentKind::MmaA:
  case FragmentKind::MmaB:
    return p * q * kWarp;
  case FragmentKind::Outer:
  case FragmentKind::OuterA:
  case FragmentKind::OuterB:
    return p * q;
  case FragmentKind::WgmmaAcc:
  case FragmentKind::WgmmaA:
  case FragmentKind::WgmmaRows:
  case FragmentKind::WgmmaColumns:
    return kWarpgroup;
  }
  return 0;
}

int64_t Fragment::registers() const {
  int64_t elements = rows * columns;
  switch (kind) {
  case FragmentKind::MmaA:
    return elements / p / kWarp;
  case FragmentKind::MmaB:
    return elements / q / kWarp;
  case FragmentKind::OuterA:
    return elements / p;
  case FragmentKind::OuterB:
    return elements / q;
  case FragmentKind::WgmmaRows:
    return elements / kAtomRows * 2;
  case FragmentKind::WgmmaColumns:
    return elements / 8 * 2;
  default:
    return elements / threads();
  }
}

Place Fragment::registerPlace(int64_t r) const {
  switch (kind) {
  case FragmentKind::Blocked:
    return {0, dealt(r, p, q)};
  case FragmentKind::MmaAcc: {
    int64_t atom = r / 4, acrossN = columns / q / 8;
    return {atom / acrossN * 16 + r % 4 / 2 * 8, atom % acrossN * 8 + r % 2};
  }
  case FragmentKind::MmaA: {
    int64_t atom = r / 8, acrossK = columns / 16;
    return {atom / acrossK * 16 + r / 2 % 2 * 8, atom % acrossK * 16 + r / 4 % 2 * 8 + r % 2};
  }
  case FragmentKind::MmaB: {
    int64_t atom = r / 4, acrossN = columns / q / 8;
    return {atom / acrossN * 16 + r / 2 % 2 * 8 + r % 2, atom % acrossN * 8};
  }
  case FragmentKind::Outer: {
    int64_t own = columns / q;
    return {dealt(r / own, kRun, p), dealt(r % own, kRun, q)};
  }
  case FragmentKind::OuterA:
    return {0, dealt(r, kRun, p)};
  case FragmentKind::OuterB:
    return {0, dealt(r, kRun, q)};
  case FragmentKind::WgmmaAcc: {
    int64_t ofBlock = columns / 2, in = r % ofBlock;
    return {r / ofBlock * kAtomRows + in % 4 / 2 * 8, in / 4 * 8 + in % 2};
  }
  case FragmentKind::WgmmaA: {
    int64_t ofBlock = columns / 2, in = r % ofBlock, word = in / p;
    return {r / ofBlock * kAtomRows + word % 2 * 8, word / 4 * (8 * p) + word / 2 % 2 * (4 * p) + in % p};
  }
  case FragmentKind::WgmmaRows:
    return {0, r / 2 * kAtomRows + r % 2 * 8};
  case FragmentKind::WgmmaColumns:
    return {0, r / 2 * 8 + r % 2};
  }
  return {};
}

Place Fragment::threadPlace(int64_t t) const {
  int64_t lane = t % kWarp, warp = t / kWarp;
  switch (kind) {
  case FragmentKind::Blocked:
    return {0, t * p};
  case FragmentKind::MmaAcc:
    return {warp / q * (rows / p) + lane / 4, warp % q * (columns / q) + lane % 4 * 2};
  case FragmentKind::MmaA:
    return {warp / q * (rows / p) + lane / 4, lane % 4 * 2};
  case FragmentKind::MmaB:
    return {lane % 4 * 2, warp % q * (columns / q) + lane / 4};
  case FragmentKind::Outer:
    return {t / q * kRun, t % q * kRun};
  case FragmentKind::OuterA:
    return {0, t / q * kRun};
  case FragmentKind::OuterB:
    return {0, t % q * kRun};
  case FragmentKind::WgmmaAcc:
    return {warp * kWarpRows + lane / 4, lane % 4 * 2};
  case FragmentKind::WgmmaA:
    return {warp * kWarpRows + lane / 4, lane % 4 * p};
  case FragmentKind::WgmmaRows:
    return {0, warp * kWarpRows + lane / 4};
  case FragmentKind::WgmmaColumns:
    return {0, lane % 4 * 2};
  }
  return {};
}

std::optional<std::vector<int64_t>> kiln::layout::registersOf(const Fragment &whole, const Fragment &part, Place at) {
  if (whole.threads() != part.threads()) return std::nullopt;
  for (int64_t t = 0; t < whole.threads(); ++t)
    if (whole.threadPlace(t) != part.threadPlace(t)) return std::nullopt;
  std::map<std::pair<int64_t, int64_t>, int64_t> registers;
  for (int64_t r = 0; r < whole.registers(); ++r) {
    Place place = whole.registerPlace(r);
    registers.try_emplace({place.row, place.column}, r);
  }
  std::vector<int64_t> found;
  for (int64_t r = 0; r < part.registers(); ++r) {
    Place place = part.registerPlace(r);
    auto it = registers.find({place.row + at.row, place.column + at.column});
    if (it == registers.end()) return std::nullopt;
    found.push_back(it->second);
  }
  return found;
}

int64_t kiln::layout::swizzled(int64_t offset, int64_t swizzle, int64_t rowBytes) {
  int64_t chunks = swizzle / 16; // a power of two: 0, 2, 4 or 8
  int64_t line = std::max<int64_t>(rowBytes, 128);
  return chunks == 0 ? offset : offset ^ (offset / line % chunks * 16);
}
