#include "runtime/CompiledFile.h"
#include "kiln/Error.h"
#include "runtime/files/FileBytes.h"
#include "runtime/files/JsonObject.h"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace kiln {
namespace {

using nlohmann::json;

constexpr std::array<char, 8> kMagic = {'K', 'I', 'L', 'N', '\r', '\n', '\x1a', '\n'};
constexpr size_t kSectionAlignment = 64;

/// The first bytes of a file.
struct Head {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kCompiledFileVersion;
  uint32_t zero = 0;
  uint64_t headerBytes = 0;
  uint64_t checksum = 0;
};
static_assert(sizeof(Head) == 32 && std::endian::native == std::endian::little);

size_t alignUp(size_t bytes) { return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment; }

uint64_t fnv1a(std::span<const std::byte> bytes) {
  uint64_t hash = 14695981039346656037u;
  for (std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 1099511628211u;
  return hash;
}

const char *const kHostFormat = "host";
struct FormatRow {
  CodeImage::Format format;
  const char *name;
};
constexpr FormatRow kFormats[] = {{CodeImage::Format::Ptx, "ptx"}, {CodeImage::Format::Cubin, "cubin"}};

//===--------------------------------------------------------------------------------------------------------------===//
// Writing
//===--------------------------------------------------------------------------------------------------------------===//

/// The sections so far.
class Sections {
public:
  /// Adds one; `entry` says where it is.
  void add(json &entry, std::span<const std::byte> bytes) {
    content.resize(alignUp(content.size()));
    entry["offset"] = content.size();
    entry["bytes"] = bytes.size();
    content.insert(content.end(), bytes.begin(), bytes.end());
  }
  void add(json &entry, const std::string &text) { add(entry, std::as_bytes(std::span(text))); }

  std::vector<std::byte> content;
};

struct KernelToJson {
  Sections &sections;

  json operator()(const HostKernelImage &image) const {
    if (image.code) return (*this)(*image.code);
    throw Error({.op = image.symbol, .rule = "a file holds kernels as bytes", .found = "a function of this process"});
  }
  json operator()(const HostCodeImage &image) const {
    json entry = {{"symbol", image.symbol}, {"target", image.target}, {"format", kHostFormat}, {"entry", image.entry}};
    entry["imports"] = json::array();
    for (const HostCodeImage::Import &import : image.imports)
      entry["imports"].push_back({{"function", import.function}, {"offset", import.offset}});
    entry["relocations"] = image.relocations;
    sections.add(entry["code"], std::as_bytes(std::span(image.code)));
    return entry;
  }
  json operator()(const CodeImage &image) const {
    json entry = {{"symbol", image.symbol},
                  {"target", image.target},
                  {"threads", image.threads},
                  {"shared_bytes", image.sharedBytes}};
    for (const FormatRow &row : kFormats)
      if (row.format == image.format) entry["format"] = row.name;
    sections.add(entry["code"], std::as_bytes(std::span(image.code)));
    return entry;
  }
};

//===--------------------------------------------------------------------------------------------------------------===//
// Reading
//===--------------------------------------------------------------------------------------------------------------===//

class Reader {
public:
  explicit Reader(std::span<const std::byte> sections) : sections(sections) {}

  CompiledGraph read(const json &header) {
    JsonObject object(header, "");
    CompiledGraph graph;
    graph.kiln = object.text("kiln");
    graph.device = object.text("device");
    graph.plan = planFromJson(text(object, "plan"));
    graph.report = text(object, "report");
    const json::array_t &kernels = object.list("kernels"), &constants = object.list("constants");
    for (size_t i = 0; i < kernels.size(); ++i)
      graph.kernels.push_back(kernel(JsonObject(kernels[i], object.placeOf("kernels", int64_t(i)))));
    for (size_t i = 0; i < constants.size(); ++i)
      constant(graph.plan, JsonObject(constants[i], object.placeOf("constants", int64_t(i))));
    object.end();
    return graph;
  }

private:
  std::span<const std::byte> section(JsonObject &object, const char *key) {
    JsonObject entry(object.field(key), object.placeOf(key));
    uint64_t offset = entry.natural("offset"), bytes = entry.natural("bytes");
    entry.end();
    if (offset > sections.size() || bytes > sections.size() - offset)
      object.refuse(key, fmt::format("within {} bytes of sections", sections.size()),
                    fmt::format("{} bytes at {}", bytes, offset));
    return sections.subspan(offset, bytes);
  }
  std::string_view text(JsonObject &object, const char *key) {
    std::span<const std::byte> bytes = section(object, key);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  std::vector<char> code(JsonObject &object) {
    std::string_view bytes = text(object, "code");
    return {bytes.begin(), bytes.end()};
  }

  KernelImage kernel(JsonObject object) {
    std::string format = object.text("format");
    if (format == kHostFormat) return hostKernel(object);
    for (const FormatRow &row : kFormats) {
      if (format != row.name) continue;
      CodeImage image;
      image.format = row.format;
      image.symbol = object.text("symbol");
      image.target = object.text("target");
      image.threads = static_cast<int32_t>(object.integer("threads", 0, INT32_MAX));
      image.sharedBytes = object.integer("shared_bytes", 0);
      image.code = code(object);
      object.end();
      return image;
    }
    object.refuse("format", "host, ptx or cubin", format);
  }

  HostCodeImage hostKernel(JsonObject &object) {
    HostCodeImage image;
    image.symbol = object.text("symbol");
    image.target = object.text("target");
    image.entry = object.natural("entry");
    const json::array_t &imports = object.list("imports");
    for (size_t i = 0; i < imports.size(); ++i) {
      JsonObject import(imports[i], object.placeOf("imports", int64_t(i)));
      image.imports.push_back({import.text("function"), import.natural("offset")});
      import.end();
    }
    for (int64_t offset : object.integers("relocations", 0, INT64_MAX))
      image.relocations.push_back(static_cast<uint64_t>(offset));
    image.code = code(object);
    object.end();
    return image;
  }

  void constant(LaunchPlan &plan, JsonObject object) {
    int64_t id = object.integer("buffer", 0, INT32_MAX);
    if (static_cast<size_t>(id) >= plan.buffers.size() ||
        plan.buffers[static_cast<size_t>(id)].kind != BufferKind::Constant)
      object.refuse("buffer", "a constant of the plan", std::to_string(id));
    PlanBuffer &buffer = plan.buffers[static_cast<size_t>(id)];
    std::vector<int64_t> shape;
    for (const Expr &extent : buffer.shape) shape.push_back(extent.evaluate());
    std::span<const std::byte> bytes = section(object, "elements");
    object.end();
    std::optional<int64_t> needed = byteSize(buffer.dtype, elementCount(shape));
    if (!needed || static_cast<uint64_t>(*needed) != bytes.size())
      object.refuse("elements", typeString(buffer.dtype, shape), fmt::format("{} bytes", bytes.size()));
    for (std::byte byte : bytes)
      if (buffer.dtype == DType::Bool && byte > std::byte(1))
        object.refuse("elements", "bools of 0 and 1", std::to_string(static_cast<int>(byte)));
    buffer.constant = HostTensor::uninitialized(std::move(shape), buffer.dtype);
    if (!bytes.empty()) std::memcpy(buffer.constant.raw(), bytes.data(), bytes.size());
  }

  std::span<const std::byte> sections;
};

/// Throws unless the plan can run with the kernels that are there.
void checkSound(const CompiledGraph &graph) {
  auto refuse = [](std::string rule, std::string found) {
    throw Error({.code = ErrorCode::InvalidInput, .rule = std::move(rule), .found = std::move(found)});
  };
  if (std::vector<std::string> problems = verify(graph.plan); !problems.empty())
    refuse("the file's launch plan must be sound", problems.front());
  std::set<std::string_view> symbols;
  for (const KernelImage &image : graph.kernels) symbols.insert(symbolOf(image));
  for (const PlanStep &step : graph.plan.steps)
    if (const auto *launch = std::get_if<LaunchStep>(&step); launch && !symbols.contains(launch->kernel))
      refuse("the file must hold every kernel that its plan launches", fmt::format("no kernel `{}`", launch->kernel));
}

CompiledGraph readSound(std::span<const std::byte> bytes) {
  auto refuse = [](std::string rule, std::string expected, std::string found, std::string hint = {}) {
    throw Error({.code = ErrorCode::InvalidInput,
                 .rule = std::move(rule),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .hint = std::move(hint)});
  };
  Head head;
  if (!isCompiledFile(bytes) || bytes.size() < sizeof head)
    refuse("the file must be one that `kiln compile` wrote", "KILN and a header",
           fmt::format("{} bytes that begin otherwise", bytes.size()));
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != kCompiledFileVersion)
    refuse("the file must be of the version that this Kiln reads", std::to_string(kCompiledFileVersion),
           std::to_string(head.version), "compile the graph again with this Kiln");
  std::span<const std::byte> body = bytes.subspan(sizeof head);
  if (head.zero != 0 || head.checksum != fnv1a(body) || head.headerBytes > body.size())
    refuse("the file is damaged", fmt::format("checksum {:016x}", head.checksum),
           fmt::format("{:016x} over {} bytes", fnv1a(body), body.size()));
  std::string_view header(reinterpret_cast<const char *>(body.data()), head.headerBytes);
  size_t begin = std::min(alignUp(sizeof head + head.headerBytes), bytes.size());
  CompiledGraph graph = Reader(bytes.subspan(begin)).read(parseJson(header, "header"));
  checkSound(graph);
  return graph;
}

} // namespace

bool isCompiledFile(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::vector<std::byte> compiledFileBytes(const CompiledGraph &graph) {
  Sections sections;
  json header = {{"kiln", graph.kiln}, {"device", graph.device}};
  sections.add(header["plan"], toJson(graph.plan));
  sections.add(header["report"], graph.report);
  header["kernels"] = json::array();
  for (const KernelImage &image : graph.kernels) header["kernels"].push_back(std::visit(KernelToJson{sections}, image));
  header["constants"] = json::array();
  for (const PlanBuffer &b : graph.plan.buffers) {
    if (b.kind != BufferKind::Constant || b.aliasOf != kNoBuffer) continue;
    json entry = {{"buffer", b.id}};
    sections.add(entry["elements"], b.constant.bytes());
    header["constants"].push_back(std::move(entry));
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);

  Head head;
  head.headerBytes = text.size();
  std::vector<std::byte> bytes(alignUp(sizeof head + text.size()));
  std::memcpy(bytes.data() + sizeof head, text.data(), text.size());
  bytes.insert(bytes.end(), sections.content.begin(), sections.content.end());
  head.checksum = fnv1a(std::span(bytes).subspan(sizeof head));
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

void writeCompiledFile(const std::string &path, const CompiledGraph &graph) {
  std::vector<std::byte> bytes = compiledFileBytes(graph);
  const std::span<const std::byte> part = bytes;
  writeFile(path, {&part, 1});
}

CompiledGraph readCompiledFile(std::span<const std::byte> bytes, const std::string &origin) {
  try {
    return readSound(bytes);
  } catch (const Error &error) {
    ErrorFields fields = error;
    fields.code = ErrorCode::InvalidInput;
    if (!fields.op.empty()) fields.found = fields.op + ": " + fields.found; // the field is a part of what was found
    fields.op = origin;
    throw Error(std::move(fields));
  }
}

CompiledGraph readCompiledFile(const std::string &path) {
  FileBytes file = mapFile(path);
  return readCompiledFile({file.data.get(), file.size}, path);
}

} // namespace kiln
