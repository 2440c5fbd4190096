// Tile programs whose extents a launch tells, as every thread runs them: strides and limits are values then, where
// kernels of graphs have numbers.
#include "tests/numeric/HandReferences.h"
#include "tests/numeric/threads/Machine.h"

#include "compiler/Pipeline.h"
#include "ir/tile/Arguments.h"
#include "ir/tile/Tile.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

struct Extents {
  int64_t m, n, k;
  int64_t of(const std::string &name) const { return name == "M" ? m : name == "N" ? n : k; }
};

/// -1, 0 and 1: every sum is exact.
HostTensor small(int64_t rows, int64_t columns, uint64_t seed) {
  HostTensor values = HostTensor::randomInt({rows, columns}, i32, seed, -1, 1), tensor({rows, columns}, bf16);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, values.get(i));
  return tensor;
}

/// A·B, of which every sum is an element of bf16.
HostTensor product(const HostTensor &a, const HostTensor &b, const Extents &e) {
  HostTensor c({e.m, e.n}, bf16);
  const HostTensor inputs[] = {a, b};
  Exact exact = matmulNN(inputs);
  for (int64_t i = 0; i < c.size(); ++i) c.set(i, exact.values[static_cast<size_t>(i)]);
  return c;
}

/// A number in place of an address: what a parameter that is no buffer holds.
std::span<std::byte> number(int64_t value) { return {reinterpret_cast<std::byte *>(value), 0}; } // NOLINT

class LaunchedPrograms : public testing::TestWithParam<const char *> {};

TEST_P(LaunchedPrograms, MultiplyMatricesOfAnyExtents) {
  std::unique_ptr<MLIRContext> context = makeContext();
  Diagnostics diagnostics(*context);
  auto module = parseSourceString<ModuleOp>(readProgram(GetParam()), context.get());
  ASSERT_TRUE(module) << diagnostics.text;
  PipelineOptions options{.target = targetOf({.target = "sm_80"})};
  ASSERT_TRUE(succeeded(runLevel({"tile", addProgramPasses}, *module, options, nullptr))) << diagnostics.text;
  auto parameters = tile::argumentsOf(*module->getOps<tile::KernelOp>().begin());
  ASSERT_TRUE(succeeded(runLevel(kThreadLevel, *module, options, nullptr))) << diagnostics.text;
  auto function = *module->getOps<LLVM::LLVMFuncOp>().begin();

  for (Extents e : {Extents{1, 8, 8}, {131, 264, 200}, {129, 520, 72}, {5, 256, 128}}) {
    HostTensor a = small(e.m, e.k, 1), b = small(e.k, e.n, 2), c({e.m, e.n}, bf16), expected = product(a, b, e);
    std::ranges::fill(c.bytes(), std::byte(0xFF));
    HostTensor *buffers[] = {&a, &b, &c};
    std::vector<std::span<std::byte>> arguments;
    for (const tile::KernelArgument &p : parameters)
      arguments.push_back(p.kind == tile::KernelArgument::Kind::Buffer ? buffers[p.argument]->bytes()
                                                                       : number(e.of(p.name)));
    try {
      threads::Machine machine(function, arguments);
      int64_t ctas = (e.m + 127) / 128 * ((e.n + 255) / 256);
      for (int64_t cta = 0; cta < ctas; ++cta) machine.run(cta);
    } catch (const tiles::Fault &fault) {
      FAIL() << fmt::format("{}x{}x{}: {}", e.m, e.n, e.k, fault.what());
    }
    EXPECT_TRUE(std::ranges::equal(c.bytes(), expected.bytes())) << fmt::format("{}x{}x{}", e.m, e.n, e.k);
  }
}

INSTANTIATE_TEST_SUITE_P(Matmuls, LaunchedPrograms,
                         testing::Values("matmul_sm80", "steps/sm80_1_plain", "steps/sm80_2_ring",
                                         "steps/sm80_3_ahead"));

} // namespace
