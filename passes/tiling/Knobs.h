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
  llvm::StringLiteral name;
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

/// The typed view of a schedule: `S` has its family's name `kFamily`, its `kKnobs` and, where they depend on each
/// other, `check(loc)`. What the attribute does not name keeps its default, as everything does where it is null. Fails
/// with a diagnostic at `loc` that names the knob, what it may be, and what it was.
template <typename S> llvm::FailureOr<S> parseSchedule(mlir::Location loc, graph::ScheduleAttr attr) {
  S schedule;
  if (failed(checkFamily(loc, attr, S::kFamily))) return mlir::failure();
  for (mlir::NamedAttribute entry : attr ? attr.getKnobs() : mlir::DictionaryAttr::get(loc.getContext())) {
    auto *knob = llvm::find_if(S::kKnobs, [&](auto &k) { return k.name == entry.getName(); });
    if (knob == std::end(S::kKnobs))
      return unknownKnob(loc, S::kFamily, entry.getName(),
                         llvm::map_to_vector(S::kKnobs, [](auto &k) -> llvm::StringRef { return k.name; }));
    auto value = knobValue(loc, knob->name, entry.getValue(), knob->low, knob->high, knob->multipleOf);
    if (failed(value)) return mlir::failure();
    schedule.*(knob->field) = *value;
  }
  if constexpr (requires { schedule.check(loc); })
    if (failed(schedule.check(loc))) return mlir::failure();
  return schedule;
}

/// The attribute of a schedule, every knob spelled out.
template <typename S> graph::ScheduleAttr packSchedule(mlir::MLIRContext *context, const S &schedule) {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::NamedAttribute> entries;
  for (auto &knob : S::kKnobs)
    entries.push_back(b.getNamedAttr(knob.name, b.getI64IntegerAttr(schedule.*(knob.field))));
  return graph::ScheduleAttr::get(context, S::kFamily, b.getDictionaryAttr(entries));
}

} // namespace kiln::tiling

#endif
