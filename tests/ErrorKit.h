// What a call throws, for tests of what Kiln refuses.
#pragma once

#include "kiln/Error.h"

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace kiln::test {

/// The error that `call` throws; none if it throws none.
inline std::optional<Error> errorOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error;
  }
  return std::nullopt;
}

/// The error that `call` throws; a failure of the test if it throws none.
inline Error demandError(const std::function<void()> &call) {
  if (std::optional<Error> error = errorOf(call)) return *error;
  ADD_FAILURE() << "nothing was thrown";
  return Error({.rule = "nothing was thrown"});
}

/// The text of the error that `call` throws; "no error" if it throws none.
inline std::string messageOf(const std::function<void()> &call) {
  std::optional<Error> error = errorOf(call);
  return error ? error->what() : "no error";
}

} // namespace kiln::test
