#include "tests/numeric/Ledger.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

using namespace kiln::numeric;

void Ledger::add(const std::string &name, const KernelVerdict &verdict) {
  LedgerRow &row = rows[name];
  ++row.runs;
  row.elements += verdict.elements;
  row.unknown += verdict.unknown;
  for (const interp::Comparison &comparison : verdict.comparisons) row.either += comparison.eitherCount;
  row.worst = std::max(row.worst, verdict.worstErrorOverBound());
}

void Ledger::execute(mlir::Operation *op) {
  std::set<std::string> &seen = types[op->getName().getStringRef().str()];
  for (mlir::TypeRange range : {mlir::TypeRange(op->getOperandTypes()), mlir::TypeRange(op->getResultTypes())})
    for (mlir::Type type : range) seen.insert(graph::str(mlir::getElementTypeOrSelf(type)));
}

int64_t Ledger::kernelRuns() const {
  int64_t sum = 0;
  for (auto &[name, row] : rows) sum += row.runs;
  return sum;
}

double Ledger::worst() const {
  double worst = 0;
  for (auto &[name, row] : rows) worst = std::max(worst, row.worst);
  return worst;
}

const std::set<std::string> &Ledger::typesOf(const std::string &op) const {
  static const std::set<std::string> none;
  auto found = types.find(op);
  return found == types.end() ? none : found->second;
}

std::string Ledger::table() const {
  std::string text = fmt::format("{:<22} {:>8} {:>12} {:>12} {:>8} {:>8}\n", "op", "runs", "elements", "error/bound",
                                 "either", "unknown");
  for (auto &[name, row] : rows)
    text += fmt::format("{:<22} {:>8} {:>12} {:>12.4f} {:>8} {:>8}\n", name, row.runs, row.elements, row.worst,
                        row.either, row.unknown);
  return text +
         fmt::format("{} cases, {} kernel runs, worst error {:.4f} of its bound\n", cases, kernelRuns(), worst());
}
