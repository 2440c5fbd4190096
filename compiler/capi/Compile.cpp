// The part of the C interface that has a compiler.
#include "kiln/kiln.h"

#include "compiler/CompilerImpl.h"
#include "compiler/dsl/LoneProgram.h"
#include "compiler/report/DevicesJson.h"
#include "runtime/capi/Handle.h"

#include <utility>

using namespace kiln;
using namespace kiln::capi;

/// "row {ctas = 4}; column {warps = 8}" as knobs by family.
static std::map<std::string, std::string> schedulesOf(llvm::StringRef text) {
  std::map<std::string, std::string> schedules;
  for (llvm::StringRef rest = text.trim(); !rest.empty();) {
    auto [one, others] = rest.split(';');
    auto [family, knobs] = one.split('{');
    schedules[family.trim().str()] = "{" + knobs.rtrim().str();
    rest = others.trim();
  }
  return schedules;
}

static CompileOptions optionsOf(const kiln_compile_options &given) {
  CompileOptions options;
  if (given.device) options.device = given.device;
  if (given.target) options.target = given.target;
  options.threads = given.threads;
  options.fuse = !given.no_fuse;
  options.keepIr = given.keep_ir;
  options.portable = given.any_machine;
  if (given.schedules) options.schedules = schedulesOf(given.schedules);
  return options;
}

/// "M=4096,scale=0.5" as values by name.
static ProgramBindings bindingsOf(const char *text) {
  ProgramBindings bindings;
  if (text) bindings.values = dsl::parseBindings("bind", text);
  return bindings;
}

/// Compiles what `read` reads for the function it is given the name of, and what a tile program is bound to.
template <typename Read> static kiln_executable *compileGraph(const kiln_compile_options *given, Read read) {
  kiln_compile_options options = optionsOr(given, KILN_COMPILE_OPTIONS);
  Compiler compiler(optionsOf(options)); // an absent device is told before anything is read
  Executable executable = compiler.compile(read(options.entry ? options.entry : "main", bindingsOf(options.bind)));
  auto made = std::make_unique<kiln_executable>(ExecutableAccess::compiled(executable),
                                                ExecutableAccess::impl(executable).compiler->device);
  if (options.keep_ir) made->ir = [executable](const std::string &level) { return executable.ir(level); };
  return made.release();
}

kiln_status kiln_compile(const char *text, size_t size, const kiln_compile_options *options,
                         kiln_executable **executable) {
  return guarded([&] {
    demand(text, "kiln_compile", "text");
    demand(executable, "kiln_compile", "executable");
    *executable = compileGraph(options, [&](const std::string &entry, const ProgramBindings &bindings) {
      return Graph::fromText({text, size}, "kiln_compile", entry, bindings);
    });
  });
}

kiln_status kiln_compile_file(const char *path, const kiln_compile_options *options, kiln_executable **executable) {
  return guarded([&] {
    demand(path, "kiln_compile_file", "path");
    demand(executable, "kiln_compile_file", "executable");
    *executable = compileGraph(options, [&](const std::string &entry, const ProgramBindings &bindings) {
      return Graph::fromFile(path, entry, bindings);
    });
  });
}

kiln_status kiln_ir(kiln_executable *executable, const char *level, const char **text) {
  return guarded([&] {
    demand(executable, "kiln_ir", "executable");
    demand(level, "kiln_ir", "level");
    demand(text, "kiln_ir", "text");
    if (!executable->ir)
      throw Error({.code = ErrorCode::Usage,
                   .op = "kiln_ir",
                   .rule = "there is IR only where it was kept",
                   .expected = "a graph compiled with keep_ir"});
    std::lock_guard guard(executable->lock);
    auto [entry, isNew] = executable->texts.try_emplace(level);
    if (isNew) {
      try {
        entry->second = executable->ir(level);
      } catch (...) {
        executable->texts.erase(entry);
        throw;
      }
    }
    *text = entry->second.c_str();
  });
}

const char *kiln_devices(void) {
  static const std::string text = [] {
    try {
      return devicesJson();
    } catch (...) {
      return std::string("[]");
    }
  }();
  return text.c_str();
}
