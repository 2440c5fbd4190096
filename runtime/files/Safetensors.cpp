#include "runtime/files/Safetensors.h"
#include "runtime/files/FileBytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace kiln {
namespace {

using Json = nlohmann::json;

/// The longest header the format allows.
constexpr uint64_t kMaxHeader = 100'000'000;
constexpr size_t kLengthBytes = 8;

/// The format's dtypes; Kiln reads those with a `type`, and checks the sizes of the others.
struct TypeRow {
  std::string_view code;
  int bits;
  std::optional<DType> type;
};

constexpr std::array<TypeRow, 17> kTypes = {{{"F64", 64, DType::F64},
                                             {"F32", 32, DType::F32},
                                             {"F16", 16, DType::F16},
                                             {"BF16", 16, DType::BF16},
                                             {"F8_E4M3", 8, DType::F8E4M3FN},
                                             {"F8_E5M2", 8, DType::F8E5M2},
                                             {"F8_E8M0", 8, DType::F8E8M0},
                                             {"I64", 64, DType::I64},
                                             {"I32", 32, DType::I32},
                                             {"I8", 8, DType::I8},
                                             {"BOOL", 8, DType::Bool},
                                             {"I16", 16, std::nullopt},
                                             {"U64", 64, std::nullopt},
                                             {"U32", 32, std::nullopt},
                                             {"U16", 16, std::nullopt},
                                             {"U8", 8, std::nullopt},
                                             {"C64", 64, std::nullopt}}};

const TypeRow *findType(std::string_view code) {
  const auto *row = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow &r) { return r.code == code; });
  return row == kTypes.end() ? nullptr : row;
}

/// Parses the header's text, refusing names that come twice (a plain parse would keep the last one) and nesting deeper
/// than any real header's.
Json parseJson(std::string_view text, const std::string &origin) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  auto watch = [&](int depth, Json::parse_event_t event, Json &parsed) {
    constexpr int kMaxDepth = 8;
    if (depth > kMaxDepth) throw fileError(origin, "the header is a flat JSON object", {}, "deep nesting");
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception &e) {
    throw fileError(origin, "the header is JSON", {}, e.what());
  }
  if (!twice.empty()) throw fileError(origin, "a name comes once", {}, fmt::format("`{}` twice", twice));
  if (!json.is_object()) throw fileError(origin, "the header is a JSON object", {}, json.type_name());
  return json;
}

/// A JSON array of non-negative integers, or nothing.
std::optional<std::vector<int64_t>> naturals(const Json &json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<int64_t> values;
  for (const Json &v : json) {
    if (!v.is_number_unsigned() || v.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    values.push_back(v.get<int64_t>());
  }
  return values;
}

/// Bytes of `shape` elements of `bits` each, or nothing if that overflows.
std::optional<int64_t> bytesOf(std::span<const int64_t> shape, int bits) {
  int64_t bytes = 0;
  try {
    if (__builtin_mul_overflow(elementCount(shape), static_cast<int64_t>(bits / 8), &bytes)) return std::nullopt;
  } catch (const Error &) {
    return std::nullopt;
  }
  return bytes;
}

std::map<std::string, std::string> parseMetadata(const Json &json, const std::string &origin) {
  std::map<std::string, std::string> result;
  if (!json.is_object()) throw fileError(origin, "metadata is an object of strings", {}, json.type_name());
  for (const auto &[key, text] : json.items()) {
    if (!text.is_string()) throw fileError(origin, "metadata is an object of strings", {}, text.type_name());
    result[key] = text.get<std::string>();
  }
  return result;
}

} // namespace

SafetensorsFile SafetensorsFile::open(const std::string &path) {
  FileBytes file = mapFile(path);
  return parse(std::move(file.data), file.size, path);
}

SafetensorsFile SafetensorsFile::parse(std::shared_ptr<std::byte> data, size_t size, const std::string &origin) {
  SafetensorsFile file;
  file.origin = origin;
  file.data = std::move(data);
  file.parseHeader(size);
  return file;
}

void SafetensorsFile::parseHeader(size_t size) {
  uint64_t length = 0;
  if (size < kLengthBytes)
    throw fileError(origin, "the file begins with 8 bytes of header length", {}, fmt::format("{} bytes", size));
  std::memcpy(&length, data.get(), kLengthBytes);
  uint64_t most = std::min<uint64_t>(kMaxHeader, size - kLengthBytes);
  if (length > most)
    throw fileError(origin, "the header fits in the file and in 100 MB", fmt::format("at most {} bytes", most),
                    fmt::format("{} bytes", length));
  std::string_view text(reinterpret_cast<const char *>(data.get()) + kLengthBytes, length);
  if (!text.starts_with('{')) throw fileError(origin, "the header begins with {", {}, "another character");
  size_t dataBegin = kLengthBytes + length;
  Json header = parseJson(text, origin);
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      meta = parseMetadata(value, origin);
    else
      entries.emplace(name, parseEntry(name, value, dataBegin, size));
  }
  checkRanges(dataBegin, size);
}

SafetensorsFile::Entry SafetensorsFile::parseEntry(const std::string &name, const nlohmann::json &value,
                                                   size_t dataBegin, size_t size) const {
  auto fail = [&](std::string rule, std::string expected, std::string found) {
    throw fileError(origin, fmt::format("tensor `{}`: {}", name, rule), std::move(expected), std::move(found));
  };
  if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() || !value.contains("shape") ||
      !value.contains("data_offsets"))
    fail("an entry has dtype, shape and data_offsets", {}, value.dump(-1, ' ', true, Json::error_handler_t::replace));
  Entry entry;
  entry.dtype = value["dtype"].get<std::string>();
  const TypeRow *type = findType(entry.dtype);
  if (!type) fail("the dtype is known", {}, entry.dtype);
  auto shape = naturals(value["shape"]), offsets = naturals(value["data_offsets"]);
  if (!shape) fail("the shape is a list of extents", {}, value["shape"].dump());
  if (!offsets || offsets->size() != 2) fail("data_offsets are two numbers", {}, value["data_offsets"].dump());
  entry.shape = std::move(shape).value();
  int64_t begin = offsets.value()[0], end = offsets.value()[1];
  if (begin > end || static_cast<uint64_t>(end) > size - dataBegin)
    fail("data_offsets are a range of the file", fmt::format("within 0 .. {}", size - dataBegin),
         value["data_offsets"].dump());
  std::optional<int64_t> bytes = bytesOf(entry.shape, type->bits);
  if (bytes != end - begin)
    fail("the range has the size of the shape",
         bytes ? fmt::format("{} bytes for {}{}", *bytes, entry.dtype, shapeString(entry.shape))
               : "fewer than 2^63 bytes",
         fmt::format("{} bytes", end - begin));
  entry.begin = dataBegin + static_cast<size_t>(begin);
  entry.end = dataBegin + static_cast<size_t>(end);
  return entry;
}

void SafetensorsFile::checkRanges(size_t dataBegin, size_t size) const {
  std::vector<std::pair<const Entry *, const std::string *>> order;
  for (const auto &[name, entry] : entries) order.emplace_back(&entry, &name);
  std::sort(order.begin(), order.end(), [](auto &a, auto &b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  size_t at = dataBegin;
  for (auto &[entry, name] : order) {
    if (entry->begin != at)
      throw fileError(origin, fmt::format("tensor `{}`: data follows data without overlap or gap", *name),
                      fmt::format("offset {}", at - dataBegin), fmt::format("offset {}", entry->begin - dataBegin));
    at = entry->end;
  }
  if (at != size)
    throw fileError(origin, "the tensors fill the file", fmt::format("{} bytes", at - dataBegin),
                    fmt::format("{} bytes", size - dataBegin));
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> result;
  for (const auto &[name, entry] : entries) result.push_back(name);
  return result;
}

HostTensor SafetensorsFile::tensor(std::string_view name) const {
  auto it = entries.find(name);
  if (it == entries.end()) throw fileError(origin, "the tensor is in the file", {}, fmt::format("no `{}`", name));
  const Entry &entry = it->second;
  std::optional<DType> type = findType(entry.dtype)->type;
  if (!type)
    throw fileError(origin, fmt::format("tensor `{}` has a dtype Kiln reads", name), {}, entry.dtype,
                    "convert it before saving");
  std::byte *start = data.get() + entry.begin;
  auto element = static_cast<uintptr_t>(bitWidth(*type)) / 8;
  HostTensor result;
  if (reinterpret_cast<uintptr_t>(start) % element == 0) {
    result = HostTensor(entry.shape, *type, std::shared_ptr<void>(data, start));
  } else {
    result = HostTensor::uninitialized(entry.shape, *type);
    if (result.byteSize()) std::memcpy(result.raw(), start, result.byteSize());
  }
  if (*type == DType::Bool)
    for (std::byte b : std::as_const(result).bytes())
      if (b > std::byte{1})
        throw fileError(origin, fmt::format("tensor `{}`: a bool is 0 or 1", name), {},
                        std::to_string(static_cast<int>(b)));
  return result;
}

std::map<std::string, HostTensor, std::less<>> SafetensorsFile::tensors() const {
  std::map<std::string, HostTensor, std::less<>> result;
  for (const auto &[name, entry] : entries) result.emplace(name, tensor(name));
  return result;
}

void writeSafetensors(const std::string &path, const std::map<std::string, HostTensor, std::less<>> &tensors,
                      const std::map<std::string, std::string> &metadata) {
  std::vector<std::pair<const std::string *, const HostTensor *>> order;
  for (const auto &[name, tensor] : tensors) order.emplace_back(&name, &tensor);
  // Wide elements first: each tensor then starts at a multiple of its element without gaps.
  auto key = [](const auto &entry) {
    return std::pair(-bitWidth(entry.second->dtype()), std::string_view(*entry.first));
  };
  std::sort(order.begin(), order.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::vector<std::span<const std::byte>> parts(2);
  size_t at = 0;
  for (auto &[name, tensor] : order) {
    const auto *row =
        std::find_if(kTypes.begin(), kTypes.end(), [&, tensor = tensor](auto &r) { return r.type == tensor->dtype(); });
    if (row == kTypes.end() || *name == "__metadata__")
      throw fileError(path, "the tensor is one that .safetensors files can have", {},
                      fmt::format("`{}`, {}", *name, tensor->typeString()));
    header[*name] = {{"dtype", row->code}, {"shape", tensor->shape()}, {"data_offsets", {at, at + tensor->byteSize()}}};
    parts.push_back(tensor->bytes());
    at += tensor->byteSize();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception &e) {
    throw fileError(path, "names are UTF-8", {}, e.what());
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  uint64_t length = text.size();
  parts[0] = std::as_bytes(std::span(&length, 1));
  parts[1] = std::as_bytes(std::span(text));
  writeFile(path, parts);
}

} // namespace kiln
