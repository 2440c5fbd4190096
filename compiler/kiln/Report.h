// What compiling a graph came to: its kernels with what each absorbed and moves, what passes decided and why,
// where memory goes, and where time went. Plain data, with printers for people and programs.
#pragma once

#include "kiln/Decision.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// Something the assembler says of a kernel.
struct AssemblyNote {
  std::string text; ///< with its number: "C7510 …"
  SourceLoc where;  ///< the op's line, where the note says one; else the kernel's
};

/// What a kernel takes of the hardware, as the assembler counts it.
struct AssemblyReport {
  int registers = 0;      ///< per thread
  int64_t spillBytes = 0; ///< stored and loaded, per thread
  int64_t stackBytes = 0; ///< per thread
  std::vector<AssemblyNote> notes;
  double seconds = 0;
};

/// One launch of a kernel.
struct LaunchReport {
  std::string symbol; ///< of its code
  std::string grid;   ///< CTAs: a number, or an expression of extents and `sms`
};

/// One distinct kernel. Bytes and FLOPs are those of one run.
struct KernelReport {
  std::string symbol;                           ///< "matmul_0123456789abcdef"
  std::string kind;                             ///< "pointwise", "row", "column", "matmul", "custom"
  int launches = 0;                             ///< how often the plan runs it
  std::vector<LaunchReport> programs;           ///< what is launched each time, in order
  int64_t workspaceBytes = 0;                   ///< that one launch leaves for the next
  std::vector<std::pair<std::string, int>> ops; ///< op -> how many of it are inside, in order of first appearance
  std::string shape;                            ///< of what it computes: "f32[128, 384]"
  std::string schedule;                         ///< how it is tiled
  int64_t bytesBefore = 0; ///< moved if each op inside were a kernel: operands read and results written, views free
  int64_t bytesAfter = 0;  ///< moved by this kernel: its operands and results, each once
  double flops = 0;        ///< float operations; fma and a matmul's step are 2, a function is 1
  SourceLoc where;         ///< the line of the first op
  double compileSeconds = 0;
  std::optional<AssemblyReport> assembly; ///< of one that was assembled
  /// FLOPs per byte moved; 0 if nothing is moved.
  double intensity() const { return bytesAfter ? flops / static_cast<double>(bytesAfter) : 0; }
};

/// Bytes by what holds them.
struct MemoryReport {
  int64_t inputs = 0, parameters = 0, outputs = 0, constants = 0;
  int64_t arena = 0;       ///< the peak of all temporaries together, which is what a run allocates
  int64_t temporaries = 0; ///< their sum, had none shared memory
};

/// Wall-clock seconds.
struct CompileTimes {
  double graph = 0;   ///< decompose, fuse, name
  double plan = 0;    ///< buffers and steps
  double kernels = 0; ///< tile programs to machine code, all workers together
  double total = 0;
  int threads = 1;
};

struct Report {
  std::string target; ///< "cpu (avx512)"
  bool fused = true;
  std::vector<KernelReport> kernels; ///< in order of first launch
  std::vector<std::string> launches; ///< the symbol of every kernel that is run, in order
  Decisions decisions;               ///< of all passes, in the order of the passes, each in program order
  int opsInGraph = 0;                ///< after decomposition
  MemoryReport memory;
  CompileTimes times;

  /// The kernels as a table for people, ending with totals.
  std::string table() const;
  /// The table, the decisions, the memory and the times.
  std::string explain() const;
  /// All of it as JSON, `{"schema": 2, ...}`.
  std::string json() const;
};

/// One output of one launch against the interpreter, fed with what that launch was fed.
struct KernelCheck {
  std::string symbol;
  int launch = 0; ///< counted from 0
  int output = 0; ///< of the kernel
  bool passed = false;
  double worstErrorOverBound = 0;
  int64_t elements = 0;
  std::string summary; ///< the verdict in one line
};

/// What Executable::check found.
struct CheckReport {
  std::vector<KernelCheck> kernels;
  /// Outputs whose bits differ between the plan and its kernels run one by one; empty if it moves data correctly.
  std::vector<std::string> planDifferences;
  /// Launches that nothing says what they should compute: tile programs without a reference.
  std::vector<std::string> unjudged;

  bool passed() const;
  double worstErrorOverBound() const;
  /// A line per kernel that failed or was not judged, then how many of all are within their bounds.
  std::string summary() const;
};

} // namespace kiln
