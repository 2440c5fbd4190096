// From a graph to an executable: kiln::compile(g) does it with the defaults.
#pragma once

#include "kiln/Executable.h"
#include "kiln/Graph.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

struct CompilerImpl;

struct CompileOptions {
  /// "cpu"; "cuda" throws Error (no device) in this build, another name Error (usage).
  std::string device = "cpu";
  /// Which instructions to use: a name `kiln devices` lists ("avx512", "avx2", ...); empty is the best this machine
  /// has.
  std::string target;
  /// False: one kernel per op left after decomposition. The bits of every output are the same.
  bool fuse = true;
  /// Threads that compile kernels, and threads a launch may use; 0 is one per hardware thread. A negative number or one
  /// above 256 and the hardware's throws Error (usage).
  int threads = 0;
  /// A folder to write the IR after every pass to, as NN-<level>-<pass>.mlir, and the plan as JSON; made if needed.
  std::string dumpIr;
  /// Keep the IR of every level for Executable::ir.
  bool keepIr = false;
  /// Schedules by kernel family in place of the default ones, as the knobs of #graph.schedule: {"matmul", "{bm = 96,
  /// ...}"}.
  std::map<std::string, std::string> schedules;
  /// Make code for every machine that has the target's instructions, so that it can be saved and run elsewhere. The
  /// device need not be present then, unless the graph is run here. Without it, code for the cpu is for this processor.
  bool portable = false;
  /// Assemble the kernels of a GPU here, by NVIDIA's assembler, with the lines of the source in them, so that the
  /// report says what each takes of the hardware. Throws Error (no device) where there is no assembler.
  bool assemble = false;
  /// Fill the arena and fresh memory with NaN bytes before every run, so that reads of unwritten bytes show.
  bool poison = false;
};

/// Compiles graphs, one at a time per call; calls may come from several threads.
class Compiler {
public:
  explicit Compiler(CompileOptions options = {});
  /// Throws Error: invalid input for a graph without outputs, for shapes that no workspace holds and for schedules that
  /// are illegal; usage for schedules that are no dictionary; internal if the compiler is at fault.
  Executable compile(const Graph &graph) const;

private:
  std::shared_ptr<CompilerImpl> impl;
};

/// Compiles one graph.
Executable compile(const Graph &graph, const CompileOptions &options = {});

/// A GPU of this machine, as its driver describes it.
struct GpuInfo {
  int ordinal = 0;         ///< the driver's number for it
  std::string name;        ///< "NVIDIA H200"
  std::string capability;  ///< "9.0"
  int multiprocessors = 0; ///< SMs
  int64_t memoryBytes = 0; ///< all of it, whether free or not
};

/// A device this build can compile for.
struct DeviceInfo {
  std::string name;                      ///< "cpu", "cuda"
  bool present = false;                  ///< whether this machine can run it
  std::string detail;                    ///< what it is, or why it is absent
  std::vector<std::string> targets = {}; ///< best first; those this machine cannot run are left out
  std::vector<GpuInfo> gpus = {};        ///< cuda: each of them; targets are those of the first
  std::string driver = {};               ///< cuda: the newest CUDA that the driver knows, "12.8"; empty without one
};
/// What there is. Looking takes no GPU and starts nothing on one.
std::vector<DeviceInfo> devices();

} // namespace kiln
