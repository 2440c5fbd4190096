// Planted faults: each must be caught by the very comparison that the numeric cases rest on, which must pass without
// it.
#include "tests/numeric/FaultEdits.h"
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include <kiln/Ops.h>

#include <cstdio>
#include <gtest/gtest.h>
#include <limits>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using Build = void (*)(Graph &);

// The last vector has more than one lane: what one lane does not need, LLVM may never load.
void pointwise(Graph &g) { g.output("y", g.input("a", {39}) - g.input("b", {39})); }
void choice(Graph &g) { g.output("y", where(g.input("c", {40}, boolean), g.input("a", {40}), g.input("b", {40}))); }
void exponential(Graph &g) { g.output("y", exp(g.input("x", {300}))); }
void window(Graph &g) { g.output("y", sliceAxis(g.input("x", {90}), 0, 20, 60) * 2.0); }
void rowSum(Graph &g) { g.output("y", sum(g.input("x", {5, 1000}), 1)); }
void longRowSum(Graph &g) { g.output("y", sum(g.input("x", {2, 140000}), 1)); }
void negativeMax(Graph &g) { g.output("y", max(-abs(g.input("x", {9, 33})), 1)); }
void rowSoftmax(Graph &g) { g.output("y", softmax(g.input("x", {9, 77}))); }
void columnSum(Graph &g) { g.output("y", sum(g.input("x", {300, 40}), 0)); }
void product(Graph &g) { g.output("y", matmul(g.input("a", {9, 33}), g.input("b", {33, 17}))); }
void longProduct(Graph &g) { g.output("y", matmul(g.input("a", {9, 600}), g.input("b", {600, 40}))); }
void manyCtas(Graph &g) { g.output("y", g.input("x", {70000}) * 3.0); }
void gathered(Graph &g) { g.output("y", gather(g.input("x", {50}), g.input("i", {33}, i32))); }
void comparison(Graph &g) { g.output("y", g.input("a", {300}, i32) < g.input("b", {300}, i32)); }

/// The graph's only kernel, with inputs.
struct Subject {
  KernelGraph cut;
  InputSet inputs;
  graph::KernelOp kernel;
};

Subject prepare(GraphRunner &runner, Build build) {
  Graph g;
  build(g);
  Subject subject{runner.cut(g.mlir(), true), makeInputs(g, Flavour::Normal, 11), {}};
  auto kernels = subject.cut.function().getOps<graph::KernelOp>();
  EXPECT_EQ(llvm::range_size(kernels), 1);
  subject.kernel = *kernels.begin();
  return subject;
}

struct ProgramFault {
  const char *name;
  Build build;
  TileEdit edit;
  Build onGpus = nullptr; ///< the graph for gpus, where a program of the other has no such place
  bool readsOnly = false; ///< reads what is not its own and uses none of it: only interpreters and the cpu's fences see
};

const std::vector<ProgramFault> &programFaults() {
  static const std::vector<ProgramFault> rows = {
      {"the residue is stored without its mask", pointwise, storeWithoutMask},
      {"the residue is loaded without its mask", pointwise, loadWithoutMask, nullptr, /*readsOnly=*/true},
      {"the residue is one lane short", pointwise, residueOneShort},
      {"the residue is one lane long", pointwise, residueOneLong},
      {"the operands of a subtraction are swapped", pointwise, swapSubtraction},
      {"the arms of a select are swapped", choice, swapSelect},
      {"a coefficient of exp is off by a thousandth", exponential, changeCoefficient},
      {"a window starts one element late", window, shiftLoad},
      {"one chunk of a row is skipped", rowSum, skipFirstChunk, longRowSum},
      {"the last piece of a long row is dropped", longRowSum, dropLastPiece},
      {"a sum starts from 1", rowSum, sumFromOne},
      {"a max starts from 0", negativeMax, maxFromZero},
      {"a softmax's row is one element short", rowSoftmax, residueOneShort},
      {"one row of a column sum is skipped", columnSum, skipFirstOfColumn},
      {"a k step is missed", product, skipFirstK, longProduct},
      {"the last k step is missed", product, skipLastK, longProduct},
      {"only the last chunk of k counts", longProduct, forgetAccumulators},
      {"the last column's residue is dropped", product, residueOneShort},
      {"the last CTA never runs", manyCtas, dropLastCta},
      {"a gather is one element off", gathered, shiftGather},
      {"a comparison takes equality for less", comparison, orEqual},
  };
  return rows;
}

TEST(PlantedFaults, InTilePrograms) {
  GraphRunner runner;
  int caught = 0, planted = 0;
  bool gpu = targetOf({}).gpu() != nullptr;
  for (const ProgramFault &fault : programFaults()) {
    if (fault.readsOnly && gpu && !interpretsTiles()) continue;
    SCOPED_TRACE(fault.name);
    ++planted;
    Subject subject = prepare(runner, gpu && fault.onGpus ? fault.onGpus : fault.build);
    KernelVerdict right =
        judge(subject.kernel, runner.runner().run(subject.kernel, subject.inputs.tensors), subject.inputs.tensors);
    EXPECT_EQ(right.failure(), "");
    try {
      auto faulty = runner.runner().build(subject.kernel, {.edit = fault.edit});
      std::string found =
          judge(subject.kernel, runner.runner().executor().run(subject.kernel, *faulty, subject.inputs.tensors),
                subject.inputs.tensors)
              .failure();
      EXPECT_NE(found, "") << "not caught";
      caught += !found.empty();
      std::printf("%-45s %s\n", fault.name, found.substr(0, 150).c_str());
    } catch (const std::exception &error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf("%d of %d faults in tile programs caught\n", caught, planted);
  EXPECT_GE(planted, 20);
}

struct OutputFault {
  const char *name;
  Build build;
  void (*edit)(HostTensor &);
};

float *floats(HostTensor &y) { return y.data<float>(); }

const OutputFault kOutputFaults[] = {
    {"one element is 1 % off", product, [](HostTensor &y) { floats(y)[100] *= 1.01f; }},
    {"one element is a ten-thousandth off", rowSoftmax, [](HostTensor &y) { floats(y)[77] *= 1.0001f; }},
    {"one element is an ulp off", pointwise,
     [](HostTensor &y) { floats(y)[32] = std::nextafter(floats(y)[32], 9e9f); }},
    {"a sum lost its smallest term", rowSum, [](HostTensor &y) { floats(y)[3] += 3e-3f; }},
    {"an element was not written", exponential,
     [](HostTensor &y) { floats(y)[299] = std::numeric_limits<float>::quiet_NaN(); }},
    {"two elements are swapped", exponential, [](HostTensor &y) { std::swap(floats(y)[0], floats(y)[1]); }},
    {"a bool is neither 0 nor 1", comparison, [](HostTensor &y) { y.data<uint8_t>()[7] |= 2; }},
    {"a bool is wrong", comparison, [](HostTensor &y) { y.data<uint8_t>()[299] ^= 1; }},
};

TEST(PlantedFaults, InOutputs) {
  GraphRunner runner;
  for (const OutputFault &fault : kOutputFaults) {
    SCOPED_TRACE(fault.name);
    Subject subject = prepare(runner, fault.build);
    KernelRun run = runner.runner().run(subject.kernel, subject.inputs.tensors);
    EXPECT_EQ(judge(subject.kernel, run, subject.inputs.tensors).failure(), "");
    fault.edit(run.outputs[0]);
    EXPECT_NE(judge(subject.kernel, run, subject.inputs.tensors).failure(), "") << "not caught";
  }
}

/// NaN and the sign of zero, where the contract fixes them.
TEST(PlantedFaults, InSpecialValues) {
  GraphRunner runner;
  Subject subject = prepare(runner, [](Graph &g) { g.output("y", maximum(g.input("a", {33}), g.input("b", {33}))); });
  for (int64_t i : {0, 16, 32}) {
    subject.inputs.tensors[0].set(i, std::numeric_limits<double>::quiet_NaN());
    subject.inputs.tensors[0].set((i + 1) % 33, -0.0);
    subject.inputs.tensors[1].set((i + 1) % 33, -0.0);
  }
  KernelRun run = runner.runner().run(subject.kernel, subject.inputs.tensors);
  ASSERT_EQ(judge(subject.kernel, run, subject.inputs.tensors).failure(), "");
  auto withElement = [&](int64_t at, float value) {
    KernelRun faulty{{run.outputs[0].clone()}, ""};
    floats(faulty.outputs[0])[at] = value;
    return judge(subject.kernel, faulty, subject.inputs.tensors).failure();
  };
  EXPECT_NE(withElement(16, subject.inputs.tensors[1].data<float>()[16]), "") << "a lost NaN was not caught";
  EXPECT_NE(withElement(17, 0.0f), "") << "a lost -0 was not caught";
  EXPECT_NE(withElement(5, std::numeric_limits<float>::infinity()), "") << "an infinity was not caught";
}

} // namespace
