// kiln compile.
#include "compiler/CompilerImpl.h"
#include "compiler/cli/Commands.h"
#include "kiln/Error.h"
#include "runtime/files/FileBytes.h"

#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <system_error>

using namespace kiln;
using namespace kiln::cli;

namespace {

void writeBytes(const std::string &path, std::span<const char> bytes) {
  const std::span<const std::byte> part = std::as_bytes(bytes);
  writeFile(path, {&part, 1});
}

/// The kernels of a graph for a GPU, in one of its forms.
std::vector<CodeImage> codeOf(const Executable &executable, CodeImage::Format format) {
  std::vector<CodeImage> images;
  for (const KernelImage &image : ExecutableAccess::impl(executable).bound->kernels) {
    const auto *code = std::get_if<CodeImage>(&image);
    if (!code || code->format != format)
      throw Error({.code = ErrorCode::Usage,
                   .op = "--emit",
                   .rule = "PTX is made for GPUs",
                   .found = "kernels for " + executable.plan().target,
                   .hint = "--device cuda"});
    images.push_back(*code);
  }
  return images;
}

std::string makeFolder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw fileError(path, "the folder can be made", {}, error.message());
  return path;
}

void emitPtx(const Arguments &a, const Executable &executable) {
  const std::vector<CodeImage> images = codeOf(executable, CodeImage::Format::Ptx);
  if (!a.output.empty()) makeFolder(a.output);
  for (const CodeImage &image : images) {
    if (a.output.empty())
      fmt::print("// kernel {}\n{}\n", image.symbol, std::string_view(image.code.data(), image.code.size()));
    else
      writeBytes(fmt::format("{}/{}.ptx", a.output, image.symbol), image.code);
  }
}

/// Machine code, with what each kernel takes of the hardware on stderr.
void emitCubin(const Arguments &a, const Executable &executable) {
  makeFolder(a.output);
  for (const CodeImage &image : codeOf(executable, CodeImage::Format::Cubin))
    writeBytes(fmt::format("{}/{}.cubin", a.output, image.symbol), image.code);
  for (const KernelReport &kernel : executable.report().kernels) {
    const AssemblyReport &assembly = kernel.assembly.value();
    fmt::print(stderr, "{}: {} registers, {} bytes spilled, {} bytes of stack\n", kernel.symbol, assembly.registers,
               assembly.spillBytes, assembly.stackBytes);
    for (const AssemblyNote &note : assembly.notes)
      fmt::print(stderr, "{}:{}: {}\n", note.where.file, note.where.line, note.text);
  }
}

void emitPlan(const Arguments &a, const Executable &executable) {
  std::string text = executable.planJson() + "\n";
  if (a.output.empty())
    fmt::print("{}", text);
  else
    writeBytes(a.output, text);
}

struct EmitRow {
  const char *name;
  bool toStdout; ///< where no -o is given
  void (*emit)(const Arguments &, const Executable &);
};

} // namespace

int kiln::cli::compileCommand(const Arguments &a) {
  static const EmitRow rows[] = {
      {"", false, [](const Arguments &args, const Executable &made) { made.save(args.output); }},
      {"plan", true, emitPlan},
      {"ptx", true, emitPtx},
      {"cubin", false, emitCubin},
  };
  const EmitRow &row = *std::find_if(std::begin(rows), std::end(rows), [&](auto &r) { return a.emit == r.name; });
  if (a.output.empty() && !row.toStdout)
    throw Error({.code = ErrorCode::Usage,
                 .op = "compile",
                 .rule = "there must be a place to write to",
                 .expected = a.emit.empty() ? "-o m.kiln" : "-o folder"});
  CompileOptions options = a.compile;
  options.portable = true;
  std::optional<Target> target = findTarget(options.target);
  options.assemble = a.emit == "cubin";
  const bool codeAlone = a.emit == "ptx" || a.emit == "cubin";
  // The code of a tile program is the same for all extents: which are taken does not matter then.
  constexpr int64_t kAnyExtent = 256;
  Graph graph = loadGraph(a, codeAlone ? kAnyExtent : 0);
  options.device = deviceFor(a, graph);
  if (!a.deviceGiven && (codeAlone || (target && target->gpu()))) options.device = "cuda";
  row.emit(a, compileGraph(Compiler(options), graph));
  return 0;
}
