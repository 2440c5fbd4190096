// Which skeleton builds which kernel family on the cpu target.
#include "passes/tiling/Skeleton.h"

using namespace kiln;
using namespace kiln::tiling;

llvm::ArrayRef<Skeleton> kiln::tiling::cpu::skeletons() {
  static const Skeleton rows[] = {
      {graph::KernelKind::Pointwise, buildPointwise},
      {graph::KernelKind::Row, buildRow},
      {graph::KernelKind::Column, buildColumn},
      {graph::KernelKind::Matmul, buildMatmul},
  };
  return rows;
}
