// Keeps and writes the IR after every pass.
#include "compiler/Pipeline.h"

#include "kiln/Error.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace mlir;
using namespace kiln;

/// In the order in which they run.
static ArrayRef<const Level *> levels() {
  static const Level *const all[] = {&kGraphLevel, &kFusedLevel, &kScheduledLevel,
                                     &kNamedLevel, &kTileLevel,  &kThreadLevel};
  return all;
}

void IrRecorder::record(const Level &level, unsigned step, StringRef pass, unsigned part, ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation &op : module.getBody()->getOperations()) {
    op.print(os, OpPrintingFlags().useLocalScope()); // no aliases: parts of one step are joined as text
    os << '\n';
  }
  std::lock_guard guard(lock);
  auto index = static_cast<unsigned>(llvm::find(levels(), &level) - levels().begin());
  std::string &before = latest[{index, part}];
  if (before == text && !pass.ends_with("-failed")) return;
  before = text;
  Step &entry = steps[{index, step}];
  entry.pass = pass.str();
  entry.parts[part] = std::move(text);
}

void IrRecorder::replay(function_ref<void(const Level &, const Step &, const std::string &)> see) const {
  std::map<unsigned, std::string> parts;
  unsigned level = 0;
  for (const auto &[at, step] : steps) {
    if (at.first != level) parts.clear();
    level = at.first;
    for (const auto &[part, text] : step.parts) parts[part] = text;
    std::string all;
    for (const auto &[part, text] : parts) all += text;
    see(*levels()[level], step, all);
  }
}

std::string IrRecorder::last(StringRef level) const {
  std::lock_guard guard(lock);
  std::string last;
  replay([&](const Level &here, const Step &, const std::string &text) {
    if (here.name == level) last = text;
  });
  return last;
}

static void writeFile(const std::filesystem::path &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error({.code = ErrorCode::InvalidInput, .op = path.string(), .rule = "the file cannot be written"});
}

void IrRecorder::write(const std::string &folder, const std::string &planJson) const {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = folder,
                 .rule = "the folder cannot be made",
                 .found = failure.message()});
  std::lock_guard guard(lock);
  unsigned number = 0;
  std::filesystem::path root(folder);
  replay([&](const Level &level, const Step &step, const std::string &text) {
    writeFile(root / fmt::format("{:02}-{}-{}.mlir", number++, level.name.str(), step.pass), text);
  });
  if (!planJson.empty()) writeFile(root / fmt::format("{:02}-plan.json", number), planJson);
}
