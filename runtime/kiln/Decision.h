// What a pass decided and why, in one shape for all passes: from where it is decided to `explain` and JSON. Plain data.
#pragma once

#include "kiln/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

enum class Unit : uint8_t { Count, Bytes, Seconds };
/// "512 B", "1.5 MB"; "39.4 us"; "1856".
std::string numberText(double value, Unit unit);

/// A number that a decision was made by.
struct DecisionNumber {
  std::string name; ///< what it is: "kept", "padded row"; its key in JSON is "kept_bytes", "padded_row"
  double value = 0;
  Unit unit = Unit::Count;
};

/// One thing that could be done.
struct DecisionOption {
  std::string name;   ///< "merged", "copy"
  std::string rule;   ///< of one that was refused: the short name of the rule that objects; may be empty
  std::string reason; ///< a sentence, with this case's numbers; may be empty
  std::vector<DecisionNumber> numbers;
};

/// Something that a decision is about: an op, an operand of a kernel, a call.
struct DecisionSubject {
  std::string name; ///< "math.exp", "operand 0, 1793x1793xbf16"
  SourceLoc where;
  int kernel = -1; ///< the launch it is in, counted from 0 in program order; -1: of none
};

struct Decision {
  std::string pass;                     ///< its flag: "graph-fuse"
  std::vector<DecisionSubject> subject; ///< at least one
  std::string relation;                 ///< between one subject and the next: "into"
  DecisionOption chosen;
  std::vector<DecisionOption> refused;
  bool usual = false; ///< one of many of its kind, with nothing to look into: reports leave it out

  /// "copy, time 39.4 us; not as it is, time 85.6 us": what was chosen and what was not.
  std::string text() const;
};

using Decisions = std::vector<Decision>;

} // namespace kiln
