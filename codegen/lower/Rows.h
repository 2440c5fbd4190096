//===- Rows.h - how a target says how each op of a tile program is lowered ----------------------------------------===//
//
// One row per op: its name, and the function that replaces it. A target has families of rows and a `Lowering`, what its
// functions are given beside the op; the engine and the level spec read the concatenation and know no op.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_ROWS_H
#define KILN_CODEGEN_LOWER_ROWS_H

#include "ir/Typed.h"

#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace kiln::codegen {

using ir::typed;

/// Replaces `op`, or does what one without results is erased for. operands[i] holds what operand i has become: several
/// values for a fragment, one for a scalar or a pointer. Fails with a diagnostic on the op.
template <typename Lowering>
using LowerFnOf = llvm::LogicalResult (*)(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands, Lowering &to);

template <typename Lowering> struct RowOf {
  llvm::StringRef op;
  LowerFnOf<Lowering> lower;
};

template <typename Lowering> using RowTableOf = llvm::StringMap<LowerFnOf<Lowering>>;

/// The rows of all families by op name. A target's rows may say more than this.
template <typename Lowering, typename Families> RowTableOf<Lowering> concatenate(const Families &families) {
  RowTableOf<Lowering> table;
  for (const auto &family : families)
    for (const RowOf<Lowering> &row : family) table[row.op] = row.lower;
  return table;
}

/// The one pattern of the first conversion: looks the op up.
template <typename Lowering> class RowPattern final : public mlir::ConversionPattern {
public:
  /// What an op's row is given beside it.
  using Make = std::function<Lowering(mlir::Operation *op, mlir::ConversionPatternRewriter &rewriter)>;

  /// The table outlives the pattern.
  RowPattern(const mlir::TypeConverter &types, mlir::MLIRContext *context, const RowTableOf<Lowering> &rows, Make make)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context), rows(rows), make(std::move(make)) {}

  llvm::LogicalResult matchAndRewrite(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    auto row = rows.find(op->getName().getStringRef());
    if (row == rows.end()) return rewriter.notifyMatchFailure(op, "no row");
    Lowering to = make(op, rewriter);
    if (failed(row->second(op, operands, to))) return mlir::failure();
    if (op->getNumResults() == 0) rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  const RowTableOf<Lowering> &rows;
  Make make;
};

} // namespace kiln::codegen

#endif
