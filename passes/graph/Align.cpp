// graph-align: padded rows, where that is quicker than reading them as they are.
#include "passes/graph/Alignment.h"

#include "ir/layout/IndexMap.h"
#include "passes/cost/Matmul.h"
#include "passes/kernel/Family.h"
#include "passes/kernel/KernelChecks.h"

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

/// Strides of a tensor whose rows start at whole lines of memory; of short rows, at 16 bytes.
SmallVector<int64_t> paddedStrides(RankedTensorType type) {
  constexpr int64_t kLine = 128, kChunk = 16, kLongRow = 1024; // bytes
  SmallVector<int64_t> shape(type.getShape());
  int64_t bytes = tile::bytesOf(type.getElementType());
  int64_t unit = (shape.back() * bytes >= kLongRow ? kLine : kChunk) / bytes;
  shape.back() = llvm::divideCeil(shape.back(), unit) * unit;
  return layout::rowMajorStrides(shape);
}

/// What a kernel's family says of padding, under the kernel's schedule or, where it has none yet, under the quickest.
class PaddedKernel {
public:
  PaddedKernel(tiling::KernelCase kernel, const tiling::Family &family)
      : family(family), dense(std::move(kernel)), rows(unaligned(dense)) {}

  const tiling::Family &family;
  const tiling::KernelCase dense;
  /// Failure, with a diagnostic, where the schedule is none of the family's.
  const FailureOr<SmallVector<tiling::UnalignedRows>> rows;

  /// Seconds with some operands padded.
  double seconds(ArrayRef<Candidate> padded) const { return *family.seconds(with(padded), schedule()); }
  /// Whether padding leaves fewer of an operand's reads unaligned.
  bool helps(const Candidate &c) const {
    auto count = [&](const auto &found) {
      return llvm::count_if(*found, [&](auto &r) { return !r.isResult && r.index == c.input; });
    };
    return count(unaligned(with(c))) < count(rows);
  }

private:
  ScheduleAttr schedule() const { return KernelOp(dense.kernel).getScheduleAttr(); }
  FailureOr<SmallVector<tiling::UnalignedRows>> unaligned(const tiling::KernelCase &kernel) const {
    return family.unaligned(kernel, schedule());
  }
  tiling::KernelCase with(ArrayRef<Candidate> padded) const {
    tiling::KernelCase trial = dense;
    for (const Candidate &c : padded)
      trial.memory.inputs[KernelOp(trial.kernel).getBody().getArgument(c.input)].strides.assign(
          c.padded.getStrides().begin(), c.padded.getStrides().end());
    return trial;
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
  Aligner(func::FuncOp function, const Target &target) : function(function), target(target) {}

  LogicalResult run() {
    SmallVector<KernelOp> kernels;
    function.walk([&](KernelOp kernel) {
      if (!kernel.getCustom()) kernels.push_back(kernel);
    });
    // Rows of other kernels once it is known which results matmuls have padded.
    for (bool matmuls : {true, false})
      for (KernelOp kernel : kernels)
        if ((kernel.getKind() == kindName(KernelKind::Matmul)) == matmuls && failed(visit(kernel))) return failure();
    number(kernels);
    return success();
  }

  Alignment found;
  unsigned copies = 0, padded = 0;

private:
  func::FuncOp function;
  Target target;
  llvm::DenseMap<Value, Value> copyOf; ///< with padded rows
  SmallVector<KernelOp> kernelOf;      ///< of each decision

  LogicalResult visit(KernelOp kernel) {
    FailureOr<tiling::KernelCase> which = tiling::KernelCase::of(kernel, target);
    if (failed(which)) return failure();
    std::string reason;
    const tiling::Family *family = tiling::familyOf(*which, kernel.getScheduleAttr(), reason);
    if (!family || !family->unaligned) return success();
    PaddedKernel padded(std::move(*which), *family);
    if (failed(padded.rows)) return failure();
    if (padded.dense.form.kind == KernelKind::Matmul)
      align(kernel, padded);
    else if (!padded.rows->empty())
      alignRows(kernel, padded);
    return success();
  }

  void align(KernelOp kernel, const PaddedKernel &matmul) {
    SmallVector<Candidate> operands;
    for (const tiling::UnalignedRows &rows : *matmul.rows) {
      Value value = kernel.getInputs()[rows.index];
      Candidate c{rows.index, value, layoutOf(value, paddedStrides(cast<RankedTensorType>(value.getType())))};
      bool known = llvm::any_of(operands, [&](auto &other) { return other.input == c.input; });
      if (!known && matmul.helps(c)) operands.push_back(c);
    }
    if (operands.empty()) return;
    auto cost = [&](const Candidate &c) {
      bool isFree = isInternal(c.value) || copyOf.contains(c.value);
      return isFree ? 0 : cost::copySeconds(copyBytes(c.value, c.padded), *target.gpu());
    };
    auto seconds = [&](unsigned set) {
      SmallVector<Candidate> padded;
      for (auto [i, c] : llvm::enumerate(operands))
        if (set >> i & 1) padded.push_back(c);
      return matmul.seconds(padded);
    };
    unsigned best = 0;
    double bestSeconds = seconds(0);
    for (unsigned set = 1; set < 1u << operands.size(); ++set) {
      double all = seconds(set);
      for (auto [i, c] : llvm::enumerate(operands))
        if (set >> i & 1) all += cost(c);
      // What costs nothing is done where it does not hurt.
      if (all <= bestSeconds) best = set, bestSeconds = all;
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
      d.narrowSeconds = seconds(others);
      d.alignedSeconds = seconds(others | 1u << i);
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
  void alignRows(KernelOp kernel, const PaddedKernel &streams) {
    SmallVector<Candidate> toCopy;
    double seconds = streams.seconds({});
    for (const tiling::UnalignedRows &rows : *streams.rows) {
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
      d.shiftedSeconds = seconds;
      d.by = rows.shifted ? AlignedBy::Shift : AlignedBy::Nothing;
      if (!rows.isResult) {
        d.paddedStride = c.padded.getStrides()[type.getRank() - 2];
        d.alignedSeconds = streams.seconds(c);
        d.copySeconds = copyOf.contains(value) ? 0 : cost::copySeconds(copyBytes(value, c.padded), *target.gpu());
        if (d.alignedSeconds + d.copySeconds < seconds) d.by = AlignedBy::Copy, toCopy.push_back(c);
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
    Aligner aligner(getOperation(), *row);
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
