// An agent's values, and its part in shared memory.
#include "tests/numeric/tiles/Machine.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

std::string kiln::numeric::tiles::spell(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().skipRegions().elideLargeElementsAttrs());
  return text;
}

Agent::Agent(Cta &cta, std::string role, int firstWarp, int warps, int64_t consumer)
    : cta(cta), name(std::move(role)), firstWarp(firstWarp), warps(warps), consumer(consumer),
      active(static_cast<size_t>(warps), 1), clocks(static_cast<size_t>(warps)) {
  Accesses &accesses = cta.cluster.accesses;
  std::string who = fmt::format("CTA {}{}{}", cta.number, name.empty() ? "" : "'s ", name);
  for (int w = 0; w < warps; ++w) {
    components.push_back(accesses.add(fmt::format("warp {} of {}", w, who), /*asynchronous=*/false));
    copyOf.push_back(accesses.add(fmt::format("a copy by warp {} of {}", w, who), /*asynchronous=*/false));
    clocks[static_cast<size_t>(w)].tick(components.back());
  }
  products = accesses.add("a product of " + who, /*asynchronous=*/true);
  stores = accesses.add("a store in bulk by " + who, /*asynchronous=*/true);
}

Agent::~Agent() = default;

//===- Values -----------------------------------------------------------------------------------------------------===//

/// The fragment of an accumulator in flight; other types are themselves.
static Type unwrapped(Type type) {
  auto pending = dyn_cast<tile::PendingType>(type);
  return pending ? Type(pending.getFragment()) : type;
}

/// Warps that have a value of a type together.
static int64_t warpsOf(Type type) {
  auto distribution = tile::distributionOf(unwrapped(type));
  return distribution ? std::max<int64_t>(distribution->threads() / 32, 1) : 1;
}

int64_t Agent::groupsOf(Type type) const { return std::max<int64_t>(warps / warpsOf(type), 1); }

int64_t Agent::elementsOf(Type type) {
  auto fragment = dyn_cast<RankedTensorType>(unwrapped(type));
  return fragment ? fragment.getNumElements() : 1;
}

const Bits &Agent::of(Value value) const {
  auto known = values.find(value);
  if (known == values.end()) throw Fault("a value that this agent does not have");
  return known->second;
}

Bits &Agent::make(Value value) {
  Bits &bits = values[value];
  bits.assign(static_cast<size_t>(groupsOf(value.getType()) * elementsOf(value.getType())), 0);
  return bits;
}

bool Agent::isActive(Type type, int64_t group) const {
  return groupsOf(type) == 1 || active[static_cast<size_t>(group * warps / groupsOf(type))];
}

std::span<const uint64_t> Agent::operand(Value value, Type user, int64_t group) const {
  std::span<const uint64_t> bits = of(value);
  auto count = static_cast<size_t>(elementsOf(value.getType()));
  int64_t groups = groupsOf(value.getType()), users = groupsOf(user);
  if (groups == 1) return bits;
  if (users >= groups) return bits.subspan(static_cast<size_t>(group * groups / users) * count, count);
  // Parts of the user's group have it, and all of it uses it.
  std::span<const uint64_t> first;
  int64_t each = groups / users;
  for (int64_t g = group * each; g < (group + 1) * each; ++g) {
    if (!isActive(value.getType(), g)) continue;
    std::span<const uint64_t> here = bits.subspan(static_cast<size_t>(g) * count, count);
    if (first.empty()) first = here;
    if (!std::equal(here.begin(), here.end(), first.begin()))
      throw Fault("warps that work together use a value that differs between them");
  }
  return first;
}

uint64_t Agent::uniform(Value value) const {
  const Bits &bits = of(value);
  std::optional<uint64_t> known;
  for (size_t w = 0; w < active.size(); ++w) {
    if (!active[w]) continue;
    uint64_t here = bits[w * bits.size() / active.size()];
    if (known.value_or(here) != here)
      throw Fault("warps do not agree on what they do together: it differs between them");
    known = here;
  }
  return *known;
}

void Agent::demandAll(Operation *op) const {
  if (!llvm::all_of(active, [](char here) { return here; }))
    throw Fault(fmt::format("not every warp of the {} reaches {}", name.empty() ? "CTA" : name, spell(op)));
}

const std::vector<int> &Agent::holders(Type type, int64_t group) {
  std::vector<int> &warpOf = cta.cluster.program.holders[{type, group}];
  if (!warpOf.empty()) return warpOf;
  if (!tile::isFragment(type)) return warpOf = {static_cast<int>(group)};
  layout::Fragment fragment = *tile::distributionOf(type);
  warpOf.assign(static_cast<size_t>(fragment.rows * fragment.columns), -2);
  for (int64_t t = 0; t < fragment.threads(); ++t)
    for (int64_t r = 0; r < fragment.registers(); ++r) {
      layout::Place place = fragment.place(t, r);
      int &holder = warpOf[static_cast<size_t>(place.row * fragment.columns + place.column)];
      int warp = static_cast<int>(group * warpsOf(type) + t / 32);
      holder = holder == -2 || holder == warp ? warp : -1;
    }
  return warpOf;
}

void Agent::take(Value value, const Agent &from) {
  auto known = from.values.find(value);
  if (known == from.values.end()) return;
  Bits &bits = make(value);
  auto count = static_cast<size_t>(elementsOf(value.getType()));
  int64_t here = groupsOf(value.getType()), there = from.groupsOf(value.getType());
  for (int64_t g = 0; g < here; ++g) {
    int64_t warp = firstWarp + g * warps / here;
    auto start = known->second.begin() + static_cast<int64_t>(static_cast<size_t>(warp * there / from.warps) * count);
    std::copy_n(start, count, bits.begin() + static_cast<int64_t>(static_cast<size_t>(g) * count));
  }
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

Accessor Agent::accessor(SharedMemory &memory) const {
  std::vector<Accessor::Actor> actors;
  for (size_t w = 0; w < clocks.size(); ++w)
    actors.push_back({&clocks[w], {components[w], clocks[w].seen(components[w])}});
  return {memory, std::move(actors), /*byProxy=*/false};
}
Accessor Agent::accessor() const { return accessor(cta.shared); }

void Agent::meet() {
  Clock all = leave();
  for (Clock &clock : clocks) clock.join(all);
}

void Agent::see(const Clock &clock) {
  for (size_t w = 0; w < clocks.size(); ++w)
    if (active[w]) clocks[w].join(clock);
}

void Agent::see(int component, int64_t upTo) {
  if (upTo < 1) return;
  for (Clock &clock : clocks) clock.see(component, static_cast<uint32_t>(upTo));
}

Clock Agent::leave() {
  Clock all;
  for (size_t w = 0; w < clocks.size(); ++w) all.join(leave(static_cast<int>(w)));
  return all;
}

Clock Agent::leave(int warp) {
  auto w = static_cast<size_t>(warp);
  Clock left = clocks[w];
  clocks[w].tick(components[w]);
  return left;
}

void Agent::fence() {
  for (size_t w = 0; w < clocks.size(); ++w) {
    if (!active[w]) continue;
    clocks[w].fence(components[w]);
    clocks[w].fence(copyOf[w]);
    clocks[w].tick(components[w]);
  }
}
