#include "kiln/Version.h"

const char *kiln::version() { return KILN_VERSION; }
