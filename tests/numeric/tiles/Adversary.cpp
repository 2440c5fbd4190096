#include "tests/numeric/tiles/Adversary.h"

#include <algorithm>
#include <numeric>

using namespace kiln::numeric::tiles;

Adversary::Adversary(uint64_t seed) : random(seed * 0x9E3779B97F4A7C15ull + 1), mood(static_cast<Mood>(seed % 3)) {}

std::vector<size_t> Adversary::orderOf(size_t agents) {
  while (priorities.size() < agents) priorities.push_back(random());
  if (oneIn(32)) priorities[random() % agents] = random();
  std::vector<size_t> order(agents);
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return priorities[a] < priorities[b]; });
  return order;
}

void Adversary::start(std::function<void()> land) {
  if (mood == Mood::Early) return land();
  copies.push_back({std::move(land), mood == Mood::Random && oneIn(8)});
}

void Adversary::landAt(size_t i) {
  auto land = std::move(copies[i].land);
  copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
  land();
}

bool Adversary::land(bool must) {
  bool any = false;
  for (size_t i = copies.size(); mood == Mood::Random && i-- > 0;)
    if (!copies[i].last && oneIn(4)) {
      landAt(i);
      any = true;
    }
  if (any || !must || copies.empty()) return any;
  std::vector<size_t> candidates;
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i].last) candidates.push_back(i);
  landAt(candidates.empty() ? random() % copies.size() : candidates[random() % candidates.size()]);
  return true;
}
