//===- Emitter.h - a kernel region's values, on demand, as tile code ----------------------------------------------===//
//
// A skeleton builds the loops of a kernel family and stands at a point of the iteration space, perhaps with a vector of
// lanes along one dimension. It asks an emitter for values of the fused region at that point and never knows the ops in
// it. The emitter walks from the asked value to the memory it comes from: views compose index maps, elementwise ops are
// cloned onto fragments, kernel operands become loads. Values that do not vary along the lanes stay scalars.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_EMITTER_H
#define KILN_PASSES_TILING_EMITTER_H

#include "ir/tile/Tile.h"
#include "passes/kernel/Access.h"

#include "mlir/IR/Builders.h"

namespace kiln::tiling {

/// Where a skeleton stands: its loops' coordinates and how they make a point of the iteration space.
struct Point {
  llvm::SmallVector<int64_t> extents;    ///< of the skeleton's own dimensions; the lanes, if any, are the last
  llvm::SmallVector<mlir::Value> coords; ///< `index` values, one per dimension but the lanes
  mlir::AffineMap iteration;             ///< skeleton dimensions -> iteration space
  int64_t lanes = 0;                     ///< 0: scalar code
  mlir::Attribute layout;                ///< of fragments of the lanes; null is `#tile.simd`
  mlir::Value residue;                   ///< lanes that exist; null when all do
  int64_t shifted = 0; ///< accesses of global memory known to start at a multiple of fewer bytes are shifted, where
                       ///< runs are whole 16-byte words
};

class Emitter;

/// How one op's value is made at a point. Fails with a diagnostic.
struct EmissionRow {
  llvm::StringRef op;
  mlir::FailureOr<mlir::Value> (*emit)(Emitter &, mlir::Operation *, mlir::AffineMap);
};
/// The row of an op that a decomposed graph may hold inside a kernel; null if it has none.
const EmissionRow *findEmissionRow(llvm::StringRef opName);

/// Emits values at one point. Cheap to make; each point has its own.
class Emitter {
public:
  using Anchors = llvm::DenseMap<mlir::Value, mlir::Value>;

  /// `memories` and `anchors` (reduction and matmul results, as scalars or fragments of this point) outlive the
  /// emitter.
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, const Memories &memories, const Anchors &anchors, Point point);

  /// The region's `value` at `map` (iteration space -> index in value): a scalar where it does not vary along the
  /// lanes, else a fragment.
  mlir::FailureOr<mlir::Value> emit(mlir::Value value, mlir::AffineMap map);
  /// As emit, but always a fragment of the point's lanes (a scalar when it has none).
  mlir::FailureOr<mlir::Value> emitFragment(mlir::Value value, mlir::AffineMap map);
  /// Writes a value of the region, as emitted, to its memory at `map`. Lanes of the residue are not written.
  mlir::LogicalResult store(mlir::Value emitted, const Memory &memory, mlir::AffineMap map);
  /// What `memory` holds at `map` is at hand as a fragment: it need not be loaded there.
  void provide(mlir::Value fragment, const Memory &memory, mlir::AffineMap map);

  // For emission rows.
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// As emit, with a map over the point's dimensions.
  mlir::FailureOr<mlir::Value> emitAt(mlir::Value value, mlir::AffineMap map);
  /// As emitAt, where only lanes (or, for a scalar, a point) that satisfy `condition` read memory.
  mlir::FailureOr<mlir::Value> emitGuarded(mlir::Value value, mlir::AffineMap map, mlir::Value condition);
  /// An index expression over the point's dimensions: `index`, or a fragment of i64 where it varies along the lanes.
  mlir::Value expand(mlir::AffineExpr expr);
  /// A new symbol for maps that stands for `value` (`index` or a fragment of i64), which is not negative.
  mlir::AffineExpr newSymbol(mlir::Value value);
  unsigned numSymbols() const { return symbols.size(); }
  llvm::ArrayRef<int64_t> extents() const { return point.extents; }
  mlir::Value residue() const { return point.residue; }
  /// All of `values` as fragments if one of them is, else as they are.
  void unify(llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::Value splat(mlir::Value scalar);
  /// The type of a fragment of the point's lanes.
  mlir::RankedTensorType fragmentOf(mlir::Type element) const;

private:
  /// Conditions on reading, and what was emitted under them.
  struct Scope {
    mlir::Value scalar, lanes;
    llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, mlir::Value> memo;
  };

  const Memories &memories;
  const Anchors &anchors;
  Point point;
  llvm::SmallVector<mlir::Value> symbols;
  llvm::SmallVector<Scope, 1> scopes;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineExpr>, mlir::Value> provided; ///< by memory and offset

  bool varies(mlir::AffineExpr expr) const;
  mlir::Value load(const Memory &memory, mlir::AffineMap map);
  mlir::IntegerAttr alignmentOf(mlir::AffineExpr offset);
  bool isShifted(const Memory &memory, mlir::IntegerAttr aligned, mlir::Value mask) const;
  mlir::Value loadScalar(const Memory &memory, mlir::AffineExpr offset);
  mlir::Value expandScalar(mlir::AffineExpr expr);
  mlir::Value expandLanes(mlir::AffineExpr expr);
  mlir::Value both(mlir::Value a, mlir::Value b);
};

} // namespace kiln::tiling

#endif
