// What a compiled graph is to the runtime: buffers, and the launches, copies and memsets to do in order. Plain structs.
// Every number is an expression over extents (runtime/Expr.h), so that run-time extents change nothing here.
#pragma once

#include "kiln/DType.h"
#include "kiln/HostTensor.h"
#include "runtime/Expr.h"
#include "runtime/TensorMap.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kiln {

/// The version of the structs below, written to every file; a reader refuses others.
inline constexpr int kLaunchPlanSchema = 2;

/// In a launch's grid: how many CTAs of its kernel the device runs at a time, a whole number of clusters. It is bound
/// on the device, so that no extent may have this name.
inline constexpr const char *kResidentCtas = "sms";

/// An index into LaunchPlan::buffers.
using BufferId = int32_t;
inline constexpr BufferId kNoBuffer = -1;

/// Where a buffer's memory comes from: the caller of each run (Input, Output), the load (Parameter: bound by name,
/// Constant: carried by the plan), or the run's arena (Temporary).
enum class BufferKind : uint8_t { Input, Parameter, Output, Constant, Temporary };
const char *name(BufferKind kind);

/// Steps firstStep .. lastStep inclusive; buffers that live outside the arena leave it at the whole plan.
struct Lifetime {
  int32_t firstStep = 0;
  int32_t lastStep = INT32_MAX;
};

struct PlanBuffer {
  BufferId id = kNoBuffer; ///< equal to its index
  std::string name;        ///< the user's name for inputs, outputs and parameters; else what it holds
  BufferKind kind = BufferKind::Temporary;
  DType dtype = DType::F32;
  std::vector<Expr> shape;
  std::vector<Expr> strides; ///< in elements; empty means dense row-major. Inputs and outputs are dense
  Expr bytes;                ///< from the first to behind the last byte, padding included
  Expr offset;               ///< Temporary: bytes from the arena's start, a multiple of 256. Alias: bytes from its root
  BufferId aliasOf = kNoBuffer; ///< this buffer is a part of that one (which is no alias itself); see verify()
  bool donated = false;         ///< Input: the plan may overwrite the caller's memory
  Lifetime lifetime;            ///< Temporary: when its bytes are in use
  HostTensor constant;          ///< Constant: the elements
};

/// What a kernel does to a buffer argument.
enum class Access : uint8_t { Read, Write, ReadWrite };
const char *name(Access access);

/// A pointer: `buffer` plus `offset` bytes.
struct BufferArg {
  BufferId buffer = kNoBuffer;
  Expr offset;
  Access access = Access::Read;
};

/// A tiled view of a buffer from which a device makes its 128-byte tensor map; the rules are those of TensorMapRecipe.
struct TensorMapArg {
  BufferId buffer = kNoBuffer;
  Expr offset; ///< bytes
  DType dtype = DType::F32;
  std::vector<Expr> extents; ///< elements, innermost last
  std::vector<Expr> strides; ///< elements, innermost last
  std::vector<int32_t> box;  ///< elements per copy, innermost last
  int32_t swizzleBytes = 0;  ///< 0, 32, 64 or 128
  int32_t l2Bytes = 0;       ///< 0, 64, 128 or 256: what the L2 cache fetches at once
  Access access = Access::Read;
};

/// An i64: an extent, a stride, a trip count.
struct ExprArg {
  Expr value;
};

/// A scalar of a dtype, by its bits in the low bytes.
struct ScalarArg {
  DType dtype = DType::F32;
  uint64_t bits = 0;
};

/// One kernel argument. The ABI's order is: buffers, then i64s and scalars, then tensor maps (verify() checks it).
using PlanArg = std::variant<BufferArg, ExprArg, ScalarArg, TensorMapArg>;

struct LaunchStep {
  std::string kernel;                                     ///< the kernel's symbol
  std::string target;                                     ///< "cpu", "sm_90a" ...
  std::string label;                                      ///< what it computes, for reports
  std::array<Expr, 3> grid = {Expr(1), Expr(1), Expr(1)}; ///< CTAs, may name `sms`; x runs fastest. 0: no launch
  Expr sharedBytes;                                       ///< dynamic shared memory per CTA
  Expr scratchBytes; ///< workspace per CTA in memory; the cpu gives each worker one
  std::array<int32_t, 3> cluster = {1, 1, 1};
  bool pdl = false; ///< may start before the previous launch ends (programmatic dependent launch)
  std::vector<PlanArg> args;
};

/// Copies `bytes` from src to dst, which do not overlap.
struct CopyStep {
  BufferArg src, dst;
  Expr bytes;
};

/// Sets `bytes` bytes at dst to `value`.
struct MemsetStep {
  BufferArg dst;
  Expr bytes;
  uint8_t value = 0;
};

using PlanStep = std::variant<LaunchStep, CopyStep, MemsetStep>;

/// A run-time extent; it is bound from the first input whose shape names it alone.
struct PlanExtent {
  std::string name;
  int64_t lower = 0; ///< inclusive
  int64_t upper = 0; ///< inclusive
};

struct LaunchPlan {
  int schema = kLaunchPlanSchema;
  std::string name;   ///< the entry's name
  std::string target; ///< the target its kernels were made for
  std::vector<PlanExtent> extents;
  std::vector<PlanBuffer> buffers;
  std::vector<BufferId> inputs;  ///< in the order of positional calls
  std::vector<BufferId> outputs; ///< in the order of results
  std::vector<PlanStep> steps;
  Expr arenaBytes; ///< the true peak of all temporaries together
};

/// Everything wrong with a plan, one sentence each; empty if it may run. Finds: ids out of range or not their index;
/// names missing or used twice among inputs, outputs, parameters; aliases of aliases or out of their root; an output
/// that aliases an input that is not donated; temporaries past the arena, misaligned, or overlapping while both live;
/// uses outside a lifetime; reads before any write; writes to parameters, constants or inputs not donated; copies,
/// memsets and offsets out of a buffer, copies onto themselves; bytes that do not hold the shape; negative numbers;
/// arguments out of the ABI's order; tensor maps that no hardware takes or that reach out of their buffer; an arena
/// larger than its temporaries need. Run-time extents are checked at their lower and upper bounds.
std::vector<std::string> verify(const LaunchPlan &plan);

/// The plan as JSON text, `{"schema": 2, ...}`; expressions as numbers or strings, constants by type only.
std::string toJson(const LaunchPlan &plan);

/// The plan that toJson() printed, but for the elements of its constants, which are empty: whoever keeps them puts them
/// back. Throws Error (invalid input) on anything else, naming the field; whether the plan is sound is verify()'s.
LaunchPlan planFromJson(std::string_view json);

/// The buffer arguments of a step with what it does to each: copies read src and write dst, whatever their access says.
std::vector<BufferArg> bufferArgs(const PlanStep &step);

/// A tensor map's recipe with its numbers under `extents`.
TensorMapRecipe recipeOf(const TensorMapArg &map, const Bindings &extents);

} // namespace kiln
