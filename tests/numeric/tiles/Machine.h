// An interpreter of gpu tile programs on whole fragments: an op at a time, all warps of a CTA in step. It holds a
// program to what hardware would let pass: accesses out of bounds, shared memory read before it is written or in a race
// between barriers, copies not waited for, collective ops that not every warp reaches, promised alignment that is not
// so.
#pragma once

#include "ir/tile/Tile.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::numeric::tiles {

/// What a program did wrong.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Elements as the low bits of words. What belongs to a warp (a scalar, a fragment of 32 threads) is there once for
/// each warp, one after another; a fragment of the whole CTA is there once.
using Bits = std::vector<uint64_t>;

/// A CTA's shared memory, which knows for each byte who last wrote and read it since the last barrier.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes) : cells(static_cast<size_t>(bytes)) {}

  /// One element of `bytes` bytes; `warp` is -1 where it is not known which warp does it. Throw Fault.
  uint64_t read(int64_t at, int64_t bytes, int warp);
  void write(int64_t at, int64_t bytes, int warp, uint64_t value);
  /// A copy is on its way: until it lands nothing may be read.
  void expectCopy(int64_t at, int64_t bytes);
  void barrier() { ++epoch; }

private:
  static constexpr int kNobody = -2, kMany = -1;
  struct Cell {
    std::byte value{};
    bool written = false;
    int writer = kNobody, reader = kNobody; ///< warps; kMany: several, or unknown
    int64_t writtenEpoch = -1, readEpoch = -1;
  };
  std::vector<Cell> cells;
  int64_t epoch = 0;

  Cell &cell(int64_t at);
};

/// One CTA at a time of one program.
class Machine {
public:
  /// `arguments` are the bytes of each of the kernel's arguments.
  Machine(tile::KernelOp program, std::vector<std::span<std::byte>> arguments);

  /// Runs a CTA from start to end. Throws Fault.
  void run(int64_t cta);

  // For rows.
  int warps = 1;
  int64_t cta = 0;
  std::vector<char> active; ///< which warps are here
  SharedMemory shared;
  std::vector<std::span<std::byte>> global;

  int64_t groupsOf(mlir::Type type) const;
  static int64_t elementsOf(mlir::Type type);
  const Bits &of(mlir::Value value) const;
  /// Room for a value that an op makes, zeros.
  Bits &make(mlir::Value value);
  /// Group `group` of the elements of `user`'s groups, as an operand sees it; where all of a CTA use what each warp
  /// has, they must agree.
  std::span<const uint64_t> operand(mlir::Value value, mlir::Type user, int64_t group) const;
  /// A scalar on which all warps that are here agree.
  uint64_t uniform(mlir::Value value) const;
  bool isActive(mlir::Type type, int64_t group) const;
  /// Throws unless every warp is here.
  void demandAll(mlir::Operation *op) const;
  /// The warp that holds each element of a group of a fragment; -1 for several.
  const std::vector<int> &holders(mlir::Type type, int64_t group);

  /// Copies in flight, oldest first: groups of what to do when one lands.
  std::vector<std::vector<std::function<void()>>> copies{1};

private:
  tile::KernelOp program;
  llvm::DenseMap<mlir::Value, Bits> values;
  llvm::DenseMap<std::pair<mlir::Type, int64_t>, std::vector<int>> knownHolders;
  llvm::DenseMap<mlir::Operation *, void (*)(Machine &, mlir::Operation *)> rows; ///< of ops that have run

  void runBlock(mlir::Block &block);
  void runIf(mlir::Operation *op);
  void runFor(mlir::Operation *op);
  /// Values of the warps that are here become those of `to`.
  void assign(mlir::Value to, mlir::Value from);
};

/// How an op is run.
struct Row {
  llvm::StringRef op;
  void (*run)(Machine &, mlir::Operation *);
};
llvm::ArrayRef<Row> elementwiseRows();
llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> fragmentRows();

//===- Numbers ----------------------------------------------------------------------------------------------------===//

double decode(mlir::Type type, uint64_t bits);
/// Rounded to nearest even.
uint64_t encode(mlir::Type type, double value);
/// a·b + c of elements, rounded once.
uint64_t fusedMultiplyAdd(mlir::Type type, uint64_t a, uint64_t b, uint64_t c);
unsigned widthOf(mlir::Type type);
int64_t asSigned(uint64_t bits, unsigned width);
uint64_t masked(uint64_t bits, unsigned width);
/// a ∘ b of two elements.
uint64_t combine(tile::CombineKind kind, mlir::Type type, uint64_t a, uint64_t b);
/// max and min of floats that keep NaN, and tell -0 from 0.
double maximum(double a, double b);
double minimum(double a, double b);

} // namespace kiln::numeric::tiles
