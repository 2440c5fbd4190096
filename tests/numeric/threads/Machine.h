// An interpreter of thread-level functions, as gpu-lower leaves them: every thread of a CTA, warps in turn from barrier
// to barrier, the threads of a warp in step. It holds code to what hardware would let pass: accesses out of bounds or
// not aligned, races in shared memory, warps that part, memory written that was read as read-only.
#pragma once

#include "tests/numeric/tiles/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>
#include <map>

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
  std::vector<std::vector<std::function<void()>>> copies{1}; ///< in flight, by group, oldest first

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
  tiles::SharedMemory shared;
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
