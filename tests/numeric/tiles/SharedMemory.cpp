#include "tests/numeric/tiles/SharedMemory.h"

#include <fmt/format.h>

using namespace kiln::numeric::tiles;

SharedMemory::Cell &SharedMemory::cell(int64_t at) {
  if (at < 0 || at >= static_cast<int64_t>(cells.size()))
    throw Fault(fmt::format("byte {} of {} bytes of {}", at, cells.size(), name));
  return cells[static_cast<size_t>(at)];
}

void SharedMemory::end(const Clock &clock) {
  ended = true;
  uint32_t known = 0; // a set that is known to be seen
  for (size_t i = 0; i < cells.size(); ++i)
    for (uint32_t set : {cells[i].writers, cells[i].readers}) {
      if (set == known || set == 0) continue;
      if (auto other = accesses.unseen(set, clock, /*byProxy=*/false))
        throw Fault(
            fmt::format("byte {} of {} may still be used by {} when the CTA ends", i, name, accesses.nameOf(*other)));
      known = set;
    }
}

std::optional<int> Accessor::unseen(Check check, uint32_t set, int actor) {
  if (set == 0) return std::nullopt;
  Memo &memo = passed[static_cast<size_t>(check)];
  if (memo.set == set && memo.actor == actor) return std::nullopt;
  bool fenced = byProxy && check != WritesReads; // a read leaves nothing to be seen
  std::optional<int> other;
  for (size_t a = 0; a < actors.size() && !other; ++a)
    if (actor == kAll || a == static_cast<size_t>(actor)) other = memory.accesses.unseen(set, *actors[a].clock, fenced);
  if (!other) memo = {set, 0, actor};
  return other;
}

uint32_t Accessor::with(uint32_t set, int actor, Memo &memo) {
  if (memo.actor == actor && memo.set == set) return memo.result;
  memo = {set, set, actor};
  for (size_t a = 0; a < actors.size(); ++a)
    if (actor == kAll || a == static_cast<size_t>(actor)) memo.result = memory.accesses.with(memo.result, actors[a].as);
  return memo.result;
}

void Accessor::refuse(int64_t at, const char *what, int other) {
  throw Fault(fmt::format("byte {} of {} is {} {}", at, memory.name, what, memory.accesses.nameOf(other)));
}

uint64_t Accessor::read(int64_t at, int64_t bytes, int actor) {
  if (memory.ended) throw Fault(fmt::format("{} is read when its CTA has ended", memory.name));
  uint64_t value = 0;
  for (int64_t i = 0; i < bytes; ++i) {
    SharedMemory::Cell &c = memory.cell(at + i);
    if (auto other = unseen(ReadsWrites, c.writers, actor)) {
      bool isFence = byProxy && !unseenWithoutFence(c.writers, actor);
      refuse(at + i,
             isFence ? "read by the asynchronous proxy without a fence since the write by"
                     : "read without a barrier, or a wait, after the write by",
             *other);
    }
    if (!c.written && (byProxy || !memory.garbage))
      throw Fault(fmt::format("byte {} of {} is read before it is written", at + i, memory.name));
    if (!c.written) c.value = static_cast<std::byte>(memory.garbage * static_cast<uint64_t>(at + i + 1) >> 32);
    c.readers = with(c.readers, actor, added);
    value |= std::to_integer<uint64_t>(c.value) << (8 * i);
  }
  return value;
}

bool Accessor::unseenWithoutFence(uint32_t set, int actor) const {
  for (size_t a = 0; a < actors.size(); ++a)
    if (actor == kAll || a == static_cast<size_t>(actor))
      if (memory.accesses.unseen(set, *actors[a].clock, /*byProxy=*/false)) return true;
  return false;
}

void Accessor::write(int64_t at, int64_t bytes, int actor, uint64_t value) {
  if (memory.ended) throw Fault(fmt::format("{} is written when its CTA has ended", memory.name));
  for (int64_t i = 0; i < bytes; ++i) {
    SharedMemory::Cell &c = memory.cell(at + i);
    auto byte = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    if (auto other = unseen(WritesReads, c.readers, actor))
      refuse(at + i, "written without a barrier, or a wait, after the read by", *other);
    // The same scalar may be written by every warp.
    auto other = unseen(WritesWrites, c.writers, actor);
    if (other && !(c.written && c.value == byte))
      refuse(at + i, "written without a barrier, or a wait, after the write by", *other);
    c.writers = with(other ? c.writers : 0, actor, replaced);
    c.readers = 0;
    c.written = true;
    c.value = byte;
  }
}

void Accessor::claim(int64_t at, int64_t bytes, int actor) {
  if (memory.ended) throw Fault(fmt::format("a copy is made to {} when its CTA has ended", memory.name));
  for (int64_t i = 0; i < bytes; ++i) {
    SharedMemory::Cell &c = memory.cell(at + i);
    if (auto other = unseen(WritesReads, c.readers, actor))
      refuse(at + i, "written by a copy that starts without a barrier, or a wait, after the read by", *other);
    if (auto other = unseen(WritesWrites, c.writers, actor))
      refuse(at + i, "written by a copy that starts without a barrier, a fence or a wait after the write by", *other);
    c.writers = with(0, actor, replaced);
    c.readers = 0;
  }
}

void Accessor::land(int64_t at, int64_t bytes, uint64_t value) {
  for (int64_t i = 0; i < bytes; ++i) {
    SharedMemory::Cell &c = memory.cell(at + i);
    c.value = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    c.written = true;
  }
}

void Accessor::leave(int64_t at, int64_t bytes, uint64_t anything) {
  for (int64_t i = 0; i < bytes; ++i)
    if (SharedMemory::Cell &c = memory.cell(at + i); !c.written) land(at + i, 1, anything >> (8 * (i % 8)));
}
