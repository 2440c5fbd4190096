//===- DevicesJson.h - what graphs can run on, for programs -------------------------------------------------------===//
#ifndef KILN_COMPILER_REPORT_DEVICESJSON_H
#define KILN_COMPILER_REPORT_DEVICESJSON_H

#include <string>

namespace kiln {

/// devices() as a JSON array.
std::string devicesJson();

} // namespace kiln

#endif
