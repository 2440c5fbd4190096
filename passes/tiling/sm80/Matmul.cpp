// The gpu skeleton of matmul kernels: which mainloop the operands' type takes.
#include "passes/tiling/sm80/MatmulFrame.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

FailureOr<int64_t> kiln::tiling::sm80::buildMatmul(SkeletonContext &context) {
  MatmulProblem problem = matmulProblem(context.form, {context.memories, context.outputs});
  return problem.isSixteenBit() ? buildMma(context, problem) : buildOuter(context, problem);
}
