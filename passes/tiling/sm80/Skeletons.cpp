// Which skeleton builds which kernel family on the gpu targets.
#include "passes/tiling/Skeleton.h"

using namespace kiln;
using namespace kiln::tiling;

llvm::ArrayRef<Skeleton> kiln::tiling::sm80::skeletons() {
  static const Skeleton rows[] = {
      {graph::KernelKind::Pointwise, buildPointwise},
      {graph::KernelKind::Row, buildRow},
      {graph::KernelKind::Column, buildColumn},
      {graph::KernelKind::Matmul, buildMatmul},
  };
  return rows;
}

llvm::ArrayRef<Skeleton> kiln::tiling::skeletonsOf(const Target &target) {
  return target.cpu() ? cpu::skeletons() : sm80::skeletons();
}
