// One JSON object of a file that trusts nobody: every field is asked for by name and range, and at the end there must
// be no other. What does not fit is an Error that names the field. Internal to the readers here.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The JSON `text`; throws Error (invalid input) named `what` if it is none.
nlohmann::json parseJson(std::string_view text, const std::string &what);

class JsonObject {
public:
  /// `value`, which must be an object and outlive this; `place` is its path in errors: "steps[3]".
  JsonObject(const nlohmann::json &value, std::string place);

  bool has(const char *key) const { return value.contains(key); }
  /// The field, of any type; throws if there is none, as all below do.
  const nlohmann::json &field(const char *key);
  /// An integer from `low` to `high`.
  int64_t integer(const char *key, int64_t low = INT64_MIN, int64_t high = INT64_MAX);
  uint64_t natural(const char *key);
  std::string text(const char *key);
  bool flag(const char *key);
  /// The elements of an array.
  const nlohmann::json::array_t &list(const char *key);
  /// Integers from `low` to `high`, `count` of them unless that is negative.
  std::vector<int64_t> integers(const char *key, int64_t low, int64_t high, int64_t count = -1);
  /// The path of a field, or of an element of it.
  std::string placeOf(const std::string &key, int64_t index = -1) const;
  /// Throws unless every field has been asked for.
  void end() const;

  /// Throws Error (invalid input): `key` is not as it must be.
  [[noreturn]] void refuse(const std::string &key, std::string expected, std::string found) const;
  [[noreturn]] void refuse(const std::string &key, std::string expected, const nlohmann::json &found) const;

private:
  const nlohmann::json &value;
  const std::string place;
  std::set<std::string> asked;
};

} // namespace kiln
