//===- Commands.h - the subcommands of every Kiln program ---------------------------------------------------------===//
//
// What the command line says, as one struct, and a function per subcommand. They print to stdout what was asked for and
// to stderr what is said about it, and throw kiln::Error.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_CLI_COMMANDS_H
#define KILN_COMPILER_CLI_COMMANDS_H

#include "compiler/kiln/Compiler.h"
#include "compiler/kiln/Main.h"
#include "runtime/BoundPlan.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kiln::cli {

struct Arguments {
  std::function<void(Graph &)> build; ///< the program's own graph; empty: read `file`
  std::string file, entry = "main";
  std::vector<std::string> bind; ///< name=number, of a tile program alone
  CompileOptions compile;
  bool noFuse = false, json = false;

  // run
  std::vector<std::string> inputs, outputs; ///< name=path.npy
  std::string params;                       ///< a .safetensors file
  bool strict = false;                      ///< refuse missing inputs and parameters instead of drawing them
  bool check = false, profile = false;
  uint64_t seed = 1;
  int repeat = 1;

  // dump
  std::string level = "fused";

  // compile
  std::string output;       ///< a file, or the folder of --emit's files
  bool deviceGiven = false; ///< --device was
  std::string emit;         ///< "plan", "ptx", "cubin"; empty: the one file that runs
};

/// The graph the arguments name. Of a file of tile programs alone, one around the program `entry`, or the only one, for
/// the shapes of the inputs' files and what --bind says; `otherExtents` is what other extents are taken to be, if not
/// 0.
Graph loadGraph(const Arguments &arguments, int64_t otherExtents = 0);
/// The device to compile for: the one given; else a GPU, where the graph is a tile program of many threads.
std::string deviceFor(const Arguments &arguments, const Graph &graph);
/// Compiles, and says so on stderr if it takes over a second.
Executable compileGraph(const Compiler &compiler, const Graph &graph);
/// Binds every parameter among `infos`: from the file, which must hold all of them, or drawn at random where no file is
/// given.
void bindParameters(const Arguments &arguments, const std::vector<TensorInfo> &infos, BoundPlan &plan);
/// Every input among `infos`: from its file, else drawn at random.
NamedTensors gatherInputs(const Arguments &arguments, const std::vector<TensorInfo> &infos);
/// The paths of an option's "name=path" by name; throws Error (usage) for other texts and for a name given twice.
std::map<std::string, std::string> splitPairs(const std::string &option, const std::vector<std::string> &texts);

/// Each returns the exit code.
int runCommand(const Arguments &arguments);
int compileCommand(const Arguments &arguments);
int dumpCommand(const Arguments &arguments);
int explainCommand(const Arguments &arguments);
int devicesCommand(const Arguments &arguments);
int opsCommand(const Arguments &arguments);

} // namespace kiln::cli

#endif
