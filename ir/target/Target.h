//===- Target.h - what a kernel is made for: a row of Cpu.h or of Gpu.h -------------------------------------------===//
#ifndef KILN_IR_TARGET_TARGET_H
#define KILN_IR_TARGET_TARGET_H

#include "ir/target/Cpu.h"
#include "ir/target/Gpu.h"

#include <optional>
#include <variant>
#include <vector>

namespace kiln {

/// A target by its row. Whoever has rows of its own for a kind of target asks `cpu()` or `gpu()`; the other is null.
class Target {
public:
  Target(const CpuTarget &row) : row(&row) {}
  Target(const GpuTarget &row) : row(&row) {}

  const std::string &name() const { return cpu() ? cpu()->name : gpu()->name; }
  const CpuTarget *cpu() const { return std::holds_alternative<const CpuTarget *>(row) ? std::get<0>(row) : nullptr; }
  const GpuTarget *gpu() const { return std::holds_alternative<const GpuTarget *>(row) ? std::get<1>(row) : nullptr; }

private:
  std::variant<const CpuTarget *, const GpuTarget *> row; ///< rows live as long as the program
};

/// The target of that name; nullopt if no row has it.
std::optional<Target> findTarget(std::string_view name);
/// Every row's name, cpu first.
std::vector<std::string> targetNames();
/// What to say of a name that no row has: of a gpu, the nearest row whose code it runs (or that it is too old for any),
/// of other words the row that is spelt most like it. "the nearest is `sm_100`".
std::string nearestTarget(std::string_view name);

} // namespace kiln

#endif
