// What a numeric suite has done so far: for each op, how often it ran, on how many elements, and how much of its error
// bound it used; printed as one table, and asked by the completeness test.
#pragma once

#include "tests/numeric/KernelRunner.h"

#include <map>
#include <set>
#include <string>

namespace kiln::numeric {

/// The account of one op (or of "fused row" and the like).
struct LedgerRow {
  int64_t runs = 0;     ///< kernel executions
  int64_t elements = 0; ///< compared
  int64_t either = 0;   ///< at a discontinuity
  int64_t unknown = 0;  ///< of which the oracle knows nothing
  double worst = 0;     ///< error over bound
};

class Ledger {
public:
  void countCase() { ++cases; }
  /// A judged kernel; `name` is its only op, or "fused <kind>".
  void add(const std::string &name, const KernelVerdict &verdict);
  /// Ops that ran, whatever kernel they were in: with each element type among operands and results.
  void execute(mlir::Operation *op);

  int64_t caseCount() const { return cases; }
  int64_t kernelRuns() const;
  double worst() const;
  bool executed(const std::string &op) const { return types.contains(op); }
  /// Element types ("f32", "i1", ...) an op ran on.
  const std::set<std::string> &typesOf(const std::string &op) const;
  /// One line per row.
  std::string table() const;

private:
  int64_t cases = 0;
  std::map<std::string, LedgerRow> rows;
  std::map<std::string, std::set<std::string>> types;
};

} // namespace kiln::numeric
