#include "ir/layout/Arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace kiln {
namespace {
int64_t aligned(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }
int64_t bytesOf(const ArenaRequest &request) { return aligned(request.bytes, request.alignment); }

struct Placed {
  int64_t begin, end;
  int32_t firstStep, lastStep;
};

/// The start of the smallest gap between those placed that overlap the request in time; behind them all if there is
/// none.
int64_t bestGap(const std::vector<Placed> &placed, const ArenaRequest &request) {
  int64_t size = bytesOf(request), end = 0, best = -1, bestSize = INT64_MAX;
  for (const Placed &p : placed) {
    if (p.lastStep < request.firstStep || request.lastStep < p.firstStep) continue;
    int64_t gap = p.begin - end;
    if (gap >= size && gap < bestSize) best = end, bestSize = gap;
    end = std::max(end, aligned(p.end, request.alignment));
  }
  return best >= 0 ? best : end;
}
} // namespace

int64_t packArena(std::vector<ArenaRequest> &requests) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
  });
  std::vector<Placed> placed; // by begin
  int64_t arena = 0;
  for (size_t i : order) {
    ArenaRequest &request = requests[i];
    request.offset = 0;
    if (request.bytes == 0) continue;
    request.offset = bestGap(placed, request);
    Placed p{request.offset, request.offset + bytesOf(request), request.firstStep, request.lastStep};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), p, [](auto &x, auto &y) { return x.begin < y.begin; }),
                  p);
    arena = std::max(arena, p.end);
    if (arena > kMostArenaBytes) break;
  }
  return arena;
}

int64_t peakBytes(const std::vector<ArenaRequest> &requests) {
  std::map<int64_t, int64_t> changes; // step -> bytes that begin to live, less those that end
  for (const ArenaRequest &request : requests) {
    changes[request.firstStep] += bytesOf(request);
    changes[int64_t(request.lastStep) + 1] -= bytesOf(request);
  }
  int64_t live = 0, peak = 0;
  for (auto [step, change] : changes) peak = std::max(peak, live += change);
  return peak;
}

} // namespace kiln
