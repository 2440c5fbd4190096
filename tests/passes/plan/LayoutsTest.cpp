#include "passes/plan/Layouts.h"
#include "tests/passes/GraphKit.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

using Shape = std::vector<int64_t>;

graph::KernelOp kernelOf(test::GraphKit &kit, const std::string &layouts) {
  kit.parse(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = graph.kernel "pointwise" (%a = %x : tensor<2x3xf32>) -> tensor<2x3xf32> )" +
            layouts + R"( {
        graph.yield %a : tensor<2x3xf32>
      }
      return %y : tensor<2x3xf32>
    })");
  return kit.kernels().front();
}

TEST(Layouts, PadRowsAndTakeThemOutAgain) {
  test::GraphKit kit;
  graph::KernelOp kernel = kernelOf(kit, "attributes {input_layouts = [#graph.layout<strides = [4, 1] offset 1>], "
                                         "result_layouts = [#graph.layout<strides = [1, 2]>]}");
  HostTensor dense = HostTensor::of({2, 3}, DType::F32, {1, 2, 3, 4, 5, 6});
  HostTensor memory = toOperandMemory(kernel, 0, dense);
  EXPECT_EQ(memory.shape(), (Shape{8}));
  EXPECT_EQ(operandMemory(kernel, 0).shape(), (Shape{8}));
  HostTensor expected = HostTensor::of({8}, DType::F32, {0, 1, 2, 3, 0, 4, 5, 6});
  EXPECT_FALSE(firstDifference(memory, expected, NaNs::AllEqual));

  HostTensor columns = HostTensor::of({6}, DType::F32, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(resultMemory(kernel, 0).shape(), (Shape{6}));
  EXPECT_FALSE(firstDifference(fromResultMemory(kernel, 0, columns), dense, NaNs::AllEqual));
}

TEST(Layouts, LeaveDenseTensorsAlone) {
  test::GraphKit kit;
  graph::KernelOp kernel = kernelOf(kit, "attributes {input_layouts = [#graph.layout<strides = [3, 1]>]}");
  HostTensor dense = HostTensor::of({2, 3}, DType::F32, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(toOperandMemory(kernel, 0, dense).raw(), dense.raw());
  EXPECT_EQ(fromResultMemory(kernel, 0, dense).raw(), dense.raw());
  EXPECT_EQ(resultMemory(kernel, 0).shape(), (Shape{2, 3}));
}

} // namespace
} // namespace kiln
