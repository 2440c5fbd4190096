#include "passes/tiling/Knobs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

LogicalResult kiln::tiling::checkFamily(Location loc, graph::ScheduleAttr attr, StringRef family) {
  if (!attr || attr.getFamily() == family) return success();
  return emitError(loc) << "schedule is for family \"" << attr.getFamily() << "\", the kernel is \"" << family << '"';
}

LogicalResult kiln::tiling::unknownKnob(Location loc, StringRef family, StringRef knob, ArrayRef<StringRef> known) {
  InFlightDiagnostic diag = emitError(loc) << "a \"" << family << "\" schedule has no knob `" << knob << '`';
  diag.attachNote() << "expected: one of " << llvm::join(known, ", ");
  return diag;
}

FailureOr<int64_t> kiln::tiling::knobValue(Location loc, StringRef knob, Attribute value, int64_t low, int64_t high,
                                           int64_t multipleOf) {
  auto integer = dyn_cast<IntegerAttr>(value);
  int64_t v = integer ? integer.getInt() : 0;
  if (integer && v >= low && v <= high && v % multipleOf == 0) return v;
  InFlightDiagnostic diag = emitError(loc) << "illegal value of schedule knob `" << knob << '`';
  diag.attachNote() << "expected: a multiple of " << multipleOf << " in " << low << ".." << high;
  diag.attachNote() << "found: " << value;
  return diag;
}

LogicalResult kiln::tiling::powerOfTwo(Location loc, StringRef knob, int64_t value) {
  if (llvm::isPowerOf2_64(value)) return success();
  return emitError(loc) << "schedule knob `" << knob << "` must be a power of two, found " << value;
}
