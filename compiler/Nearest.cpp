#include "compiler/Nearest.h"

#include "llvm/ADT/StringRef.h"

std::string kiln::nearestName(std::string_view name, const std::vector<std::string> &known, unsigned mostEdits) {
  std::string nearest;
  unsigned fewest = ~0u;
  for (const std::string &candidate : known) {
    unsigned edits = llvm::StringRef(name).edit_distance(candidate);
    if (edits > mostEdits || edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}
