#include "passes/cost/Ops.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::cost {
namespace {

struct Row {
  StringRef ops;
  unsigned weight, halves; ///< of f32, integers and bool; of 16-bit floats
  bool expensive = false;
  unsigned flops = 0;
};

/// Weights of functions are the lengths of their expansions (passes/functions), rounded, with 8 for each 2^x or 1/x
/// that a GPU approximates and a cpu computes.
const Row kRows[] = {
    {"arith.addf arith.subf arith.mulf arith.negf arith.maximumf arith.minimumf", 1, 1, false, 1},
    {"math.absf math.floor math.ceil graph.reduce", 1, 1, false, 1},
    {"math.fma", 1, 1, false, 2},
    {"arith.divf math.sqrt", 4, 4, true, 1},
    {"math.rsqrt", 8, 6, true, 1},
    {"math.exp", 16, 11, true, 1},
    {"math.log graph.sigmoid", 20, 20, true, 1},
    {"math.tanh", 24, 24, true, 1},
    {"math.erf", 24, 12, true, 1},
    {"math.sin math.cos", 30, 18, true, 1},
    {"graph.gelu", 40, 30, true, 1},
    {"arith.addi arith.subi arith.muli arith.maxsi arith.minsi arith.cmpf arith.cmpi", 1, 1},
    {"arith.andi arith.ori arith.xori arith.select", 1, 1},
    {"arith.sitofp arith.uitofp arith.extf arith.truncf arith.extui arith.extsi arith.trunci arith.fptosi", 1, 1},
    {"arith.divsi arith.remsi", 8, 8, true},
    {"arith.constant graph.broadcast graph.reshape graph.transpose graph.slice", 0, 0},
    {"graph.iota graph.concat graph.custom_kernel", 1, 1},
    {"graph.gather", 4, 4},
    {"graph.matmul", 1, 1, true},
};

const Row *findRow(StringRef op) {
  static const llvm::StringMap<const Row *> rows = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : kRows)
      for (StringRef name : llvm::split(row.ops, ' ')) map[name] = &row;
    return map;
  }();
  return rows.lookup(op);
}

} // namespace

bool hasOpCost(StringRef op) { return findRow(op); }

OpCost costOf(Operation *op) {
  const Row *row = findRow(op->getName().getStringRef());
  if (!row) llvm::report_fatal_error(Twine("no row of costs for ") + op->getName().getStringRef());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isHalf = element.isF16() || element.isBF16();
  return {isHalf ? row->halves : row->weight, row->expensive, row->flops};
}

double bytesPerAddition(const Target &target) {
  if (const CpuTarget *cpu = target.cpu()) return cpu->bandwidth / (cpu->lanes() * cpu->clock);
  const GpuTarget &gpu = *target.gpu();
  double additions = gpu.fmaFlops / 2 * gpu.sms * gpu.clock;
  return gpu.bandwidth / additions;
}

} // namespace kiln::cost
