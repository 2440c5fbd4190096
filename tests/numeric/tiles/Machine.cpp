#include "tests/numeric/tiles/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

using RunFn = void (*)(Machine &, Operation *);

RunFn find(StringRef op) {
  static const llvm::StringMap<RunFn> rows = [] {
    llvm::StringMap<RunFn> map;
    for (llvm::ArrayRef<Row> part : {elementwiseRows(), memoryRows(), fragmentRows()})
      for (const Row &row : part) map[row.op] = row.run;
    return map;
  }();
  return rows.lookup(op);
}

std::string spell(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}

} // namespace

//===- Shared memory ----------------------------------------------------------------------------------------------===//

SharedMemory::Cell &SharedMemory::cell(int64_t at) {
  if (at < 0 || at >= static_cast<int64_t>(cells.size()))
    throw Fault(fmt::format("byte {} of {} bytes of shared memory", at, cells.size()));
  return cells[static_cast<size_t>(at)];
}

uint64_t SharedMemory::read(int64_t at, int64_t bytes, int warp) {
  uint64_t value = 0;
  for (int64_t i = 0; i < bytes; ++i) {
    Cell &c = cell(at + i);
    if (!c.written) throw Fault(fmt::format("byte {} of shared memory is read before it is written", at + i));
    if (c.writtenEpoch == epoch && (c.writer != warp || warp == kMany))
      throw Fault(
          fmt::format("byte {} of shared memory is read without a barrier after another warp wrote it", at + i));
    c.reader = c.readEpoch == epoch && c.reader != warp ? kMany : warp;
    c.readEpoch = epoch;
    value |= std::to_integer<uint64_t>(c.value) << (8 * i);
  }
  return value;
}

void SharedMemory::write(int64_t at, int64_t bytes, int warp, uint64_t value) {
  for (int64_t i = 0; i < bytes; ++i) {
    Cell &c = cell(at + i);
    auto byte = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    if (c.readEpoch == epoch && (c.reader != warp || warp == kMany))
      throw Fault(
          fmt::format("byte {} of shared memory is written without a barrier after another warp read it", at + i));
    // The same scalar may be written by every warp.
    if (c.writtenEpoch == epoch && c.writer != warp && c.value != byte)
      throw Fault(fmt::format("byte {} of shared memory is written by two warps without a barrier", at + i));
    c.writer = c.writtenEpoch == epoch && c.writer != warp ? kMany : warp;
    c.writtenEpoch = epoch;
    c.written = true;
    c.value = byte;
  }
}

void SharedMemory::expectCopy(int64_t at, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i) {
    Cell &c = cell(at + i);
    if (c.readEpoch == epoch)
      throw Fault(fmt::format("a copy to byte {} of shared memory starts without a barrier after it was read", at + i));
    c.written = false;
    c.writtenEpoch = -1;
  }
}

//===- Values -----------------------------------------------------------------------------------------------------===//

Machine::Machine(tile::KernelOp program, std::vector<std::span<std::byte>> arguments)
    : warps(static_cast<int>(program.getThreads().value_or(32) / 32)), active(static_cast<size_t>(warps), 1),
      shared(static_cast<int64_t>(program.getSharedBytes().value_or(0))), global(std::move(arguments)),
      program(program) {}

int64_t Machine::groupsOf(Type type) const {
  auto distribution = tile::distributionOf(type);
  return distribution && distribution->threads() == 32 * warps ? 1 : warps;
}

int64_t Machine::elementsOf(Type type) {
  auto fragment = dyn_cast<RankedTensorType>(type);
  return fragment ? fragment.getNumElements() : 1;
}

const Bits &Machine::of(Value value) const { return values.find(value)->second; }

Bits &Machine::make(Value value) {
  Bits &bits = values[value];
  bits.assign(static_cast<size_t>(groupsOf(value.getType()) * elementsOf(value.getType())), 0);
  return bits;
}

bool Machine::isActive(Type type, int64_t group) const {
  return groupsOf(type) == 1 || active[static_cast<size_t>(group)];
}

std::span<const uint64_t> Machine::operand(Value value, Type user, int64_t group) const {
  std::span<const uint64_t> bits = of(value);
  auto count = static_cast<size_t>(elementsOf(value.getType()));
  if (groupsOf(value.getType()) == 1) return bits;
  if (groupsOf(user) > 1) return bits.subspan(static_cast<size_t>(group) * count, count);
  // Each warp has it, and the whole CTA uses it.
  std::span<const uint64_t> first;
  for (size_t w = 0; w < active.size(); ++w) {
    if (!active[w]) continue;
    std::span<const uint64_t> here = bits.subspan(w * count, count);
    if (first.empty()) first = here;
    if (!std::equal(here.begin(), here.end(), first.begin()))
      throw Fault("all warps of a CTA use a value that differs between them");
  }
  return first;
}

uint64_t Machine::uniform(Value value) const {
  const Bits &bits = of(value);
  std::optional<uint64_t> known;
  for (size_t w = 0; w < active.size(); ++w) {
    if (!active[w]) continue;
    if (known.value_or(bits[w]) != bits[w]) throw Fault("warps of a CTA do not agree on what they do together");
    known = bits[w];
  }
  return *known;
}

void Machine::demandAll(Operation *op) const {
  if (!llvm::all_of(active, [](char here) { return here; }))
    throw Fault("not every warp of the CTA reaches " + spell(op));
}

const std::vector<int> &Machine::holders(Type type, int64_t group) {
  std::vector<int> &warpOf = knownHolders[{type, group}];
  if (!warpOf.empty()) return warpOf;
  if (!tile::isFragment(type)) return warpOf = {static_cast<int>(group)};
  layout::Fragment fragment = *tile::distributionOf(type);
  warpOf.assign(static_cast<size_t>(fragment.rows * fragment.columns), -2);
  for (int64_t t = 0; t < fragment.threads(); ++t)
    for (int64_t r = 0; r < fragment.registers(); ++r) {
      layout::Place place = fragment.place(t, r);
      int &holder = warpOf[static_cast<size_t>(place.row * fragment.columns + place.column)];
      int warp = static_cast<int>(groupsOf(type) == 1 ? t / 32 : group);
      holder = holder == -2 || holder == warp ? warp : -1;
    }
  return warpOf;
}

//===- Control flow -----------------------------------------------------------------------------------------------===//

void Machine::run(int64_t number) {
  cta = number;
  shared = SharedMemory(static_cast<int64_t>(program.getSharedBytes().value_or(0)));
  copies.assign(1, {});
  for (auto [i, argument] : llvm::enumerate(program.getBody().getArguments()))
    values[argument].assign(active.size(), i);
  runBlock(program.getBody().front());
}

void Machine::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isa<scf::IfOp>(op)) {
      runIf(&op);
      continue;
    }
    if (isa<scf::ForOp>(op)) {
      runFor(&op);
      continue;
    }
    RunFn &fn = rows[&op];
    if (!fn) fn = find(op.getName().getStringRef());
    if (!fn) throw Fault("the interpreter of tile programs has no row for '" + op.getName().getStringRef().str() + "'");
    try {
      fn(*this, &op);
    } catch (const Fault &fault) {
      if (std::string_view(fault.what()).find("\n") != std::string_view::npos) throw;
      throw Fault(fmt::format("{}\n  CTA {}, in {}", fault.what(), cta, spell(&op)));
    }
  }
}

void Machine::assign(Value to, Value from) {
  auto known = values.find(to);
  if (known == values.end()) {
    make(to);
    known = values.find(to);
  }
  Bits &target = known->second;
  const Bits &source = of(from);
  if (target.size() != source.size()) target.assign(source.size(), 0);
  auto count = static_cast<size_t>(elementsOf(to.getType()));
  for (size_t g = 0; g < source.size() / count; ++g)
    if (isActive(to.getType(), static_cast<int64_t>(g)))
      std::copy_n(source.begin() + static_cast<int64_t>(g * count), count,
                  target.begin() + static_cast<int64_t>(g * count));
}

void Machine::runIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  std::vector<char> before = active;
  const Bits condition = of(branch.getCondition());
  for (bool side : {true, false}) {
    Region &region = side ? branch.getThenRegion() : branch.getElseRegion();
    bool any = false;
    for (size_t w = 0; w < before.size(); ++w) any |= active[w] = before[w] && (condition[w] & 1) == side;
    if (!any || region.empty()) continue;
    runBlock(region.front());
    for (auto [result, yielded] : llvm::zip(op->getResults(), region.front().getTerminator()->getOperands()))
      assign(result, yielded);
  }
  active = before;
}

void Machine::runFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  std::vector<char> before = active;
  Bits at = of(loop.getLowerBound());
  const Bits end = of(loop.getUpperBound()), step = of(loop.getStep());
  for (auto [argument, init, result] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    assign(argument, init);
    assign(result, init);
  }
  for (;;) {
    bool any = false;
    for (size_t w = 0; w < before.size(); ++w)
      any |= active[w] = before[w] && static_cast<int64_t>(at[w]) < static_cast<int64_t>(end[w]);
    if (!any) break;
    values[loop.getInductionVar()] = at;
    runBlock(*loop.getBody());
    // All results of an iteration are known before any becomes the next one's.
    OperandRange yields = loop.getBody()->getTerminator()->getOperands();
    for (auto [result, yielded] : llvm::zip(loop.getResults(), yields)) assign(result, yielded);
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) assign(argument, result);
    for (size_t w = 0; w < before.size(); ++w) at[w] += step[w];
  }
  active = before;
}
