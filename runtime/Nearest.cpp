#include "runtime/Nearest.h"

#include <algorithm>
#include <numeric>

namespace kiln {

/// The fewest insertions, removals and changes of a letter from `a` to `b`, row by row of the usual table.
static unsigned edits(std::string_view a, std::string_view b) {
  std::vector<unsigned> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      unsigned changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearestName(std::string_view name, const std::vector<std::string> &known, unsigned mostEdits) {
  const std::string *best = nullptr;
  unsigned least = mostEdits;
  for (const std::string &candidate : known)
    if (unsigned distance = edits(name, candidate); distance < least || (distance == least && !best))
      best = &candidate, least = distance;
  return best ? *best : "";
}

} // namespace kiln
