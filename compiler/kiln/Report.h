// What compiling a graph came to: its kernels with what each absorbed and moves, the edges between them with the rule
// that kept them apart, where memory goes, and where time went. Plain data, with printers for people and programs.
#pragma once

#include "kiln/Error.h"

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

/// One distinct kernel. Bytes and FLOPs are those of one launch.
struct KernelReport {
  std::string symbol;                           ///< "matmul_0123456789abcdef"
  std::string kind;                             ///< "pointwise", "row", "column", "matmul", "custom"
  int launches = 0;                             ///< how many of the plan's launches run it
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

/// Two ops that could have shared a kernel and do not.
struct EdgeReport {
  std::string producer, consumer;               ///< ops: "math.exp"
  int producerKernel = -1, consumerKernel = -1; ///< launches, counted from 0 in program order
  SourceLoc producerWhere, consumerWhere;
  bool sibling = false;  ///< they share an input instead of being producer and consumer
  std::string rule;      ///< the rule's short name
  std::string reason;    ///< the rule with this case's numbers
  int64_t bytesKept = 0; ///< traffic that stays because they are apart
};

/// An operand whose rows do not start at 16 bytes, which a gpu reads slowly; of kernels without a matmul, a result,
/// too.
struct AlignmentReport {
  int kernel = -1;       ///< its launch, counted from 0 in program order
  int operand = 0;       ///< of the kernel, counted from 0
  bool isResult = false; ///< `operand` counts results
  std::string type;      ///< "1793x1793xbf16"
  SourceLoc where;       ///< of the kernel
  std::string by; ///< what is done: "copy" (a kernel pads it), "producer" (the kernel that computes it does), "shift"
                  ///< (whole words are accessed and shifted), "nothing" (narrow accesses)
  int64_t row = 0, paddedRow = 0; ///< elements from row to row, without and with padding
  double narrowSeconds = 0;       ///< predicted of the kernel with narrow accesses
  double shiftedSeconds = 0;      ///< and with shifted ones where they gain; 0 of a matmul
  double alignedSeconds = 0;      ///< and with padded rows; 0 of a result
  double copySeconds = 0;         ///< predicted of the copy; 0 where there is none to pay for
};

/// A call of a tile program.
struct ProgramReport {
  std::string program;    ///< its symbol
  SourceLoc where;        ///< of the call
  bool reference = false; ///< its reference is what runs
  std::string reason;     ///< why, of a reference
  std::string orderClass; ///< of a program, if the call names one
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
  std::vector<std::string> launches; ///< the symbol of every launch, in order
  std::vector<EdgeReport> edges;
  std::vector<AlignmentReport> alignments; ///< in program order; of gpu targets
  std::vector<ProgramReport> programs;     ///< calls of tile programs, in program order
  int opsInGraph = 0;                      ///< after decomposition
  MemoryReport memory;
  CompileTimes times;

  /// The kernels as a table for people, ending with totals.
  std::string table() const;
  /// The table, the edges, the memory and the times.
  std::string explain() const;
  /// All of it as JSON, `{"schema": 1, ...}`.
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
