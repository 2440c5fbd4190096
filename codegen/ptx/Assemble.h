//===- Assemble.h - PTX to machine code, and what it takes of the hardware ----------------------------------------===//
//
// NVIDIA's assembler, where it is: the library nvJitLink, opened at run time, or the program ptxas. Neither is needed
// to run a kernel, since the driver assembles PTX too; they give machine code ahead of time and say what a kernel
// costs.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_PTX_ASSEMBLE_H
#define KILN_CODEGEN_PTX_ASSEMBLE_H

#include "runtime/KernelImage.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kiln::codegen {

/// Something the assembler remarks on a kernel.
struct AssemblerNote {
  std::string text;
  std::string file; ///< the place in the source that the PTX line it names was made for, if PTX and note say one
  int line = 0;     ///< 0: it is about the kernel
};

/// What the assembler says of one kernel.
struct AssembleReport {
  int registers = 0;                  ///< per thread
  int64_t spillBytes = 0;             ///< stored and loaded, per thread
  int64_t stackBytes = 0;             ///< per thread
  int64_t sharedBytes = 0;            ///< static, per CTA
  std::vector<AssemblerNote> remarks; ///< with a number C7xxx: an instruction could not be kept as written
};

struct AssembledKernel {
  CodeImage image; ///< a cubin
  AssembleReport report;
};

/// The assembler of this machine. All members may be called from several threads at once.
class Assembler {
public:
  virtual ~Assembler() = default;
  /// Assembles PTX for the target it names (or for `target`, if given: "sm_90a"). Fails with the assembler's words.
  virtual llvm::Expected<AssembledKernel> assemble(const CodeImage &ptx, const std::string &target = "") const = 0;
  /// "nvJitLink 13.0", "ptxas", "nvJitLink 13.0, ptxas".
  virtual std::string name() const = 0;

  /// nvJitLink if its library is found, ptxas if the program is on the path. With both, ptxas assembles what nvJitLink
  /// would slow down (warpgroup MMA, warpgroups that share registers unevenly), nvJitLink the rest. An error that says
  /// what was looked for where neither is.
  static llvm::Expected<std::shared_ptr<const Assembler>> find();
  /// The program ptxas, if it is on the path; what it makes and says of a kernel may differ from the library's.
  static llvm::Expected<std::shared_ptr<const Assembler>> findPtxas();
};

/// What an assembler's log says of the only kernel in it; `ptx`, with `.loc` directives, tells where its lines are
/// from.
AssembleReport readAssemblerLog(llvm::StringRef log, llvm::StringRef ptx = {});

} // namespace kiln::codegen

#endif
