// What the user may have meant: a misspelt name is answered with the known one that is nearest to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The one of `known` that the fewest edits of a letter turn `name` into, the first of equals; empty if all take more
/// than `mostEdits`.
std::string nearestName(std::string_view name, const std::vector<std::string> &known, unsigned mostEdits = ~0u);

} // namespace kiln
