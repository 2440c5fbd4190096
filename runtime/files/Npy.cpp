#include "runtime/files/Npy.h"
#include "runtime/files/FileBytes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <utility>

namespace kiln {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  std::string_view code; ///< the descr without its byte order
  DType type;
};

/// bf16 is two bytes without a type, as NumPy writes arrays of ml_dtypes.bfloat16.
constexpr std::array<TypeRow, 8> kTypes = {{{"f8", DType::F64},
                                            {"f4", DType::F32},
                                            {"f2", DType::F16},
                                            {"V2", DType::BF16},
                                            {"i8", DType::I64},
                                            {"i4", DType::I32},
                                            {"i1", DType::I8},
                                            {"b1", DType::Bool}}};

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the header's Python dictionary: strings, True, False and tuples of integers are all that may be in it.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &origin) : text(text), origin(origin) {}

  Header parse() {
    Header header;
    bool seen[3] = {};
    auto once = [&](int key) {
      if (std::exchange(seen[key], true)) fail("a key comes twice");
    };
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr")
        once(0), header.descr = string();
      else if (key == "fortran_order")
        once(1), header.fortranOrder = boolean();
      else if (key == "shape")
        once(2), header.shape = tuple();
      else
        fail(fmt::format("unknown key '{}'", key));
      if (accept('}')) break;
      expect(',');
    }
    skipSpace();
    if (!text.empty()) fail("text behind the dictionary");
    if (!seen[0] || !seen[1] || !seen[2]) fail("descr, fortran_order or shape is missing");
    return header;
  }

private:
  [[noreturn]] void fail(std::string found) const {
    throw fileError(origin, "the .npy header is a dictionary of descr, fortran_order and shape", {}, std::move(found));
  }
  void skipSpace() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r'))
      text.remove_prefix(1);
  }
  bool accept(char c) {
    skipSpace();
    if (text.empty() || text[0] != c) return false;
    text.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("no '{}' where one belongs", c));
  }
  std::string string() {
    char quote = accept('\'') ? '\'' : '"';
    if (quote == '"' && !accept('"')) fail("no string where one belongs (structured dtypes are not read)");
    size_t end = text.find(quote);
    if (end == std::string_view::npos) fail("a string without end");
    std::string result(text.substr(0, end));
    text.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (text.starts_with(word)) {
        text.remove_prefix(word.size());
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || value < 0) fail("an extent that is no number of elements");
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      values.push_back(value);
      if (accept(')')) break;
      expect(',');
    }
    return values;
  }

  std::string_view text;
  const std::string &origin;
};

struct Descr {
  DType type;
  bool swapped; ///< big-endian
};

Descr parseDescr(const std::string &descr, const std::string &origin) {
  char order = descr.empty() ? ' ' : descr[0];
  std::string_view code = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  bool known = order == '<' || order == '>' || order == '|' || order == '=';
  for (const TypeRow &row : kTypes)
    if (known && row.code == code) return {row.type, order == '>'};
  if (descr == "bfloat16") return {DType::BF16, false};
  throw fileError(origin, "the array's dtype is one Kiln reads", "f8, f4, f2, i8, i4, i1, b1, or V2 for bf16", descr,
                  "convert it with numpy's astype before saving");
}

/// Elements stored with the first index fastest, into row-major order.
void fromFortran(std::span<const std::byte> from, HostTensor &to) {
  const std::vector<int64_t> &shape = to.shape();
  auto element = static_cast<size_t>(bitWidth(to.dtype())) / 8;
  std::vector<int64_t> index(shape.size()), strides(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) strides[d] = strides[d - 1] * shape[d - 1];
  int64_t source = 0;
  for (int64_t i = 0; i < to.size(); ++i) {
    std::memcpy(to.bytes().data() + static_cast<size_t>(i) * element, &from[static_cast<size_t>(source) * element],
                element);
    for (size_t d = shape.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d]) break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

void swapBytes(HostTensor &tensor) {
  auto element = static_cast<ptrdiff_t>(bitWidth(tensor.dtype()) / 8);
  std::span<std::byte> bytes = tensor.bytes();
  for (auto at = bytes.begin(); at != bytes.end(); at += element) std::reverse(at, at + element);
}

/// Bool bytes other than 0 and 1 would be undefined everywhere else.
void checkBools(const HostTensor &tensor, const std::string &origin) {
  if (tensor.dtype() != DType::Bool) return;
  for (std::byte b : tensor.bytes())
    if (b > std::byte{1}) throw fileError(origin, "a bool is 0 or 1", {}, std::to_string(static_cast<int>(b)));
}

} // namespace

HostTensor parseNpy(std::span<const std::byte> file, const std::string &origin) {
  auto byteAt = [&](size_t i) { return static_cast<size_t>(file[i]); };
  std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  if (file.size() < 10 || !text.starts_with(kMagic))
    throw fileError(origin, "the file begins as an .npy file does", "\\x93NUMPY and a version", "something else");
  size_t major = byteAt(6), start = major == 1 ? 10 : 12;
  if (major < 1 || major > 3)
    throw fileError(origin, "the .npy version is 1, 2 or 3", {}, fmt::format("{}.{}", major, byteAt(7)));
  if (file.size() < start) throw fileError(origin, "the file is complete", {}, "its end inside the header");
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (major > 1) length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > file.size() - start) throw fileError(origin, "the file is complete", {}, "its end inside the header");
  Header header = HeaderParser(text.substr(start, length), origin).parse();
  Descr descr = parseDescr(header.descr, origin);

  std::span<const std::byte> data = file.subspan(start + length);
  std::optional<int64_t> bytes;
  try {
    bytes = byteSize(descr.type, elementCount(header.shape));
  } catch (const Error &) {
    // Said below, with the file's name.
  }
  if (!bytes || static_cast<uint64_t>(*bytes) != data.size())
    throw fileError(origin, "the file holds its array's elements and nothing else",
                    bytes ? fmt::format("{} bytes for {}", *bytes, typeString(descr.type, header.shape))
                          : "fewer than 2^63 bytes",
                    fmt::format("{} bytes", data.size()));
  HostTensor tensor = HostTensor::uninitialized(header.shape, descr.type);
  if (header.fortranOrder && header.shape.size() > 1)
    fromFortran(data, tensor);
  else if (!data.empty())
    std::memcpy(tensor.raw(), data.data(), data.size());
  if (descr.swapped) swapBytes(tensor);
  checkBools(tensor, origin);
  return tensor;
}

HostTensor readNpy(const std::string &path) {
  FileBytes file = mapFile(path);
  return parseNpy({file.data.get(), file.size}, path);
}

namespace {

/// Everything before the elements, padded so that they start at a multiple of 64.
std::string npyHeader(const HostTensor &tensor, const std::string &origin) {
  const auto *row = std::find_if(kTypes.begin(), kTypes.end(), [&](auto &r) { return r.type == tensor.dtype(); });
  if (row == kTypes.end())
    throw fileError(origin, "the dtype is one that .npy files have", "f64, f32, f16, bf16, i64, i32, i8 or bool",
                    tensor.typeString(), "cast it, or write a .safetensors file");
  std::string dict = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 bitWidth(tensor.dtype()) > 8 ? '<' : '|', row->code, fmt::join(tensor.shape(), ", "),
                                 tensor.rank() == 1 ? "," : "");
  bool wide = dict.size() + 1 + 64 > 0xFFFF;
  size_t prefix = wide ? 12 : 10;
  dict.resize((prefix + dict.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += wide ? '\2' : '\1';
  header += '\0';
  for (size_t i = 0; i < prefix - 8; ++i) header += static_cast<char>(dict.size() >> (8 * i));
  return header + dict;
}

} // namespace

std::vector<std::byte> npyBytes(const HostTensor &tensor) {
  std::string header = npyHeader(tensor, "npy");
  std::span<const std::byte> head = std::as_bytes(std::span(header)), data = tensor.bytes();
  std::vector<std::byte> result(head.begin(), head.end());
  result.insert(result.end(), data.begin(), data.end());
  return result;
}

void writeNpy(const std::string &path, const HostTensor &tensor) {
  std::string header = npyHeader(tensor, path);
  std::array<std::span<const std::byte>, 2> parts = {std::as_bytes(std::span(header)), tensor.bytes()};
  writeFile(path, parts);
}

} // namespace kiln
