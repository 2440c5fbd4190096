// Which Kiln this is.
#pragma once

namespace kiln {

/// "0.1.0".
const char *version();

} // namespace kiln
