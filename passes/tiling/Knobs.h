//===- Knobs.h - schedule attributes as structs -------------------------------------------------------------------===//
//
// A family's knobs are rows: a name, a field of the family's struct, and its legal values. From them follow the typed
// view of a #graph.schedule, refused with a reason where it is not legal, and the attribute of a struct.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_KNOBS_H
#define KILN_PASSES_TILING_KNOBS_H

#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

namespace kiln::tiling {

/// One knob of a family: its name, where it lives, its legal values.
template <typename S> struct Knob {
  llvm::StringRef name;
  int64_t S::*field;
  int64_t low, high, multipleOf;
};

/// Fails with a diagnostic at `loc` unless the attribute is of that family; null is.
llvm::LogicalResult checkFamily(mlir::Location loc, graph::ScheduleAttr attr, llvm::StringRef family);
/// Says that a family has no such knob, and which it has.
llvm::LogicalResult unknownKnob(mlir::Location loc, llvm::StringRef family, llvm::StringRef knob,
                                llvm::ArrayRef<llvm::StringRef> known);
/// Fails with a diagnostic unless `value` is an integer, a multiple of `multipleOf` in low … high.
llvm::FailureOr<int64_t> knobValue(mlir::Location loc, llvm::StringRef knob, mlir::Attribute value, int64_t low,
                                   int64_t high, int64_t multipleOf);
/// Fails with a diagnostic unless a knob's value is a power of two.
llvm::LogicalResult powerOfTwo(mlir::Location loc, llvm::StringRef knob, int64_t value);

/// The typed view of a schedule; what the attribute does not name keeps its default, as everything does where it is
/// null.
template <typename S> llvm::FailureOr<S> parseSchedule(mlir::Location loc, graph::ScheduleAttr attr,
                                                       llvm::StringRef family, llvm::ArrayRef<Knob<S>> knobs) {
  S schedule;
  if (failed(checkFamily(loc, attr, family))) return mlir::failure();
  if (!attr) return schedule;
  for (mlir::NamedAttribute entry : attr.getKnobs()) {
    auto *knob = llvm::find_if(knobs, [&](auto &k) { return k.name == entry.getName(); });
    if (knob == knobs.end()) {
      llvm::SmallVector<llvm::StringRef> names;
      for (auto &k : knobs) names.push_back(k.name);
      return unknownKnob(loc, family, entry.getName(), names);
    }
    auto value = knobValue(loc, knob->name, entry.getValue(), knob->low, knob->high, knob->multipleOf);
    if (failed(value)) return mlir::failure();
    schedule.*(knob->field) = *value;
  }
  return schedule;
}

/// The attribute of a schedule, every knob spelled out.
template <typename S> graph::ScheduleAttr packSchedule(mlir::MLIRContext *context, const S &schedule,
                                                       llvm::StringRef family, llvm::ArrayRef<Knob<S>> knobs) {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::NamedAttribute> entries;
  for (auto &knob : knobs) entries.push_back(b.getNamedAttr(knob.name, b.getI64IntegerAttr(schedule.*(knob.field))));
  return graph::ScheduleAttr::get(context, family, b.getDictionaryAttr(entries));
}

} // namespace kiln::tiling

#endif
