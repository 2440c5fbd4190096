//===- Alignment.h - what index values are multiples of -----------------------------------------------------------===//
//
// From `tile.aligned` of arguments, which is checked before a launch, from constants and from what is multiplied.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_ANALYSIS_ALIGNMENT_H
#define KILN_IR_TILE_ANALYSIS_ALIGNMENT_H

#include "ir/tile/Tile.h"
#include "ir/tile/analysis/IndexPolynomial.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::tile {

/// What divides every number that a value may be. All numbers divide 0, which is the divisor of 0.
struct Divisor {
  int64_t known = 1;                   ///< divides it, whatever a launch says
  std::optional<int64_t> largest = {}; ///< no larger number does, where that is known, too
};

/// Divisors of one kernel's index values: of polynomials over numbers that may be 0, 1, and more, each whatever the
/// others are.
class Alignment {
public:
  explicit Alignment(KernelOp kernel);

  /// Of `value` where `user` runs.
  Divisor divisorOf(mlir::Value value, mlir::Operation *user);

private:
  /// A divisor of a value that stands for itself, and whether it may be any multiple of it where an op runs.
  struct Factor {
    int64_t divisor = 1;
    bool isAny = false;
  };

  KernelOp kernel;
  IndexPolynomials polynomials;
  llvm::DenseSet<mlir::Value> iterations;        ///< variables of loops, which stand for their iterations' numbers
  llvm::StringMap<int64_t> extents;              ///< what they are multiples of
  llvm::StringSet<> unsure;                      ///< extents that a launch may check in other ways
  llvm::DenseMap<mlir::Value, int64_t> divisors; ///< known ones of values that are looked into

  void unify();
  void countIterations();
  void learnExtents();
  std::optional<llvm::StringRef> rowOf(size_t argument);
  void multiply(llvm::StringRef extent, int64_t factor);
  Factor factorOf(mlir::Value value, mlir::Operation *user);
  Factor factorOf(ExtentOp extent);
  int64_t knownOf(mlir::Operation *op, mlir::Operation *user);
  bool hasAnyGrid();
};

} // namespace kiln::tile

#endif
