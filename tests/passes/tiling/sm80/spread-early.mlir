// RUN: kiln-opt %s --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_90 --graph-name-kernels --tile-graph=target=sm_90 | FileCheck %s

// From Hopper on the second launch is on the GPU before the first one ends, and waits there.
// CHECK: tile.kernel @[[ROW:row_[0-9a-f]+]](
// CHECK-NEXT: tile.grid_release
// CHECK: tile.kernel @[[ROW]]_1(
// CHECK-NEXT: tile.grid_wait
func.func @rows(%x: tensor<3x200000xf32>) -> tensor<3xf32> {
  %s = graph.reduce <sum> %x axes [1] : tensor<3x200000xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}
