// Ways to break a tile program, for tests that the suite notices. Each returns whether it found its place.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kiln::numeric {

bool storeWithoutMask(mlir::ModuleOp);
bool loadWithoutMask(mlir::ModuleOp);
bool residueOneShort(mlir::ModuleOp);
bool residueOneLong(mlir::ModuleOp);
bool swapSubtraction(mlir::ModuleOp);
bool swapSelect(mlir::ModuleOp);
bool changeCoefficient(mlir::ModuleOp); ///< the smallest constant of a fused multiply-add, by 0.1 %
bool shiftLoad(mlir::ModuleOp);         ///< every load from global memory by one element
bool shiftGather(mlir::ModuleOp);
bool orEqual(mlir::ModuleOp);            ///< integer < becomes <=
bool sumFromOne(mlir::ModuleOp);         ///< the identity -0 becomes 1
bool maxFromZero(mlir::ModuleOp);        ///< the identity -inf becomes 0
bool skipFirstChunk(mlir::ModuleOp);     ///< the innermost loop around the fold starts one late
bool dropLastPiece(mlir::ModuleOp);      ///< the outermost loop around the fold ends one early
bool skipFirstOfColumn(mlir::ModuleOp);  ///< the innermost loop around an addition starts one late
bool skipFirstK(mlir::ModuleOp);         ///< the innermost loop around the MMA starts one late
bool skipLastK(mlir::ModuleOp);          ///< or ends one early
bool forgetAccumulators(mlir::ModuleOp); ///< accumulators start from 0 in every chunk
bool dropLastCta(mlir::ModuleOp);

} // namespace kiln::numeric
