// An interpreter of thread-level functions, as gpu-lower leaves them: every thread of a CTA, warps in turn from barrier
// to barrier, the threads of a warp in step. It holds code to what hardware would let pass: accesses out of bounds or
// not aligned, races in shared memory, warps that part, memory written that was read as read-only.
#pragma once

#include "tests/numeric/tiles/Numbers.h"
#include "tests/numeric/tiles/SharedMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace kiln::numeric::threads {

using tiles::Fault;

inline constexpr int kLanes = 32;

/// Where a value lies in a warp's registers: components (elements of a vector, fields of a struct) of 32 words each.
struct Slot {
  size_t at = 0;
  unsigned components = 1;
  mlir::Type element; ///< of a component; null for what is no number
};

struct Instruction;
class Machine;

/// One warp's state.
struct Warp {
  int number = 0;
  std::vector<uint64_t> registers;
  const Instruction *next = nullptr; ///< null once it has returned
  bool atBarrier = false;
  uint32_t copyGroup = 1; ///< of the copies that are started now

  /// The 32 words of a component.
  uint64_t *of(const Slot &slot, unsigned component = 0) { return &registers[slot.at + size_t(component) * kLanes]; }
};

using RunFn = void (*)(Machine &, Warp &, const Instruction &);

/// An op, decoded.
struct Instruction {
  mlir::Operation *op;
  RunFn run;
  llvm::SmallVector<Slot, 4> operands, results;
};

/// An argument or a constant table.
struct Bytes {
  std::string name;
  std::byte *begin;
  size_t bytes;
  bool readOnly = false; ///< some access relies on it
  bool written = false;
};

/// A CTA's shared memory, as its warps use it between barriers.
class WarpMemory {
public:
  WarpMemory(int64_t bytes, size_t warps);
  WarpMemory(const WarpMemory &) = delete;
  WarpMemory &operator=(const WarpMemory &) = delete;

  /// One element of `bytes` bytes. Throw Fault.
  uint64_t read(int64_t at, int64_t bytes, int warp) { return all->read(at, bytes, warp); }
  void write(int64_t at, int64_t bytes, int warp, uint64_t value) { all->write(at, bytes, warp, value); }
  /// A copy of a warp's group, which it has to wait for.
  void copy(int64_t at, std::span<const uint64_t> bytes, int warp, uint32_t group);
  /// The warp has waited for its groups up to this one.
  void wait(int warp, uint32_t group) {
    clocks[static_cast<size_t>(warp)].see(copyOf[static_cast<size_t>(warp)], group);
  }
  void barrier();

private:
  tiles::Accesses accesses;
  tiles::SharedMemory memory;
  std::vector<int> components, copyOf; ///< of warps, and of the copies that they start
  std::vector<tiles::Clock> clocks;
  std::optional<tiles::Accessor> all; ///< the warps, since the last barrier

  void begin();
};

/// One kernel. Runs a CTA at a time.
class Machine {
public:
  /// `arguments` are the bytes of each of the kernel's arguments.
  Machine(mlir::LLVM::LLVMFuncOp kernel, std::vector<std::span<std::byte>> arguments);
  /// Runs a CTA from start to end. Throws Fault.
  void run(int64_t cta);

  // For rows.
  size_t warps = 1;
  int64_t cta = 0;
  std::unique_ptr<WarpMemory> shared;
  std::map<std::string, size_t, std::less<>> tables; ///< symbol -> region
  std::vector<Bytes> regions;

  /// Reads or writes one element of at most 8 bytes for a lane; the access as a whole has `whole` bytes from `address`
  /// on, which decides alignment. `readOnly`: a read that relies on nobody writing.
  uint64_t read(const Warp &warp, bool inShared, uint64_t address, int64_t at, int64_t bytes, int64_t whole,
                bool readOnly);
  void write(const Warp &warp, bool inShared, uint64_t address, int64_t at, int64_t bytes, int64_t whole,
             uint64_t value);
  /// Makes `warp` go on at a block, its arguments being the operands from `first` on.
  void branch(Warp &warp, const Instruction &i, mlir::Block *to, unsigned first);

private:
  mlir::LLVM::LLVMFuncOp kernel;
  size_t registerWords = 0;
  llvm::DenseMap<mlir::Value, Slot> slots;
  std::vector<Instruction> code;
  llvm::DenseMap<mlir::Block *, size_t> starts;
  std::vector<std::vector<std::byte>> tableBytes;

  Slot slotOf(mlir::Value value);
  void decode();
  void addTable(mlir::LLVM::GlobalOp global);
  Bytes &regionOf(uint64_t address, int64_t at, int64_t bytes, int64_t slack);
};

struct Row {
  llvm::StringRef op;
  RunFn run;
};
/// Arithmetic, casts, vectors, constants.
llvm::ArrayRef<Row> arithmeticRows();
/// Memory, control, and what threads do together.
llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> warpRows();

} // namespace kiln::numeric::threads
