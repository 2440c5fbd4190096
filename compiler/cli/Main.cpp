// The command line: what each subcommand takes, and how errors become exit codes.
#include "compiler/cli/Commands.h"
#include "kiln/Error.h"
#include "kiln/Version.h"
#include "runtime/Nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <system_error>

using namespace kiln;
using namespace kiln::cli;

namespace {

const char *const exitCodes = "Exit codes: 0 right, 1 usage, 2 invalid input, 3 no device, 4 wrong result, 5 internal.";

/// `kiln run --help` ends with these; %s stands for the program and, where it reads one, its file.
std::string examples(const std::string &program, std::initializer_list<const char *> lines) {
  std::string text = "Examples:\n";
  for (const char *line : lines) text += fmt::format("  {} {}\n", program, line);
  return text;
}

void addGraphOptions(CLI::App &app, Arguments &a) {
  if (!a.build) {
    app.add_option("file", a.file, "The graph: .mlir text or bytecode; or tile programs alone (see --bind)")
        ->required();
    app.add_option("--entry", a.entry, "The function to compile, or the tile program")->capture_default_str();
    app.add_option("--bind", a.bind,
                   "Of a tile program alone: name=number of an extent that its tile.dims name or of a scalar argument");
  }
  app.add_option("--device", a.compile.device, "Where to run: cpu, cuda")->capture_default_str();
  app.add_option("--target", a.compile.target,
                 "Instructions to use (`devices` lists them); default: the best there are");
  app.add_flag("--no-fuse", a.noFuse, "One kernel per op; the bits of every output are the same");
  app.add_option("--threads", a.compile.threads, "Threads that compile and run; 0: one per hardware thread");
  app.add_option("--dump-ir", a.compile.dumpIr, "Write the IR after every pass to this folder");
}

void addRun(CLI::App &app, Arguments &a, const std::string &program) {
  addGraphOptions(app, a);
  app.add_flag("--json", a.json, "Print JSON");
  app.add_option("--input", a.inputs, "name=file.npy; inputs without a file are drawn at random (see --seed)");
  app.add_option("--params", a.params, "A .safetensors file with all parameters, by name; without one they are drawn");
  app.add_option("--output", a.outputs, "name=file.npy to write; outputs without a file are summarised");
  app.add_flag("--strict", a.strict, "Refuse missing inputs and parameters instead of drawing them");
  app.add_option("--seed", a.seed, "Of what is drawn: floats standard normal, integers 0..7, bools 0 or 1")
      ->capture_default_str();
  app.add_flag("--check", a.check, "Judge every kernel by the interpreter, fed with that kernel's inputs");
  app.add_flag("--profile", a.profile, "Print the time of every kernel");
  app.add_option("--repeat", a.repeat, "Run so many times and print the median time")->check(CLI::Range(1, 1000000000));
  app.footer(examples(program,
                      {"--input x=x.npy --params w.safetensors --output y=y.npy", "--check", "--repeat 20 --profile"}) +
             exitCodes);
}

void addCompile(CLI::App &app, Arguments &a, const std::string &program) {
  addGraphOptions(app, a);
  app.get_option("--device")->default_str("cuda for ptx, cubin and targets of GPUs; else cpu");
  app.add_option("-o,--output", a.output, "The file to write; with --emit ptx or cubin a folder, made if needed");
  app.add_option("--emit", a.emit, "Write only the plan (JSON), or the kernels as ptx or cubin (one file each)")
      ->check(CLI::IsMember({"plan", "ptx", "cubin"}));
  app.footer(
      examples(program, {"-o m.kiln", "-o m.kiln --target sm_80", "--emit plan", "--emit ptx --target sm_90a",
                         "--emit cubin --target sm_90a -o kernels"}) +
      "`run m.kiln` runs the file, here or on another machine, as does Kiln's runtime without a compiler. Parameters\n"
      "are bound where it runs. Plan and PTX are printed where no -o is given. No GPU is needed to compile for one.\n" +
      exitCodes);
}

void addDump(CLI::App &app, Arguments &a, const std::string &program) {
  addGraphOptions(app, a);
  app.add_option("--level", a.level, "source, graph (decomposed), fused, tile, llvm or plan (JSON)")
      ->capture_default_str()
      ->check(CLI::IsMember({"source", "graph", "fused", "tile", "llvm", "plan"}));
  app.footer(examples(program, {"--level tile", "--dump-ir steps"}) +
             "With --dump-ir, steps/ holds NN-<level>-<pass>.mlir for every pass; kiln-opt reads each.\n" + exitCodes);
}

void addExplain(CLI::App &app, Arguments &a, const std::string &program) {
  addGraphOptions(app, a);
  app.add_flag("--json", a.json, "Print JSON");
  app.footer(
      examples(program, {"", "--no-fuse", "--json"}) +
      "The table has a row per distinct kernel: bytes each launch would move with one kernel per op (before) and\n"
      "moves (after). Then come the edges between kernels, with the rule that kept them apart, and the memory.\n" +
      exitCodes);
}

/// CLI11 would only say that a command is missing.
void checkCommand(CLI::App &app, const std::string &given) {
  std::vector<std::string> known;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    known.push_back(command->get_name());
  if (given.starts_with("-") || std::find(known.begin(), known.end(), given) != known.end()) return;
  throw Error({.code = ErrorCode::Usage,
               .op = given,
               .rule = "there is no such command",
               .expected = fmt::format("{}", fmt::join(known, ", ")),
               .found = given,
               .hint = nearestName(given, known, /*mostEdits=*/2)});
}

int dispatch(CLI::App &app, int argc, char **argv, Arguments &a) {
  if (argc > 1) checkCommand(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ErrorCode::Usage);
  }
  a.compile.fuse = !a.noFuse;
  for (const CLI::App *given : app.get_subcommands())
    if (const CLI::Option *device = given->get_option_no_throw("--device")) a.deviceGiven = device->count() > 0;
  const std::pair<const char *, int (*)(const Arguments &)> commands[] = {
      {"run", runCommand},         {"compile", compileCommand}, {"dump", dumpCommand},
      {"explain", explainCommand}, {"devices", devicesCommand}, {"ops", opsCommand}};
  for (auto [name, command] : commands)
    if (app.got_subcommand(name)) return command(a);
  return static_cast<int>(ErrorCode::Usage);
}

/// Descriptors 0 to 2 that the caller closed must not be given to a file that is opened later, into which everything
/// printed would go. Reads end at once, and writes fail, as they should.
void keepStandardStreams() {
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != fd) return;
}

/// What is left to print, and whether all that was printed got out.
bool flushOutput() {
  errno = 0;
  bool failed = std::fflush(stdout) != 0;
  if (!failed && !std::ferror(stdout)) return true;
  fmt::print(stderr, "invalid input error: standard output: what was asked for cannot be written\n  found:    {}\n",
             errno ? std::generic_category().message(errno) : "an error of an earlier write");
  std::clearerr(stdout);
  return false;
}

/// dispatch(), with errors as messages and exit codes.
int guardedDispatch(CLI::App &app, int argc, char **argv, Arguments &a) {
  try {
    return dispatch(app, argc, argv, a);
  } catch (const Error &error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code);
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "invalid input error: the graph needs more memory than there is\n");
    return static_cast<int>(ErrorCode::InvalidInput);
  } catch (const std::exception &error) {
    if (std::ferror(stdout)) return static_cast<int>(ErrorCode::InvalidInput); // fmt throws; flushOutput says why
    fmt::print(stderr, "internal error: {}\n", error.what());
  }
  return static_cast<int>(ErrorCode::Internal);
}

} // namespace

int kiln::main(int argc, char **argv, const std::function<void(Graph &)> &build) {
  keepStandardStreams();
  Arguments a{.build = build};
  std::string self = argc > 0 ? std::string(argv[0]) : "kiln";
  if (size_t slash = self.find_last_of('/'); slash != std::string::npos) self.erase(0, slash + 1);
  auto program = [&](const char *command) { return self + " " + command + (build ? "" : " m.mlir"); };
  CLI::App app(build ? "A graph compiled by Kiln." : "Compiles model graphs into a few fused kernels, and runs them.",
               self);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("kiln ") + version());
  app.footer(examples(self, {build ? "run --check" : "run m.mlir --input x=x.npy --output y=y.npy",
                             build ? "explain" : "explain m.mlir", "run --help"}) +
             exitCodes);
  addRun(*app.add_subcommand("run", "Compile and run a graph"), a, program("run"));
  addCompile(*app.add_subcommand("compile", "Compile a graph into a file that runs elsewhere"), a, program("compile"));
  addDump(*app.add_subcommand("dump", "Print the IR of a level"), a, program("dump"));
  addExplain(*app.add_subcommand("explain", "Say which kernels there are, and why not fewer"), a, program("explain"));
  app.add_subcommand("devices", "List what graphs can run on")->add_flag("--json", a.json, "Print JSON");
  app.add_subcommand("ops", "List the ops a graph may hold")->add_flag("--json", a.json, "Print JSON");
  int code = guardedDispatch(app, argc, argv, a);
  return flushOutput() || code ? code : static_cast<int>(ErrorCode::InvalidInput);
}
