// graph-align: padded rows, where that is quicker than reading them as they are.
#include "passes/graph/Alignment.h"

#include "ir/layout/IndexMap.h"
#include "passes/cost/Matmul.h"
#include "passes/graph/RowAlignment.h"
#include "passes/kernel/KernelChecks.h"
#include "passes/tiling/sm80/MatmulSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln::graph {
#define GEN_PASS_DEF_ALIGN
#include "passes/graph/Passes.h.inc"

StringRef alignedByName(AlignedBy by) {
  static constexpr StringRef kNames[] = {"nothing", "producer", "copy", "shift"};
  return kNames[static_cast<int>(by)];
}

namespace {

LayoutAttr layoutOf(Value value, ArrayRef<int64_t> strides) {
  return LayoutAttr::get(value.getContext(), strides, 0, 256);
}

/// The layouts of a kernel's operands or results, dense where none is given.
SmallVector<Attribute> layoutsOf(ValueRange values, std::optional<ArrayAttr> given) {
  if (given) return SmallVector<Attribute>(given->getValue());
  return llvm::map_to_vector(values,
                             [](Value v) -> Attribute { return layoutOf(v, layout::rowMajorStrides(shapeOf(v))); });
}

void setInputLayout(KernelOp kernel, unsigned i, LayoutAttr layout) {
  SmallVector<Attribute> layouts = layoutsOf(kernel.getInputs(), kernel.getInputLayouts());
  layouts[i] = layout;
  kernel.setInputLayoutsAttr(ArrayAttr::get(kernel.getContext(), layouts));
}

void setResultLayout(KernelOp kernel, unsigned i, LayoutAttr layout) {
  SmallVector<Attribute> layouts = layoutsOf(kernel.getOutputs(), kernel.getResultLayouts());
  layouts[i] = layout;
  kernel.setResultLayoutsAttr(ArrayAttr::get(kernel.getContext(), layouts));
}

/// Whether a kernel of ours computes the value, for kernels alone: then it may lie anyhow.
bool isInternal(Value value) {
  auto lies = [](Operation *op) {
    auto kernel = dyn_cast_or_null<KernelOp>(op);
    return kernel && !kernel.getCustom(); // what a tile program reads and writes is dense
  };
  return lies(value.getDefiningOp()) && llvm::all_of(value.getUsers(), lies);
}

/// One operand that padding would make a source of asynchronous copies.
struct Candidate {
  unsigned input; ///< of the kernel
  Value value;    ///< outside
  LayoutAttr padded;
};

/// The operands of one matmul kernel, and what it takes with some of them padded.
class MatmulAlignment {
public:
  MatmulAlignment(KernelOp kernel, KernelForm form, const GpuTarget &target)
      : kernel(kernel), form(std::move(form)), memory(tiling::memoryOf(kernel, {})), target(target) {
    for (const tiling::sm80::MatmulOperand &operand : problem(0).operands) {
      auto argument = dyn_cast_or_null<BlockArgument>(operand.memory);
      if (!argument || operand.source) continue;
      auto type = cast<RankedTensorType>(argument.getType());
      unsigned input = argument.getArgNumber();
      if (type.getRank() < 2 || llvm::any_of(candidates, [&](auto &c) { return c.input == input; })) continue;
      candidates.push_back({input, kernel.getInputs()[input], layoutOf(argument, paddedStrides(type))});
      if (!helps(candidates.size() - 1)) candidates.pop_back();
    }
  }

  ArrayRef<Candidate> operands() const { return candidates; }
  /// Seconds of the matmul with the operands of the set `padded` (a bit each) padded.
  double seconds(unsigned padded) { return tiling::sm80::matmulSeconds(problem(padded), target); }

private:
  KernelOp kernel;
  KernelForm form;
  tiling::KernelMemory memory;
  const GpuTarget &target;
  SmallVector<Candidate> candidates;

  tiling::sm80::MatmulProblem problem(unsigned padded) {
    tiling::KernelMemory trial = memory;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (padded >> i & 1)
        trial.inputs[kernel.getBody().getArgument(candidate.input)].strides.assign(
            candidate.padded.getStrides().begin(), candidate.padded.getStrides().end());
    return tiling::sm80::matmulProblem(form, trial);
  }
  bool helps(unsigned candidate) {
    tiling::sm80::MatmulProblem trial = problem(1u << candidate);
    Value argument = kernel.getBody().getArgument(candidates[candidate].input);
    return llvm::any_of(trial.operands, [&](auto &operand) { return operand.memory == argument && operand.source; });
  }
};

/// Bytes that a copy of `value` into a layout reads and writes.
int64_t copyBytes(Value value, LayoutAttr padded) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = tile::bytesOf(type.getElementType());
  int64_t rows = type.getNumElements() / std::max<int64_t>(type.getShape().back(), 1);
  return (type.getNumElements() + rows * padded.getStrides()[type.getRank() - 2]) * bytes;
}

class Aligner {
public:
  Aligner(func::FuncOp function, const GpuTarget &target) : function(function), target(target) {}

  LogicalResult run() {
    SmallVector<KernelOp> kernels;
    function.walk([&](KernelOp kernel) {
      if (!kernel.getCustom()) kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels) {
      FailureOr<KernelForm> form = tiling::formOf(kernel);
      if (failed(form)) return failure();
      if (form->kind != KernelKind::Matmul) continue;
      if (getElementTypeOrSelf(form->matmul.getA().getType()).getIntOrFloatBitWidth() == 16 &&
          !llvm::is_contained(form->extents, 0))
        align(kernel, std::move(*form));
    }
    for (KernelOp kernel : kernels) // now that it is known which results are padded
      if (kernel.getKind() != kindName(KernelKind::Matmul)) alignRows(kernel, *tiling::formOf(kernel));
    number(kernels);
    return success();
  }

  Alignment found;
  unsigned copies = 0, padded = 0;

private:
  func::FuncOp function;
  const GpuTarget &target;
  llvm::DenseMap<Value, Value> copyOf; ///< with padded rows
  SmallVector<KernelOp> kernelOf;      ///< of each decision

  void align(KernelOp kernel, KernelForm form) {
    MatmulAlignment matmul(kernel, std::move(form), target);
    ArrayRef<Candidate> operands = matmul.operands();
    if (operands.empty()) return;
    auto cost = [&](const Candidate &c) {
      bool isFree = isInternal(c.value) || copyOf.contains(c.value);
      return isFree ? 0 : cost::copySeconds(copyBytes(c.value, c.padded), target);
    };
    unsigned best = 0;
    double bestSeconds = matmul.seconds(0);
    for (unsigned set = 1; set < 1u << operands.size(); ++set) {
      double seconds = matmul.seconds(set);
      for (auto [i, c] : llvm::enumerate(operands))
        if (set >> i & 1) seconds += cost(c);
      // What costs nothing is done where it does not hurt.
      if (seconds <= bestSeconds) best = set, bestSeconds = seconds;
    }
    SmallVector<Candidate> toCopy;
    for (auto [i, c] : llvm::enumerate(operands)) {
      bool chosen = best >> i & 1;
      unsigned others = best & ~(1u << i);
      AlignmentDecision d{kernel.getLoc()};
      d.operand = static_cast<int>(c.input);
      d.type = str(c.value.getType());
      d.by = !chosen ? AlignedBy::Nothing : isInternal(c.value) ? AlignedBy::Producer : AlignedBy::Copy;
      d.stride = shapeOf(c.value).back();
      d.paddedStride = c.padded.getStrides()[shapeOf(c.value).size() - 2];
      d.narrowSeconds = matmul.seconds(others);
      d.alignedSeconds = matmul.seconds(others | 1u << i);
      d.copySeconds = cost(c);
      found.decisions.push_back(d);
      kernelOf.push_back(kernel);
      if (d.by == AlignedBy::Copy && !copyOf.contains(c.value)) toCopy.push_back(c);
    }
    copy(kernel, toCopy);
    for (auto [i, c] : llvm::enumerate(operands))
      if (best >> i & 1) apply(kernel, c);
  }

  /// Of a kernel without a matmul. Shifting is its schedule's business; a copy is made here.
  void alignRows(KernelOp kernel, const KernelForm &form) {
    SmallVector<Candidate> toCopy;
    for (const UnalignedRows &rows : unalignedRows(kernel, form, target)) {
      Value value = rows.isResult ? Value(kernel.getOutputs()[rows.index]) : kernel.getInputs()[rows.index];
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getRank() < 2) continue; // one row, read from somewhere within
      Candidate c{rows.index, value, layoutOf(value, paddedStrides(type))};
      AlignmentDecision d{kernel.getLoc()};
      d.operand = static_cast<int>(rows.index);
      d.isResult = rows.isResult;
      d.type = str(type);
      d.stride = type.getShape().back();
      d.narrowSeconds = rows.narrowSeconds;
      d.shiftedSeconds = rows.bestSeconds;
      d.by = rows.shifted ? AlignedBy::Shift : AlignedBy::Nothing;
      if (!rows.isResult) {
        d.paddedStride = c.padded.getStrides()[type.getRank() - 2];
        d.alignedSeconds = rows.paddedSeconds;
        d.copySeconds = copyOf.contains(value) ? 0 : cost::copySeconds(copyBytes(value, c.padded), target);
        if (d.alignedSeconds + d.copySeconds < rows.bestSeconds) d.by = AlignedBy::Copy, toCopy.push_back(c);
      }
      found.decisions.push_back(d);
      kernelOf.push_back(kernel);
    }
    SmallVector<Candidate> isNew;
    for (const Candidate &c : toCopy)
      if (!copyOf.contains(c.value)) isNew.push_back(c);
    copy(kernel, isNew);
    for (const Candidate &c : toCopy) apply(kernel, c);
  }

  /// Copies operands before a kernel: those of one shape by one kernel.
  void copy(KernelOp before, ArrayRef<Candidate> operands) {
    OpBuilder b(before);
    llvm::MapVector<ArrayRef<int64_t>, SmallVector<Candidate>> byShape;
    for (const Candidate &c : operands) byShape[shapeOf(c.value)].push_back(c);
    for (auto &[shape, group] : byShape) {
      SmallVector<Value> values = llvm::map_to_vector(group, [](const Candidate &c) { return c.value; });
      SmallVector<Attribute> layouts =
          llvm::map_to_vector(group, [](const Candidate &c) -> Attribute { return c.padded; });
      OperationState state(before.getLoc(), KernelOp::getOperationName());
      state.addOperands(values);
      state.addTypes(ValueRange(values).getTypes());
      state.addAttribute("kind", b.getStringAttr(kindName(KernelKind::Pointwise)));
      state.addAttribute("result_layouts", b.getArrayAttr(layouts));
      state.addRegion();
      auto kernel = cast<KernelOp>(b.create(state));
      OpBuilder::InsertionGuard guard(b);
      SmallVector<Location> places(values.size(), before.getLoc());
      Block *body = b.createBlock(&kernel.getBody(), {}, ValueRange(values).getTypes(), places);
      YieldOp::create(b, before.getLoc(), body->getArguments());
      for (auto [c, result] : llvm::zip(group, kernel.getOutputs())) copyOf[c.value] = result;
      ++copies;
    }
  }

  void apply(KernelOp kernel, const Candidate &c) {
    if (Value copied = copyOf.lookup(c.value)) {
      kernel.getInputsMutable()[c.input].set(copied);
      return setInputLayout(kernel, c.input, c.padded);
    }
    auto result = cast<OpResult>(c.value);
    setResultLayout(cast<KernelOp>(result.getOwner()), result.getResultNumber(), c.padded);
    for (OpOperand &use : c.value.getUses())
      setInputLayout(cast<KernelOp>(use.getOwner()), use.getOperandNumber(), c.padded);
    ++padded;
  }

  /// Says which launch is which, now that there are copies.
  void number(ArrayRef<KernelOp> before) {
    llvm::DenseMap<Operation *, int> launch;
    int next = 0;
    function.walk([&](KernelOp kernel) { launch[kernel] = next++; });
    for (KernelOp kernel : before) found.launchOf.push_back(launch[kernel]);
    for (auto [decision, kernel] : llvm::zip(found.decisions, kernelOf)) decision.kernel = launch[kernel];
    auto place = [](const AlignmentDecision &d) { return std::tuple(d.kernel, d.isResult, d.operand); };
    llvm::sort(found.decisions, [&](auto &l, auto &r) { return place(l) < place(r); });
  }
};

/// Of a kernel without a matmul.
void remarkRows(const AlignmentDecision &d) {
  emitRemark(d.where) << fmt::format(
      "{} {} ({}), rows of {}: {}; {:.1f} us with narrow accesses, {:.1f} us with what gains by it shifted{}",
      d.isResult ? "result" : "operand", d.operand, d.type, d.stride,
      d.by == AlignedBy::Shift  ? "shifted"
      : d.by == AlignedBy::Copy ? "copied"
                                : "narrow accesses",
      d.narrowSeconds * 1e6, d.shiftedSeconds * 1e6,
      d.isResult ? ""
                 : fmt::format(", {:.1f} us with rows of {} behind a copy of {:.1f} us", d.alignedSeconds * 1e6,
                               d.paddedStride, d.copySeconds * 1e6));
}

void remark(const AlignmentDecision &d) {
  if (d.shiftedSeconds > 0) return remarkRows(d);
  emitRemark(d.where) << fmt::format(
      "operand {} ({}), rows of {}: {}; {:.1f} us as it is, {:.1f} us with rows of {}{}", d.operand, d.type, d.stride,
      d.by == AlignedBy::Nothing ? "read as it is"
      : d.by == AlignedBy::Copy  ? "copied"
                                 : "padded where it is computed",
      d.narrowSeconds * 1e6, d.alignedSeconds * 1e6, d.paddedStride,
      d.copySeconds > 0 ? fmt::format(" behind a copy of {:.1f} us", d.copySeconds * 1e6) : "");
}

struct Align : impl::AlignBase<Align> {
  using AlignBase::AlignBase;
  Align(const AlignOptions &options, Alignment *alignment) : AlignBase(options), alignment(alignment) {}

  void runOnOperation() override {
    FailureOr<Target> row = tiling::targetNamed(getOperation(), target);
    if (failed(row)) return signalPassFailure();
    if (!row->gpu()) return;
    Aligner aligner(getOperation(), *row->gpu());
    if (failed(aligner.run())) return signalPassFailure();
    numCopies += aligner.copies;
    numPadded += aligner.padded;
    for (const AlignmentDecision &decision : aligner.found.decisions)
      if (explain) remark(decision);
    if (alignment) *alignment = std::move(aligner.found);
  }

private:
  Alignment *alignment = nullptr;
};
} // namespace

std::unique_ptr<Pass> createAlignPass(const AlignOptions &options, Alignment *alignment) {
  return std::make_unique<Align>(options, alignment);
}

} // namespace kiln::graph
