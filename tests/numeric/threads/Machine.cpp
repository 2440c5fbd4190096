// The machine: registers, regions of memory, the turns of warps.
#include "tests/numeric/threads/Machine.h"

#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::threads;

namespace {

const llvm::StringMap<RunFn> &allRows() {
  static const llvm::StringMap<RunFn> table = [] {
    llvm::StringMap<RunFn> rows;
    for (ArrayRef<Row> family : {arithmeticRows(), memoryRows(), warpRows()})
      for (const Row &row : family) rows[row.op] = row.run;
    return rows;
  }();
  return table;
}

int64_t sharedBytesOf(LLVM::LLVMFuncOp kernel) {
  return kernel->getAttrOfType<IntegerAttr>(ptx::kSharedBytes).getInt();
}

/// What registers hold before anything is written to them.
constexpr uint64_t kUndefined = 0x7FC5A5A57FC5A5A5;

} // namespace

Machine::Machine(LLVM::LLVMFuncOp kernel, std::vector<std::span<std::byte>> arguments) : kernel(kernel) {
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName());
  warps = static_cast<size_t>(threads[0]) / kLanes;
  for (auto [i, memory] : llvm::enumerate(arguments))
    regions.push_back({fmt::format("argument {}", i), memory.data(), memory.size()});
  for (auto global : kernel->getParentOfType<ModuleOp>().getOps<LLVM::GlobalOp>())
    if (global.getValueOrNull()) addTable(global);
  decode();
}

void Machine::addTable(LLVM::GlobalOp global) {
  auto values = cast<DenseElementsAttr>(global.getValueOrNull());
  auto bytes = values.getElementType().getIntOrFloatBitWidth() / 8;
  std::vector<std::byte> memory;
  for (Attribute value : values.getValues<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(value);
    APInt word = number ? number.getValue().bitcastToAPInt() : cast<IntegerAttr>(value).getValue();
    uint64_t raw = word.getZExtValue();
    auto *from = reinterpret_cast<const std::byte *>(&raw);
    memory.insert(memory.end(), from, from + bytes);
  }
  tableBytes.push_back(std::move(memory));
  tables[global.getSymName().str()] = regions.size();
  regions.push_back({global.getSymName().str(), tableBytes.back().data(), tableBytes.back().size()});
}

Slot Machine::slotOf(Value value) {
  auto [known, isNew] = slots.try_emplace(value);
  if (!isNew) return known->second;
  Slot slot;
  slot.at = registerWords;
  slot.element = value.getType();
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    slot.components = static_cast<unsigned>(vector.getNumElements());
    slot.element = vector.getElementType();
  } else if (auto fields = dyn_cast<LLVM::LLVMStructType>(value.getType())) {
    slot.components = static_cast<unsigned>(fields.getBody().size());
    slot.element = fields.getBody()[0];
  }
  registerWords += size_t(slot.components) * kLanes;
  return known->second = slot;
}

void Machine::decode() {
  for (Block &block : kernel.getBody()) {
    starts[&block] = code.size();
    for (Operation &op : block) {
      auto row = allRows().find(op.getName().getStringRef());
      if (row == allRows().end()) throw Fault(fmt::format("no row runs {}", op.getName().getStringRef().str()));
      Instruction i{&op, row->second, {}, {}};
      for (Value operand : op.getOperands()) i.operands.push_back(slotOf(operand));
      for (Value result : op.getResults()) i.results.push_back(slotOf(result));
      code.push_back(std::move(i));
    }
    for (BlockArgument argument : block.getArguments()) (void)slotOf(argument);
  }
}

/// Warps run one after another up to the next barrier, where all must arrive, or none.
void Machine::run(int64_t number) {
  cta = number;
  shared = std::make_unique<WarpMemory>(sharedBytesOf(kernel), warps);
  std::vector<Warp> all(warps);
  for (size_t w = 0; w < warps; ++w) {
    all[w].number = static_cast<int>(w);
    all[w].registers.assign(registerWords, kUndefined);
    all[w].next = &code[0];
    for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
      std::fill_n(all[w].of(slots.at(argument)), kLanes, reinterpret_cast<uint64_t>(regions[i].begin));
  }
  for (;;) {
    size_t waiting = 0;
    for (Warp &warp : all) {
      warp.atBarrier = false;
      while (warp.next && !warp.atBarrier) {
        const Instruction &i = *warp.next++;
        i.run(*this, warp, i);
      }
      waiting += warp.atBarrier;
    }
    if (waiting == 0) return;
    if (waiting != warps) throw Fault("a barrier that not every warp reaches");
    shared->barrier();
  }
}

void Machine::branch(Warp &warp, const Instruction &i, Block *to, unsigned first) {
  std::vector<uint64_t> passed; // all are read before any is written
  for (unsigned a = 0; a < to->getNumArguments(); ++a) {
    const Slot &from = i.operands[first + a];
    passed.insert(passed.end(), warp.of(from), warp.of(from) + size_t(from.components) * kLanes);
  }
  const uint64_t *next = passed.data();
  for (BlockArgument argument : to->getArguments()) {
    Slot slot = slots.at(argument);
    size_t words = size_t(slot.components) * kLanes;
    std::copy_n(next, words, warp.of(slot));
    next += words;
  }
  warp.next = &code[starts.at(to)];
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

/// The region of an access; reads may reach `slack` bytes past its end.
Bytes &Machine::regionOf(uint64_t address, int64_t at, int64_t bytes, int64_t slack) {
  for (Bytes &region : regions) {
    auto begin = reinterpret_cast<uint64_t>(region.begin);
    if (address < begin || address > begin + region.bytes) continue;
    auto offset = static_cast<int64_t>(address - begin) + at;
    if (offset >= 0 && offset + bytes <= static_cast<int64_t>(region.bytes) + slack) return region;
    throw Fault(fmt::format("byte {} of {}, which has {}", offset + bytes - 1, region.name, region.bytes));
  }
  throw Fault(fmt::format("an address, {:#x}, that is nobody's", address));
}

static void checkAlignment(uint64_t offset, int64_t whole) {
  if (offset % static_cast<uint64_t>(whole) != 0)
    throw Fault(fmt::format("an access of {} bytes at byte {}", whole, offset));
}

/// A read may take the rest of a 16-byte word whose first bytes are there; what it gets is nothing to rely on.
uint64_t Machine::read(const Warp &warp, bool inShared, uint64_t address, int64_t at, int64_t bytes, int64_t whole,
                       bool readOnly) {
  if (inShared) {
    checkAlignment(address, whole);
    return shared->read(static_cast<int64_t>(static_cast<uint32_t>(address)) + at, bytes, warp.number);
  }
  Bytes &region = regionOf(address, 0, 1, 0);
  auto offset = static_cast<int64_t>(address - reinterpret_cast<uint64_t>(region.begin)) + at;
  checkAlignment(static_cast<uint64_t>(offset - at), whole);
  auto end = static_cast<int64_t>(region.bytes);
  if (offset + bytes > static_cast<int64_t>(llvm::alignTo(region.bytes, 16)))
    throw Fault(fmt::format("byte {} of {}, which has {}", offset + bytes - 1, region.name, region.bytes));
  if (readOnly) region.readOnly = true;
  if (region.readOnly && region.written) throw Fault(region.name + " is read as read-only, and written");
  uint64_t value = 0xEEEEEEEEEEEEEEEE;
  if (offset < end) std::memcpy(&value, region.begin + offset, static_cast<size_t>(std::min(bytes, end - offset)));
  return tiles::masked(value, static_cast<unsigned>(8 * bytes));
}

void Machine::write(const Warp &warp, bool inShared, uint64_t address, int64_t at, int64_t bytes, int64_t whole,
                    uint64_t value) {
  if (inShared) {
    checkAlignment(address, whole);
    return shared->write(static_cast<int64_t>(static_cast<uint32_t>(address)) + at, bytes, warp.number, value);
  }
  Bytes &region = regionOf(address, at, bytes, 0);
  auto offset = static_cast<int64_t>(address - reinterpret_cast<uint64_t>(region.begin));
  checkAlignment(static_cast<uint64_t>(offset), whole);
  region.written = true;
  if (region.readOnly) throw Fault(region.name + " is read as read-only, and written");
  std::memcpy(region.begin + offset + at, &value, static_cast<size_t>(bytes));
}
