#include "kiln/Error.h"

#include <fmt/format.h>
#include <utility>

namespace kiln {

const char *name(ErrorCode code) {
  switch (code) {
  case ErrorCode::Usage:
    return "usage";
  case ErrorCode::InvalidInput:
    return "invalid input";
  case ErrorCode::NoDevice:
    return "no device";
  case ErrorCode::WrongResult:
    return "wrong result";
  case ErrorCode::Internal:
    return "internal";
  }
  return "unknown";
}

Error::Error(ErrorFields fields) : ErrorFields(std::move(fields)) {
  message = fmt::format("{} error: {}{}{}", kiln::name(code), op, op.empty() ? "" : ": ", rule);
  auto line = [this](const char *label, const std::string &text) {
    if (!text.empty()) message += fmt::format("\n  {} {}", label, text);
  };
  line("expected:", expected);
  line("found:   ", found);
  line("hint:    ", hint);
  if (!where.file.empty()) line("at       ", where.line ? fmt::format("{}:{}", where.file, where.line) : where.file);
}

} // namespace kiln
