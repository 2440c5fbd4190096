// kiln-opt: mlir-opt for Kiln's dialects and passes.
#include "codegen/Passes.h"
#include "ir/graph/Graph.h"
#include "ir/ptx/Ptx.h"
#include "ir/tile/Tile.h"
#include "passes/graph/Passes.h"
#include "passes/tile/Passes.h"
#include "passes/tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<kiln::graph::GraphDialect, kiln::ptx::PtxDialect, kiln::tile::TileDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::math::MathDialect, mlir::scf::SCFDialect>();
  kiln::graph::registerKilnGraphPasses();
  kiln::tile::registerKilnTilePasses();
  kiln::tile::registerTileVerify();
  kiln::tiling::registerKilnTilingPasses();
  kiln::codegen::registerKilnCodegenPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kiln's optimizer driver\n", registry));
}
