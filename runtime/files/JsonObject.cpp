#include "runtime/files/JsonObject.h"
#include "kiln/Error.h"

#include <fmt/format.h>
#include <utility>

namespace kiln {

using nlohmann::json;

namespace {

[[noreturn]] void fail(const std::string &place, std::string expected, std::string found) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = place,
               .rule = "a field must be there and of its kind",
               .expected = std::move(expected),
               .found = std::move(found)});
}

/// `value` in a few words.
std::string describe(const json &value) {
  if (value.is_structured()) return fmt::format("an {} of {}", value.type_name(), value.size());
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > 80 ? text.substr(0, 80) + " ..." : text;
}

bool fits(const json &value, int64_t low, int64_t high) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX)) return false;
  return value.is_number_integer() && value.get<int64_t>() >= low && value.get<int64_t>() <= high;
}

std::string rangeString(int64_t low, int64_t high) { return fmt::format("an integer from {} to {}", low, high); }

} // namespace

json parseJson(std::string_view text, const std::string &what) {
  try {
    return json::parse(text);
  } catch (const json::exception &error) {
    throw Error({.code = ErrorCode::InvalidInput, .op = what, .rule = "the text must be JSON", .found = error.what()});
  }
}

JsonObject::JsonObject(const json &value, std::string place) : value(value), place(std::move(place)) {
  if (!value.is_object()) fail(this->place, "an object", describe(value));
}

std::string JsonObject::placeOf(const std::string &key, int64_t index) const {
  std::string path = place.empty() ? key : place + "." + key;
  return index < 0 ? path : fmt::format("{}[{}]", path, index);
}

void JsonObject::refuse(const std::string &key, std::string expected, std::string found) const {
  fail(placeOf(key), std::move(expected), std::move(found));
}

void JsonObject::refuse(const std::string &key, std::string expected, const json &found) const {
  fail(placeOf(key), std::move(expected), describe(found));
}

const json &JsonObject::field(const char *key) {
  auto it = value.find(key);
  if (it == value.end()) refuse(key, "a value", std::string("none"));
  asked.insert(key);
  return *it;
}

int64_t JsonObject::integer(const char *key, int64_t low, int64_t high) {
  const json &found = field(key);
  if (!fits(found, low, high)) refuse(key, rangeString(low, high), found);
  return found.get<int64_t>();
}

uint64_t JsonObject::natural(const char *key) {
  const json &found = field(key);
  if (!found.is_number_unsigned()) refuse(key, "an integer of at least 0", found);
  return found.get<uint64_t>();
}

std::string JsonObject::text(const char *key) {
  const json &found = field(key);
  if (!found.is_string()) refuse(key, "a string", found);
  return found.get<std::string>();
}

bool JsonObject::flag(const char *key) {
  const json &found = field(key);
  if (!found.is_boolean()) refuse(key, "true or false", found);
  return found.get<bool>();
}

const json::array_t &JsonObject::list(const char *key) {
  const json &found = field(key);
  if (!found.is_array()) refuse(key, "an array", found);
  return found.get_ref<const json::array_t &>();
}

std::vector<int64_t> JsonObject::integers(const char *key, int64_t low, int64_t high, int64_t count) {
  std::vector<int64_t> result;
  const json::array_t &found = list(key);
  if (count >= 0 && found.size() != static_cast<size_t>(count))
    refuse(key, fmt::format("{} integers", count), std::to_string(found.size()));
  for (const json &element : found) {
    if (!fits(element, low, high)) refuse(key, rangeString(low, high), element);
    result.push_back(element.get<int64_t>());
  }
  return result;
}

void JsonObject::end() const {
  for (const auto &[key, ignored] : value.items())
    if (!asked.contains(key)) refuse(key.substr(0, 80), "a field that a reader knows", std::string("another one"));
}

} // namespace kiln
