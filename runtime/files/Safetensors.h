// Safetensors files: where parameters come from. The file is mapped, not read, and its header is trusted in nothing.
#pragma once

#include "kiln/HostTensor.h"

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

class SafetensorsFile {
public:
  /// Maps `path`. Throws Error (invalid input) naming file and tensor on any header that does not describe the file:
  /// too long, no JSON, duplicate names, unknown dtype, sizes that do not match, ranges outside, overlapping, or with
  /// gaps. The file must not shrink while it or a tensor of it is in use.
  static SafetensorsFile open(const std::string &path);
  /// The same over bytes already in memory, which `data` keeps alive; `origin` names them in errors.
  static SafetensorsFile parse(std::shared_ptr<std::byte> data, size_t size, const std::string &origin);

  /// Names in alphabetical order.
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return entries.find(name) != entries.end(); }
  /// The tensor `name`, sharing the mapping (privately: writing to it does not change the file) unless its bytes are
  /// misaligned. Throws Error if there is none or if its dtype is one Kiln lacks.
  HostTensor tensor(std::string_view name) const;
  /// Every tensor; throws Error as tensor() does.
  std::map<std::string, HostTensor, std::less<>> tensors() const;
  /// The header's "__metadata__".
  const std::map<std::string, std::string> &metadata() const { return meta; }

private:
  struct Entry {
    std::string dtype; ///< as the file spells it
    std::vector<int64_t> shape;
    size_t begin = 0, end = 0; ///< bytes from the start of the file
  };
  void parseHeader(size_t size);
  Entry parseEntry(const std::string &name, const nlohmann::json &value, size_t dataBegin, size_t size) const;
  void checkRanges(size_t dataBegin, size_t size) const;

  std::string origin;
  std::shared_ptr<std::byte> data;
  std::map<std::string, Entry, std::less<>> entries;
  std::map<std::string, std::string> meta;
};

/// Writes `tensors`, each aligned to 8 bytes as far as the format allows (widest dtype first, no gaps), with
/// `metadata`. Throws Error for dtypes the format lacks (tf32, i4) and if the file cannot be written.
void writeSafetensors(const std::string &path, const std::map<std::string, HostTensor, std::less<>> &tensors,
                      const std::map<std::string, std::string> &metadata = {});

} // namespace kiln
