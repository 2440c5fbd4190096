// Memory, control, and what the threads of a warp or CTA do together.
#include "tests/numeric/threads/Machine.h"

#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <bit>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;
using namespace kiln::numeric::threads;
using tiles::decode;

namespace {

using U = uint64_t;

bool isShared(Type pointer) { return cast<LLVM::LLVMPointerType>(pointer).getAddressSpace() == ptx::Shared; }
int64_t bytesOf(Type type) { return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1); }

//===- Addresses and accesses -------------------------------------------------------------------------------------===//

void gep(Machine &, Warp &w, const Instruction &i) {
  auto gep = cast<LLVM::GEPOp>(i.op);
  int64_t bytes = bytesOf(gep.getElemType());
  int32_t fixed = gep.getRawConstantIndices()[0];
  bool dynamic = fixed == LLVM::GEPOp::kDynamicIndex, shared = isShared(gep.getType());
  const U *base = w.of(i.operands[0]), *index = dynamic ? w.of(i.operands[1]) : nullptr;
  unsigned width = dynamic ? tiles::widthOf(i.operands[1].element) : 32;
  U *out = w.of(i.results[0]);
  for (int l = 0; l < kLanes; ++l) {
    int64_t elements = dynamic ? tiles::asSigned(index[l], width) : fixed;
    out[l] = tiles::masked(base[l] + static_cast<U>(elements * bytes), shared ? 32 : 64);
  }
}

void addressOf(Machine &m, Warp &w, const Instruction &i) {
  auto table = m.tables.find(cast<LLVM::AddressOfOp>(i.op).getGlobalName());
  U address = table == m.tables.end() ? 0 : reinterpret_cast<U>(m.regions[table->second].begin);
  std::fill_n(w.of(i.results[0]), kLanes, address);
}

/// Components of `values` at `pointer` + `offset`, for the threads whose predicate holds.
struct Access {
  Machine &m;
  Warp &w;
  const Slot &pointer;
  int64_t offset;
  const Slot *predicate;

  template <typename F> void each(ArrayRef<Slot> values, F fn) {
    int64_t bytes = bytesOf(values[0].element);
    int64_t count = 0;
    for (const Slot &value : values) count += value.components;
    bool shared = isShared(pointer.element);
    for (int l = 0; l < kLanes; ++l) {
      bool on = !predicate || (w.of(*predicate)[l] & 1);
      int64_t at = 0;
      for (const Slot &value : values)
        for (unsigned c = 0; c < value.components; ++c, at += bytes)
          fn(w.of(value, c)[l], on, shared, w.of(pointer)[l] + static_cast<U>(offset), at, bytes, bytes * count);
    }
  }
  void load(ArrayRef<Slot> values, bool readOnly) {
    each(values, [&](U &value, bool on, bool shared, U address, int64_t at, int64_t bytes, int64_t whole) {
      value = on ? m.read(w, shared, address, at, bytes, whole, readOnly) : 0;
    });
  }
  void store(ArrayRef<Slot> values) {
    each(values, [&](U value, bool on, bool shared, U address, int64_t at, int64_t bytes, int64_t whole) {
      if (on) m.write(w, shared, address, at, bytes, whole, value);
    });
  }
};

void load(Machine &m, Warp &w, const Instruction &i) {
  Access{m, w, i.operands[0], 0, nullptr}.load(i.results[0], cast<LLVM::LoadOp>(i.op).getInvariant());
}
void store(Machine &m, Warp &w, const Instruction &i) { Access{m, w, i.operands[1], 0, nullptr}.store(i.operands[0]); }
void ptxLoad(Machine &m, Warp &w, const Instruction &i) {
  auto load = cast<ptx::LoadOp>(i.op);
  Access{m, w, i.operands[0], static_cast<int64_t>(load.getOffset()), &i.operands[1]}.load(i.results,
                                                                                           load.getReadOnly());
}
void ptxStore(Machine &m, Warp &w, const Instruction &i) {
  size_t values = i.operands.size() - 2;
  Access{m, w, i.operands[values], static_cast<int64_t>(cast<ptx::StoreOp>(i.op).getOffset()), &i.operands[values + 1]}
      .store(ArrayRef<Slot>(i.operands).take_front(values));
}

//===- Asynchronous copies ----------------------------------------------------------------------------------------===//

/// What it writes is seen when it is waited for.
void cpAsync(Machine &m, Warp &w, const Instruction &i) {
  auto copy = cast<NVVM::CpAsyncOp>(i.op);
  int64_t size = copy.getSize();
  for (int l = 0; l < kLanes; ++l) {
    U to = w.of(i.operands[0])[l], from = w.of(i.operands[1])[l];
    int64_t some = i.operands.size() > 2 ? static_cast<int64_t>(w.of(i.operands[2])[l]) : size;
    if (some < 0 || some > size) throw Fault(fmt::format("a copy of {} of {} bytes", some, size));
    if (to % static_cast<U>(size) != 0) throw Fault(fmt::format("a copy to byte {} of shared memory", to));
    std::vector<U> bytes;
    for (int64_t b = 0; b < size; ++b) bytes.push_back(b < some ? m.read(w, false, from, b, 1, size, false) : 0);
    m.shared->copy(static_cast<int64_t>(to), bytes, w.number, w.copyGroup);
  }
}
void cpAsyncCommit(Machine &, Warp &w, const Instruction &) { ++w.copyGroup; }
void cpAsyncWait(Machine &m, Warp &w, const Instruction &i) {
  uint32_t pending = cast<NVVM::CpAsyncWaitGroupOp>(i.op).getN();
  if (w.copyGroup > pending + 1) m.shared->wait(w.number, w.copyGroup - pending - 1); // the last is open
}

/// A launch is run when the one before it is done.
void nothing(Machine &, Warp &, const Instruction &) {}

//===- Control ----------------------------------------------------------------------------------------------------===//

void br(Machine &m, Warp &w, const Instruction &i) { m.branch(w, i, i.op->getSuccessor(0), 0); }

void condBr(Machine &m, Warp &w, const Instruction &i) {
  const U *condition = w.of(i.operands[0]);
  for (int l = 1; l < kLanes; ++l)
    if ((condition[l] & 1) != (condition[0] & 1)) throw Fault("a branch parts the threads of a warp");
  auto branch = cast<LLVM::CondBrOp>(i.op);
  auto taken = static_cast<unsigned>(branch.getTrueDestOperands().size());
  if (condition[0] & 1)
    m.branch(w, i, branch.getTrueDest(), 1);
  else
    m.branch(w, i, branch.getFalseDest(), 1 + taken);
}

void end(Machine &, Warp &w, const Instruction &) { w.next = nullptr; }
void barrier(Machine &, Warp &w, const Instruction &) { w.atBarrier = true; }
void warpBarrier(Machine &m, Warp &w, const Instruction &) { w.atBarrier = m.warps == 1; }

//===- Threads together -------------------------------------------------------------------------------------------===//

void threadId(Machine &, Warp &w, const Instruction &i) {
  for (int l = 0; l < kLanes; ++l) w.of(i.results[0])[l] = static_cast<U>(w.number * kLanes + l);
}
void ctaId(Machine &m, Warp &w, const Instruction &i) {
  std::fill_n(w.of(i.results[0]), kLanes, static_cast<U>(m.cta));
}

void shfl(Machine &, Warp &w, const Instruction &i) { // members, value, lanes, clamp
  auto kind = cast<NVVM::ShflOp>(i.op).getKind();
  for (int l = 0; l < kLanes; ++l) {
    U other = w.of(i.operands[2])[l];
    if (w.of(i.operands[0])[l] != 0xFFFFFFFF || w.of(i.operands[3])[l] != 31 || other > 31)
      throw Fault("a shuffle of a part of a warp");
    U from = kind == NVVM::ShflKind::bfly ? static_cast<U>(l) ^ other : other;
    if (kind != NVVM::ShflKind::bfly && kind != NVVM::ShflKind::idx) throw Fault("a shuffle of another kind");
    w.of(i.results[0])[l] = w.of(i.operands[1])[from];
  }
}

/// Lane l gives the address of row l mod 8 of matrix l / 8; of each matrix it gets two neighbours of row l / 4, or,
/// turned, of column l / 4.
void ldmatrix(Machine &m, Warp &w, const Instruction &i) {
  auto load = cast<NVVM::LdMatrixOp>(i.op);
  bool turned = load.getLayout() == NVVM::MMALayout::col;
  std::vector<U> addresses(w.of(i.operands[0]), w.of(i.operands[0]) + kLanes); // may be the result's registers
  for (unsigned matrix = 0; matrix < load.getNum(); ++matrix)
    for (unsigned l = 0; l < kLanes; ++l) {
      U word = 0;
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = turned ? l % 4 * 2 + half : l / 4, column = turned ? l / 4 : l % 4 * 2 + half;
        U value = m.read(w, true, addresses[matrix * 8 + row], column * 2, 2, 16, false);
        word |= value << (16 * half);
      }
      w.of(i.results[0], matrix)[l] = word;
    }
}

/// m16n8k16: the sum of an atom is exact, and rounded once.
void mma(Machine &, Warp &w, const Instruction &i) {
  auto mma = cast<NVVM::MmaOp>(i.op);
  bool brain = *mma.getMultiplicandAPtxType() == NVVM::MMATypes::bf16;
  Type element = brain ? Type(BFloat16Type::get(i.op->getContext())) : Type(Float16Type::get(i.op->getContext()));
  auto half = [&](unsigned operand, unsigned lane, unsigned which) {
    const Slot &slot = i.operands[operand];
    U bits = slot.components == 2 ? w.of(slot, which)[lane] : w.of(slot)[lane] >> (16 * which);
    return decode(element, bits & 0xFFFF);
  };
  double a[16][16], b[16][8];
  float d[16][8];
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned h = 0; h < 2; ++h) {
      for (unsigned r = 0; r < 4; ++r) a[l / 4 + r % 2 * 8][l % 4 * 2 + h + r / 2 * 8] = half(r, l, h);
      for (unsigned r = 0; r < 2; ++r) b[l % 4 * 2 + h + r * 8][l / 4] = half(4 + r, l, h);
    }
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned r = 0; r < 4; ++r) {
      unsigned row = l / 4 + r / 2 * 8, column = l % 4 * 2 + r % 2;
      double sum = std::bit_cast<float>(static_cast<uint32_t>(w.of(i.operands[6 + r])[l]));
      for (unsigned k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      d[row][column] = static_cast<float>(sum);
      w.of(i.results[0], r)[l] = std::bit_cast<uint32_t>(d[row][column]);
    }
}

} // namespace

ArrayRef<Row> kiln::numeric::threads::memoryRows() {
  static const Row rows[] = {
      {"llvm.getelementptr", gep},
      {"llvm.mlir.addressof", addressOf},
      {"llvm.load", load},
      {"llvm.store", store},
      {"ptx.load", ptxLoad},
      {"ptx.store", ptxStore},
      {"nvvm.cp.async.shared.global", cpAsync},
      {"nvvm.cp.async.commit.group", cpAsyncCommit},
      {"nvvm.cp.async.wait.group", cpAsyncWait},
  };
  return rows;
}

ArrayRef<Row> kiln::numeric::threads::warpRows() {
  static const Row rows[] = {
      {"llvm.br", br},
      {"llvm.cond_br", condBr},
      {"llvm.return", end},
      {"nvvm.barrier0", barrier},
      {"nvvm.bar.warp.sync", warpBarrier},
      {"nvvm.griddepcontrol", nothing},
      {"nvvm.read.ptx.sreg.tid.x", threadId},
      {"nvvm.read.ptx.sreg.ctaid.x", ctaId},
      {"nvvm.shfl.sync", shfl},
      {"nvvm.ldmatrix", ldmatrix},
      {"nvvm.mma.sync", mma},
  };
  return rows;
}
