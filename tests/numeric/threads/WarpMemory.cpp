#include "tests/numeric/threads/Machine.h"

#include <fmt/format.h>

using namespace kiln::numeric;
using namespace kiln::numeric::threads;

WarpMemory::WarpMemory(int64_t bytes, size_t warps) : memory(bytes, accesses, "shared memory"), clocks(warps) {
  for (size_t w = 0; w < warps; ++w) {
    components.push_back(accesses.add(fmt::format("warp {}", w), /*asynchronous=*/false));
    copyOf.push_back(accesses.add(fmt::format("a copy by warp {}", w), /*asynchronous=*/false));
    clocks[w].tick(components[w]);
  }
  begin();
}

void WarpMemory::begin() {
  std::vector<tiles::Accessor::Actor> actors;
  for (size_t w = 0; w < clocks.size(); ++w)
    actors.push_back({&clocks[w], {components[w], clocks[w].seen(components[w])}});
  all.emplace(memory, std::move(actors), /*byProxy=*/false);
}

void WarpMemory::copy(int64_t at, std::span<const uint64_t> bytes, int warp, uint32_t group) {
  auto w = static_cast<size_t>(warp);
  tiles::Accessor accessor(memory, {{&clocks[w], {copyOf[w], group}}}, /*byProxy=*/false);
  accessor.claim(at, static_cast<int64_t>(bytes.size()), 0);
  for (size_t b = 0; b < bytes.size(); ++b) accessor.land(at + static_cast<int64_t>(b), 1, bytes[b]);
}

void WarpMemory::barrier() {
  tiles::Clock together;
  for (const tiles::Clock &clock : clocks) together.join(clock);
  for (size_t w = 0; w < clocks.size(); ++w) {
    clocks[w].join(together);
    clocks[w].tick(components[w]);
  }
  begin();
}
