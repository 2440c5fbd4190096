// Who runs ops: a CTA's warps in step, or, where roles have parted, the producer's one thread and the warps of each
// consumer. An agent has its own place in the program, values and clocks; what rows need of it is here.
#pragma once

#include "tests/numeric/tiles/Numbers.h"
#include "tests/numeric/tiles/SharedMemory.h"

#include "mlir/IR/Value.h"

#include <functional>
#include <span>

namespace kiln::numeric::tiles {

class Cta;

/// Elements as the low bits of words. What belongs to a warp (a scalar, a fragment of 32 threads) is there once for
/// each warp, one after another; a fragment of a warpgroup once for each, one of all of an agent's warps once.
using Bits = std::vector<uint64_t>;

/// What a `!tile.pending` has gone through: it is not done before its group is.
struct Flight {
  bool defined = false;
  uint32_t group = 0;
};

class Agent {
public:
  /// `name` is for messages: "producer". Without it the agent is the CTA.
  Agent(Cta &cta, std::string name, int firstWarp, int warps, int64_t consumer);
  ~Agent();
  Agent(const Agent &) = delete;
  Agent &operator=(const Agent &) = delete;

  Cta &cta;
  const std::string name;
  const int firstWarp, warps; ///< of the CTA
  const int64_t consumer;     ///< its number; -1 for others
  std::vector<char> active;   ///< which warps are here

  //===- Control --------------------------------------------------------------------------------------------------===//

  /// Starts a kernel with a launch's arguments.
  void enterKernel(tile::KernelOp kernel);
  /// Enters a region with what the agent that it parts from knows; `argument` is the block's, if it has one.
  void enter(mlir::Block &block, const Agent *from, std::optional<uint64_t> argument);
  /// Runs until the next op that others may notice, or have to let through. Returns whether anything was run.
  bool advance();
  bool isDone() const { return frames.empty(); }
  /// What it waits for: "in op: what".
  std::string waitsFor() const;
  /// Runs a block of ops without regions at once.
  void runInline(mlir::Block &block);
  /// For an op that waits in several steps: 0 at first, and again behind it.
  int64_t step = 0, ticket = 0;

  //===- Values ---------------------------------------------------------------------------------------------------===//

  int64_t groupsOf(mlir::Type type) const;
  static int64_t elementsOf(mlir::Type type);
  const Bits &of(mlir::Value value) const;
  /// Room for a value that an op makes, zeros.
  Bits &make(mlir::Value value);
  /// Group `group` of the elements of `user`'s groups, as an operand sees it; where all of a group use what each warp
  /// has, they must agree.
  std::span<const uint64_t> operand(mlir::Value value, mlir::Type user, int64_t group) const;
  /// A scalar on which all warps that are here agree.
  uint64_t uniform(mlir::Value value) const;
  bool isActive(mlir::Type type, int64_t group) const;
  /// Throws unless every warp is here.
  void demandAll(mlir::Operation *op) const;
  /// The agent's warp that holds each element of a group of a fragment; -1 for several.
  const std::vector<int> &holders(mlir::Type type, int64_t group);
  llvm::DenseMap<mlir::Value, Flight> flights;

  //===- Memory ---------------------------------------------------------------------------------------------------===//

  std::vector<Clock> clocks; ///< of its warps
  /// The agent's warps as they access a CTA's memory; actor w is warp w.
  Accessor accessor(SharedMemory &memory) const;
  Accessor accessor() const;
  /// All warps meet: each sees what all have seen.
  void meet();
  /// Warps that are here see what a barrier passes on.
  void see(const Clock &clock);
  /// All warps see what a component did up to a time; nothing, of one below 1.
  void see(int component, int64_t upTo);
  /// What all warps have seen, and their own time goes on.
  Clock leave();
  /// What warp `warp` has seen, and its time goes on.
  Clock leave(int warp);
  /// What each warp that is here wrote is seen by copies and products that start behind a barrier.
  void fence();

  /// Copies that warps start and wait for themselves: those of warp w are component copyOf[w], at the group's time.
  std::vector<int> copyOf;
  uint32_t copyGroup = 1; ///< of the copies that are started now
  int products = -1;      ///< the component of what tensor cores read
  uint32_t product = 0;   ///< the last group started
  int stores = -1;        ///< the component of what stores in bulk read
  uint32_t store = 0;     ///< the last group started
  /// Writes to global memory of stores that may not be done.
  std::vector<std::function<void()>> writes;

private:
  struct Frame {
    mlir::Block *block;
    mlir::Block::iterator next;
    mlir::Operation *around = nullptr; ///< scf.for or scf.if
    std::vector<char> before = {};     ///< which warps were here
    Bits at = {}, end = {}, step = {}; ///< of a loop, by warp
    Bits condition = {};               ///< of a branch, by warp
    bool isElse = false;
  };
  std::vector<Frame> frames;
  llvm::DenseMap<mlir::Value, Bits> values;
  std::string waiting;
  std::vector<int> components; ///< of its warps

  void runOp(mlir::Operation *op);
  void startIf(mlir::Operation *op);
  void enterSide();
  void startFor(mlir::Operation *op);
  void iterate();
  void endBlock();
  /// Values of the warps that are here become those of `to`.
  void assign(mlir::Value to, mlir::Value from);
  void take(mlir::Value value, const Agent &from);
};

/// How an op is run.
struct Row {
  llvm::StringRef op;
  void (*run)(Agent &, mlir::Operation *);
  /// What an op waits for before it runs; empty once it may. May be asked again and again.
  std::string (*blocked)(Agent &, mlir::Operation *) = nullptr;
  bool isNoticed = false; ///< by other agents: they may go on before it
};
llvm::ArrayRef<Row> elementwiseRows();
llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> fragmentRows();
llvm::ArrayRef<Row> partRows();
llvm::ArrayRef<Row> ringRows();
llvm::ArrayRef<Row> bulkRows();
llvm::ArrayRef<Row> wgmmaRows();
llvm::ArrayRef<Row> roleRows();

/// The op as text, on one line if it has no region.
std::string spell(mlir::Operation *op);

/// Calls `each` for every group of a result that is here, with the group's part of the result, zeros.
template <typename F> void perGroup(Agent &m, mlir::Value result, F each) {
  mlir::Type type = result.getType();
  auto count = static_cast<size_t>(Agent::elementsOf(type));
  Bits out(static_cast<size_t>(m.groupsOf(type)) * count);
  for (int64_t g = 0; g < m.groupsOf(type); ++g)
    if (m.isActive(type, g)) each(g, std::span(out).subspan(static_cast<size_t>(g) * count, count));
  m.make(result) = std::move(out);
}

} // namespace kiln::numeric::tiles
