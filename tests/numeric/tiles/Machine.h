// An interpreter of gpu tile programs on whole fragments, an op at a time, all warps of an agent in step, agents in an
// order that a seed decides. It holds a program to what hardware would let pass, or hang at: accesses out of bounds,
// shared memory read before it is written or in a race, copies, products and stores not waited for, writes that the
// asynchronous proxy does not see, barriers' phases, collective ops that not every warp reaches, alignment that is
// promised and not so, agents that wait for one another.
#pragma once

#include "tests/numeric/tiles/Adversary.h"
#include "tests/numeric/tiles/Agent.h"
#include "tests/numeric/tiles/Barriers.h"

#include "runtime/Expr.h"

#include <map>
#include <memory>

namespace kiln::numeric::tiles {

/// A launch that is refused, before anything runs: the rule and what is found.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program that runs longer than it may, perhaps for ever.
struct Endless : Fault {
  using Fault::Fault;
};

/// What a launch passes to a program.
struct Launch {
  std::vector<std::span<std::byte>> memory = {}; ///< the bytes of each `!tile.global` argument
  std::map<unsigned, uint64_t> scalars = {};     ///< the bits of other arguments, by number
  Bindings extents = {};                         ///< by name
  int64_t sms = 1;                               ///< CTAs that run at a time, which grids may name
  uint64_t seed = 0;
  int64_t mostOps = INT64_MAX; ///< that a cluster may run
  bool readsGarbage = false;   ///< threads may read shared memory that nobody wrote, if no result depends on it
};

/// A program with a launch: what all CTAs share.
struct Program {
  Program(tile::KernelOp op, Launch launch) : op(op), launch(std::move(launch)) {}

  tile::KernelOp op;
  Launch launch;
  int64_t grid = 0, cluster = 1;
  int64_t ops = 0;                                                          ///< run by the cluster so far
  llvm::DenseMap<mlir::Operation *, const Row *> rows;                      ///< of ops that have run
  llvm::DenseMap<std::pair<mlir::Type, int64_t>, std::vector<int>> holders; ///< see Agent
  llvm::DenseMap<mlir::Type, std::vector<double>> numbers;                  ///< what bits of small elements are worth

  int64_t extentOf(llvm::StringRef name) const;
  int64_t strideOf(unsigned argument, unsigned dim) const;
  /// Extents and strides of a memory argument, or of the dense tensor of other extents that it is taken for.
  std::pair<llvm::SmallVector<int64_t>, llvm::SmallVector<int64_t>> tensorOf(unsigned argument,
                                                                             llvm::ArrayRef<std::string> view) const;
  const Row &rowOf(mlir::Operation *op);
  /// Counts an op, or an iteration. Throws Endless.
  void count();
};

/// A ring with barriers, in one CTA.
struct Ring {
  tile::RingType type;
  int64_t readers;
  bool multicast;
  std::vector<MBarrier> full, empty; ///< by stage
};

/// How an op is run; null if it is not.
const Row *findRow(llvm::StringRef op);

class Cluster;

class Cta {
public:
  Cta(Cluster &cluster, int64_t number, int64_t rank);

  Cluster &cluster;
  const int64_t number, rank;
  SharedMemory shared;
  llvm::DenseMap<mlir::Operation *, Ring> rings;  ///< by tile.alloc_ring
  llvm::DenseMap<mlir::Operation *, Turns> turns; ///< by tile.alloc_turns
  std::vector<std::unique_ptr<Agent>> agents;     ///< the CTA's own first

  /// The agents that roles make, ready to run; those before wait for them.
  void part(tile::SpecializeOp roles);
  bool haveRolesEnded() const;
  /// Ends when its own agent has.
  void end();
};

/// CTAs that run together.
class Cluster {
public:
  Cluster(Program &program, int64_t first);
  /// Throws Fault.
  void run();

  Program &program;
  Accesses accesses;
  Adversary adversary;
  Meeting meeting; ///< of its CTAs
  std::vector<std::unique_ptr<Cta>> ctas;

private:
  bool advance();
  [[noreturn]] void reportDeadlock();
};

/// One program's CTAs, a cluster at a time.
class Machine {
public:
  /// Throws Refused where a launch would be.
  Machine(tile::KernelOp program, Launch launch);
  int64_t clusters() const { return program.grid / program.cluster; }
  /// Runs a cluster from start to end. Throws Fault.
  void run(int64_t cluster);

private:
  Program program;
};

} // namespace kiln::numeric::tiles
