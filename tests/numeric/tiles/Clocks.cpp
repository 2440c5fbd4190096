#include "tests/numeric/tiles/Clocks.h"

#include <algorithm>

using namespace kiln::numeric::tiles;

void Clock::raise(std::vector<uint32_t> &times, int component, uint32_t time) {
  auto c = static_cast<size_t>(component);
  if (c >= times.size()) times.resize(c + 1);
  times[c] = std::max(times[c], time);
}

void Clock::join(const Clock &other) {
  auto all = [](std::vector<uint32_t> &into, const std::vector<uint32_t> &from) {
    if (from.size() > into.size()) into.resize(from.size());
    for (size_t c = 0; c < from.size(); ++c) into[c] = std::max(into[c], from[c]);
  };
  all(seenTimes, other.seenTimes);
  all(fencedTimes, other.fencedTimes);
}

int Accesses::add(std::string name, bool asynchronous) {
  components.push_back({std::move(name), asynchronous});
  return static_cast<int>(components.size()) - 1;
}

uint32_t Accesses::with(uint32_t set, Access access) {
  auto [known, isNew] = made.try_emplace({set, access}, 0);
  if (!isNew) return known->second;
  std::vector<Access> all = sets[set];
  auto at = std::lower_bound(all.begin(), all.end(), access.component,
                             [](const Access &a, int component) { return a.component < component; });
  if (at != all.end() && at->component == access.component)
    at->time = std::max(at->time, access.time);
  else
    all.insert(at, access);
  auto [number, isFirst] = numbers.try_emplace(all, static_cast<uint32_t>(sets.size()));
  if (isFirst) sets.push_back(std::move(all));
  return known->second = number->second;
}

std::optional<int> Accesses::unseen(uint32_t set, const Clock &clock, bool byProxy) const {
  for (const Access &access : sets[set]) {
    bool needsFence = byProxy && !components[static_cast<size_t>(access.component)].asynchronous;
    uint32_t known = needsFence ? clock.fenced(access.component) : clock.seen(access.component);
    if (known < access.time) return access.component;
  }
  return std::nullopt;
}
