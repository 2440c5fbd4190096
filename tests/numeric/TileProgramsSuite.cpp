// Tile programs of gpu targets, interpreted: they give the cpu's bits, and the interpreter sees what is wrong with one.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"
#include "tests/numeric/OpCases.h"
#include "tests/numeric/ProgramEdits.h"

#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <kiln/Ops.h>

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// The outputs of a graph, fused, on one target.
std::vector<HostTensor> outputsOf(GraphRunner &runner, const Graph &graph, const InputSet &inputs) {
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(graph.mlir(), true);
  std::vector<HostTensor> outputs = runner.runUnjudged(cut, inputs, failures);
  if (!failures.empty()) throw std::runtime_error(failures[0]);
  return outputs;
}

/// `halves`: cases with 16-bit floats, too.
void expectTheCpusBits(const std::vector<OpCase> &cases, bool halves) {
  GraphRunner gpu, cpu;
  gpu.options = {.target = "sm_80", .interpret = true};
  cpu.options = {.target = codegen::detectHostCpu().name, .interpret = false};
  uint64_t seed = 1;
  for (const OpCase &opCase : cases) {
    Graph graph;
    opCase.build(graph);
    InputSet inputs = makeInputs(graph, Flavour::Normal, seed++);
    auto isHalf = [](const HostTensor &x) { return x.dtype() == bf16 || x.dtype() == f16; };
    if (!halves && llvm::any_of(inputs.tensors, isHalf)) continue;
    try {
      std::vector<HostTensor> found = outputsOf(gpu, graph, inputs), expected = outputsOf(cpu, graph, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_FALSE(firstDifference(expected[i], found[i], NaNs::AllEqual)) << opCase.name << ", output " << i;
    } catch (const std::exception &error) {
      ADD_FAILURE() << opCase.name << ": " << error.what();
    }
  }
}

TEST(TilePrograms, ElementwiseHasTheCpusBits) { expectTheCpusBits(elementwiseCases(), true); }
TEST(TilePrograms, MovesHaveTheCpusBits) {
  expectTheCpusBits(broadcastCases(), true);
  expectTheCpusBits(moveCases(), true);
}
TEST(TilePrograms, ReductionsHaveTheCpusBits) {
  expectTheCpusBits(reduceCases(), true);
  expectTheCpusBits(compositeCases(), true);
}
// Products of 16-bit matrices are summed in the order of their atoms, which is the target's own.
TEST(TilePrograms, MatmulsHaveTheCpusBits) { expectTheCpusBits(matmulCases(), false); }

//===- What the interpreter sees ----------------------------------------------------------------------------------===//

struct ProgramFault {
  const char *name;
  void (*build)(Graph &);
  const char *schedule; ///< knobs of the only kernel's
  TileEdit edit;
  const char *expected; ///< in the fault
};

bool isShared(Value memory) { return isa<tile::SharedType>(memory.getType()); }
Value plus(Operation *op, Value value, int64_t amount) {
  OpBuilder b(op);
  return arith::AddIOp::create(b, op->getLoc(), value, arith::ConstantIndexOp::create(b, op->getLoc(), amount));
}

bool dropSharedStores(ModuleOp module) {
  bool any = false;
  for (tile::StoreOp store : all<tile::StoreOp>(module))
    if (isShared(store.getTarget())) store.erase(), any = true;
  return any;
}
bool storeEverywhere(ModuleOp module) {
  for (tile::StoreOp store : all<tile::StoreOp>(module)) store.getMaskMutable().clear();
  return true;
}
bool promiseTooMuch(ModuleOp module) {
  for (tile::LoadOp load : all<tile::LoadOp>(module)) load.setAligned(8);
  return true;
}
bool placeBehind(ModuleOp module) {
  for (tile::AllocOp alloc : all<tile::AllocOp>(module)) alloc.setOffset(1 << 20);
  return true;
}
/// Only the first warp reaches the barriers.
bool guardBarriers(ModuleOp module) {
  SmallVector<tile::BarrierOp> barriers = all<tile::BarrierOp>(module);
  for (tile::BarrierOp barrier : barriers) {
    OpBuilder b(barrier);
    Location loc = barrier.getLoc();
    Value warp = tile::WarpIdOp::create(b, loc, b.getIndexType()), zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp, zero);
    auto branch = scf::IfOp::create(b, loc, first, /*withElseRegion=*/false);
    barrier->moveBefore(branch.getThenRegion().front().getTerminator());
  }
  return !barriers.empty();
}
/// The whole CTA reads at what differs between its warps.
bool offsetByWarp(ModuleOp module) {
  tile::LoadOp load = all<tile::LoadOp>(module).front();
  OpBuilder b(load);
  Value warp = tile::WarpIdOp::create(b, load.getLoc(), b.getIndexType());
  load.getOffsetMutable().assign(arith::AddIOp::create(b, load.getLoc(), load.getOffset(), warp));
  load.removeAlignedAttr();
  return true;
}
bool readOneFurther(ModuleOp module) {
  for (tile::LoadOp load : all<tile::LoadOp>(module)) {
    load.getOffsetMutable().assign(plus(load, load.getOffset(), 1));
    load.removeAlignedAttr();
  }
  return true;
}

void columnSum(Graph &g) { g.output("y", sum(g.input("x", {600, 40}), 0)); }
void longRowSum(Graph &g) { g.output("y", sum(g.input("x", {2, 140000}), 1)); }
void odd(Graph &g) { g.output("y", g.input("a", {33}) - g.input("b", {33})); }
void oddRows(Graph &g) { g.output("y", sum(g.input("x", {5, 1001}), 1)); }
void wholeRow(Graph &g) { g.output("y", sum(g.input("x", {1, 2048}), 1)); }

const ProgramFault kFaults[] = {
    {"no barrier where warps meet", columnSum, "warps = 4, vec = 1", eraseAll<tile::BarrierOp>, "without a barrier"},
    {"no barrier before they meet again", longRowSum, "threads = 256", eraseAll<tile::BarrierOp>, "without a barrier"},
    {"a barrier that one warp reaches", columnSum, "warps = 4, vec = 1", guardBarriers, "not every warp"},
    {"shared memory that nobody wrote", columnSum, "warps = 4, vec = 1", dropSharedStores, "before it is written"},
    {"a shared tile behind the end", columnSum, "warps = 4, vec = 1", placeBehind, "bytes of shared memory"},
    {"a store behind the end", odd, "threads = 32, vec = 1, runs = 2", storeEverywhere, "of argument 2"},
    {"a load behind the end", wholeRow, "threads = 256", readOneFurther, "of argument 0"},
    {"an offset less aligned than promised", oddRows, "threads = 128", promiseTooMuch, "said to be a multiple"},
    {"an offset of each warp's own", wholeRow, "threads = 256", offsetByWarp, "differs between them"},
};

TEST(TilePrograms, TheInterpreterSeesFaults) {
  GraphRunner runner;
  runner.options = {.target = "sm_80", .interpret = true};
  for (const ProgramFault &fault : kFaults) {
    SCOPED_TRACE(fault.name);
    Graph g;
    fault.build(g);
    KernelGraph cut = runner.cut(g.mlir(), true);
    graph::KernelOp kernel = *cut.function().getOps<graph::KernelOp>().begin();
    BuildOptions options = runner.options;
    options.schedule = "#graph.schedule<\"" + kernel.getKind().str() + "\", {" + fault.schedule + "}>";
    InputSet inputs = makeInputs(g, Flavour::Normal, 5);
    try {
      EXPECT_EQ(runner.runner().run(kernel, inputs.tensors, options).fault, "");
      options.edit = fault.edit;
      auto faulty = runner.runner().build(kernel, options);
      std::string found = runner.runner().executor(options).run(kernel, *faulty, inputs.tensors).fault;
      EXPECT_NE(found.find(fault.expected), std::string::npos) << "found: " << found;
    } catch (const std::exception &error) {
      ADD_FAILURE() << error.what();
    }
  }
}

} // namespace
