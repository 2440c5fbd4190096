#include "codegen/ptx/Assemble.h"

#include "ir/target/Gpu.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <dlfcn.h>
#include <fmt/format.h>

using namespace kiln;
using namespace kiln::codegen;

/// The source of PTX line `line`: what the last `.loc` up to it says.
static void place(AssemblerNote &note, llvm::StringRef ptx, int64_t line) {
  llvm::Regex loc("^[ \t]*\\.loc[ \t]+([0-9]+)[ \t]+([0-9]+)"), file("^[ \t]*\\.file[ \t]+([0-9]+)[ \t]+\"([^\"]*)\"");
  llvm::StringMap<std::string> files;
  std::string number;
  llvm::SmallVector<llvm::StringRef> groups;
  int64_t at = 0;
  for (llvm::StringRef text : llvm::split(ptx, '\n')) {
    if (file.match(text, &groups)) files[groups[1]] = groups[2].str();
    if (++at <= line && loc.match(text, &groups)) number = groups[1].str(), groups[2].getAsInteger(10, note.line);
  }
  note.file = files.lookup(number); // the directives come last
  if (note.file.empty()) note.line = 0;
}

AssembleReport kiln::codegen::readAssemblerLog(llvm::StringRef log, llvm::StringRef ptx) {
  AssembleReport report;
  auto number = [](llvm::StringRef line, const char *pattern) {
    llvm::SmallVector<llvm::StringRef> groups;
    int64_t value = 0;
    if (llvm::Regex(pattern).match(line, &groups)) groups[1].getAsInteger(10, value);
    return value;
  };
  for (llvm::StringRef line : llvm::split(log, '\n')) {
    if (int64_t used = number(line, "Used ([0-9]+) registers")) report.registers = static_cast<int>(used);
    report.stackBytes += number(line, "([0-9]+) bytes stack frame");
    report.spillBytes += number(line, "([0-9]+) bytes spill stores") + number(line, "([0-9]+) bytes spill loads");
    report.sharedBytes += number(line, "([0-9]+) bytes smem");
    if (!llvm::Regex("C7[0-9]{3}").match(line)) continue;
    AssemblerNote &note = report.remarks.emplace_back(AssemblerNote{line.trim().str(), {}});
    if (int64_t from = number(line, "line ([0-9]+)")) place(note, ptx, from);
  }
  return report;
}

static AssembledKernel finish(const CodeImage &ptx, const std::string &target, std::vector<char> cubin,
                              llvm::StringRef log) {
  AssembledKernel made{ptx, readAssemblerLog(log, {ptx.code.data(), ptx.code.size()})};
  made.image.format = CodeImage::Format::Cubin;
  made.image.code = std::move(cubin);
  made.image.target = target;
  return made;
}

//===- nvJitLink --------------------------------------------------------------------------------------------------===//

namespace {

/// The library's C interface, as nvJitLink.h declares it.
struct NvJitLink {
  using Handle = void *;
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorLogSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoLogSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
  int (*version)(unsigned *, unsigned *) = nullptr;

  /// False if the library lacks an entry.
  bool load(void *library) {
    auto find = [&](auto &entry, const char *name) {
      entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, name));
      return entry != nullptr;
    };
    return find(create, "nvJitLinkCreate") && find(destroy, "nvJitLinkDestroy") && find(addData, "nvJitLinkAddData") &&
           find(complete, "nvJitLinkComplete") && find(cubinSize, "nvJitLinkGetLinkedCubinSize") &&
           find(cubin, "nvJitLinkGetLinkedCubin") && find(errorLogSize, "nvJitLinkGetErrorLogSize") &&
           find(errorLog, "nvJitLinkGetErrorLog") && find(infoLogSize, "nvJitLinkGetInfoLogSize") &&
           find(infoLog, "nvJitLinkGetInfoLog") && find(version, "nvJitLinkVersion");
  }
};
constexpr int kPtxInput = 2;

class NvJitLinkAssembler final : public Assembler {
public:
  explicit NvJitLinkAssembler(const NvJitLink &api) : api(api) {}

  llvm::Expected<AssembledKernel> assemble(const CodeImage &ptx, const std::string &target) const override {
    const std::string &chip = target.empty() ? ptx.target : target;
    // The library ends the process over an architecture it has not heard of.
    if (!findGpuTarget(chip)) return llvm::createStringError("there is no gpu target '" + chip + "'");
    std::string arch = "-arch=" + chip;
    const char *options[] = {arch.c_str(), "-O3", "-verbose"};
    NvJitLink::Handle handle = nullptr;
    if (api.create(&handle, std::size(options), options) != 0)
      return llvm::createStringError("nvJitLink does not take " + arch);
    std::string text(ptx.code.begin(), ptx.code.end()); // PTX ends with a zero
    bool good = api.addData(handle, kPtxInput, text.c_str(), text.size() + 1, ptx.symbol.c_str()) == 0 &&
                api.complete(handle) == 0;
    std::string log = textOf(handle, api.infoLogSize, api.infoLog);
    std::vector<char> cubin;
    size_t size = 0;
    good = good && api.cubinSize(handle, &size) == 0;
    cubin.resize(size);
    good = good && api.cubin(handle, cubin.data()) == 0;
    std::string errors = textOf(handle, api.errorLogSize, api.errorLog);
    api.destroy(&handle);
    if (!good)
      return llvm::createStringError(fmt::format("nvJitLink refuses '{}' for {}: {}", ptx.symbol, chip, errors));
    return finish(ptx, chip, std::move(cubin), log);
  }

  std::string name() const override {
    unsigned major = 0, minor = 0;
    api.version(&major, &minor);
    return fmt::format("nvJitLink {}.{}", major, minor);
  }

private:
  NvJitLink api;

  static std::string textOf(NvJitLink::Handle handle, int (*size)(NvJitLink::Handle, size_t *),
                            int (*get)(NvJitLink::Handle, char *)) {
    size_t bytes = 0;
    if (size(handle, &bytes) != 0 || bytes == 0) return "";
    std::string text(bytes, '\0');
    get(handle, text.data());
    return text.substr(0, text.find('\0'));
  }
};

//===- ptxas ------------------------------------------------------------------------------------------------------===//

/// A file that goes with this.
class TemporaryFile {
public:
  explicit TemporaryFile(const char *suffix) { failed = !!llvm::sys::fs::createTemporaryFile("kiln", suffix, path); }
  ~TemporaryFile() {
    if (!failed) llvm::sys::fs::remove(path);
  }
  llvm::SmallString<128> path;
  bool failed = false;
};

class PtxasAssembler final : public Assembler {
public:
  explicit PtxasAssembler(std::string program) : program(std::move(program)) {}

  llvm::Expected<AssembledKernel> assemble(const CodeImage &ptx, const std::string &target) const override {
    const std::string &chip = target.empty() ? ptx.target : target;
    TemporaryFile input("ptx"), output("cubin"), log("log");
    std::error_code error;
    {
      llvm::raw_fd_ostream file(input.path, error);
      if (input.failed || output.failed || log.failed || error)
        return llvm::createStringError("no temporary file can be written");
      file.write(ptx.code.data(), ptx.code.size());
    }
    std::string arch = "-arch=" + chip;
    std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(log.path),
                                                  llvm::StringRef(log.path)};
    int status = llvm::sys::ExecuteAndWait(program, {program, arch, "-O3", "-v", input.path, "-o", output.path},
                                           std::nullopt, redirects);
    auto text = llvm::MemoryBuffer::getFile(log.path), cubin = llvm::MemoryBuffer::getFile(output.path);
    std::string words = text ? (*text)->getBuffer().str() : "";
    if (status != 0 || !cubin)
      return llvm::createStringError(fmt::format("ptxas refuses '{}' for {}: {}", ptx.symbol, chip, words));
    llvm::StringRef bytes = (*cubin)->getBuffer();
    return finish(ptx, chip, {bytes.begin(), bytes.end()}, words);
  }

  std::string name() const override { return "ptxas"; }

private:
  std::string program;
};

//===- Both -------------------------------------------------------------------------------------------------------===//

/// The library where it does as well: it starts no process. It assembles as if functions of other files might be
/// called, and then serialises warpgroup MMA and ignores that registers move between warpgroups.
class EitherAssembler final : public Assembler {
public:
  EitherAssembler(std::shared_ptr<const Assembler> library, std::shared_ptr<const Assembler> program)
      : library(std::move(library)), program(std::move(program)) {}

  llvm::Expected<AssembledKernel> assemble(const CodeImage &ptx, const std::string &target) const override {
    llvm::StringRef text(ptx.code.data(), ptx.code.size());
    bool whole = text.contains("wgmma.") || text.contains("setmaxnreg.");
    return (whole ? program : library)->assemble(ptx, target);
  }
  std::string name() const override { return library->name() + ", " + program->name(); }

private:
  std::shared_ptr<const Assembler> library, program;
};

std::shared_ptr<const Assembler> findLibrary() {
  for (const char *library : {"libnvJitLink.so.13", "libnvJitLink.so"}) {
    NvJitLink api;
    if (void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL); opened && api.load(opened))
      return std::make_shared<NvJitLinkAssembler>(api); // never closed: it may have threads of its own
  }
  return nullptr;
}

} // namespace

llvm::Expected<std::shared_ptr<const Assembler>> Assembler::find() {
  std::shared_ptr<const Assembler> library = findLibrary(), program;
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    program = std::make_shared<PtxasAssembler>(*path);
  if (library && program) return std::make_shared<EitherAssembler>(library, program);
  if (library || program) return library ? library : program;
  return llvm::createStringError(
      "there is no assembler for PTX: neither the library libnvJitLink.so.13 nor the program "
      "ptxas is found");
}

llvm::Expected<std::shared_ptr<const Assembler>> Assembler::findPtxas() {
  if (llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas"))
    return std::make_shared<PtxasAssembler>(*program);
  return llvm::createStringError("the program ptxas is not found");
}
