// The one exception that leaves Kiln's public boundary. It keeps the facts apart (which op, which rule, what was
// expected and found, the user's line), so that a program can act on them and a person can read them in what().
#pragma once

#include <exception>
#include <string>

namespace kiln {

/// What went wrong; the values are also the exit codes of the tools (0 is success).
enum class ErrorCode { Usage = 1, InvalidInput = 2, NoDevice = 3, WrongResult = 4, Internal = 5 };

/// The spelling of a code in messages: "usage", "invalid input", "no device", "wrong result", "internal".
const char *name(ErrorCode code);

/// A line of the user's program; `line` is 0 where it is not known.
struct SourceLoc {
  std::string file;
  int line = 0;
};

/// The facts of an error. Every text may be empty but `rule`.
struct ErrorFields {
  ErrorCode code = ErrorCode::Internal;
  std::string op;       ///< the op, file or call that refused, as the user spelled it: "matmul", "w.safetensors"
  std::string rule;     ///< the rule that was broken, as a sentence without full stop
  std::string expected; ///< what the rule asks for
  std::string found;    ///< what was there instead
  std::string hint;     ///< what to do about it
  SourceLoc where;      ///< the user's line
};

/// Thrown at the public boundary only: `throw Error({.code = ErrorCode::InvalidInput, .op = "matmul", .rule = ...})`.
/// The fields read as members (`e.code`, `e.found`); the message is composed once, when the error is made.
class Error : public std::exception, public ErrorFields {
public:
  explicit Error(ErrorFields fields);
  /// One message of one to five lines: rule first, then expected, found, hint and place where they are known.
  const char *what() const noexcept override { return message.c_str(); }

private:
  std::string message;
};

} // namespace kiln
