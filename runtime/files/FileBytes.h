// Whole files in and out of memory, with errors that name the file. Internal to the readers and writers here.
#pragma once

#include "kiln/Error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace kiln {

/// A file's bytes, mapped privately: writing to them changes no file.
struct FileBytes {
  std::shared_ptr<std::byte> data; ///< null for an empty file
  size_t size = 0;
};

/// Maps `path`; throws Error (invalid input) with the system's reason if it is no readable regular file.
FileBytes mapFile(const std::string &path);

/// Writes the `parts` one after the other, by way of a temporary file beside the one that `path` names, which is
/// renamed at the end, so that a reader sees all or nothing. An old file keeps its mode, symbolic links are followed,
/// and what is no regular file (a pipe, a device) is written to as it is. Throws Error (invalid input) with the
/// system's reason.
void writeFile(const std::string &path, std::span<const std::span<const std::byte>> parts);

/// The Error of a file that breaks `rule`.
inline Error fileError(const std::string &file, std::string rule, std::string expected = {}, std::string found = {},
                       std::string hint = {}) {
  return Error({.code = ErrorCode::InvalidInput,
                .op = file,
                .rule = std::move(rule),
                .expected = std::move(expected),
                .found = std::move(found),
                .hint = std::move(hint)});
}

} // namespace kiln
