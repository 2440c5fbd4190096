// graph-align: padded rows, where that is quicker than reading them as they are.
#include "passes/graph/Passes.h"

#include "ir/layout/IndexMap.h"
#include "passes/Decisions.h"
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

  /// Pads what gains; renumbers what earlier passes decided, which may be null.
  LogicalResult run(Decisions *earlier) {
    SmallVector<KernelOp> kernels;
    function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    // Rows of other kernels once it is known which results matmuls have padded.
    for (bool matmuls : {true, false})
      for (KernelOp kernel : kernels)
        if ((kernel.getKind() == kindName(KernelKind::Matmul)) == matmuls && failed(visit(kernel))) return failure();
    number(kernels, earlier);
    return success();
  }

  Decisions decisions; ///< in program order
  unsigned copies = 0, padded = 0;

private:
  func::FuncOp function;
  Target target;
  llvm::DenseMap<Value, Value> copyOf; ///< with padded rows
  /// What was decided of one operand or result of a kernel.
  struct Found {
    KernelOp kernel;
    bool isResult;
    unsigned index;
    Decision decision;
  };
  std::vector<Found> found;

  /// Adds the decision for `chosen` among `options`.
  void decide(KernelOp kernel, bool isResult, unsigned index, Type type, std::vector<DecisionOption> options,
              size_t chosen) {
    Decision decision{
        "graph-align",
        {{fmt::format("{} {}, {}", isResult ? "result" : "operand", index, str(type)), sourceOf(kernel.getLoc())}}};
    decision.chosen = options[chosen];
    options.erase(options.begin() + static_cast<ptrdiff_t>(chosen));
    decision.refused = std::move(options);
    found.push_back({kernel, isResult, index, std::move(decision)});
  }
  /// Of rows of so many elements; behind a copy, if that takes time.
  static DecisionOption optionOf(std::string name, double row, double seconds, double copySeconds = 0) {
    DecisionOption option{std::move(name), "", "", {{"row", row}, {"time", seconds, Unit::Seconds}}};
    if (copySeconds > 0) option.numbers.push_back({"copy", copySeconds, Unit::Seconds});
    return option;
  }

  LogicalResult visit(KernelOp kernel) {
    if (kernel.getCustom()) return success();
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
      auto row = static_cast<double>(shapeOf(c.value).back()),
           paddedRow = static_cast<double>(c.padded.getStrides()[shapeOf(c.value).size() - 2]);
      bool internal = isInternal(c.value);
      decide(kernel, false, c.input, c.value.getType(),
             {optionOf("as it is", row, seconds(others)),
              optionOf(internal ? "padded by its producer" : "copied", paddedRow, seconds(others | 1u << i), cost(c))},
             chosen);
      if (chosen && !internal && !copyOf.contains(c.value)) toCopy.push_back(c);
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
      auto row = static_cast<double>(type.getShape().back());
      std::vector<DecisionOption> options = {optionOf("narrow accesses", row, rows.narrowSeconds),
                                             optionOf("shifted", row, seconds)};
      size_t chosen = rows.shifted;
      if (!rows.isResult) {
        auto paddedRow = static_cast<double>(c.padded.getStrides()[type.getRank() - 2]);
        double aligned = streams.seconds(c);
        double copied = copyOf.contains(value) ? 0 : cost::copySeconds(copyBytes(value, c.padded), *target.gpu());
        options.push_back(optionOf("copied", paddedRow, aligned, copied));
        if (aligned + copied < seconds) chosen = 2, toCopy.push_back(c);
      }
      decide(kernel, rows.isResult, rows.index, type, std::move(options), chosen);
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
  void number(ArrayRef<KernelOp> before, Decisions *earlier) {
    llvm::DenseMap<Operation *, int> launch;
    int next = 0;
    function.walk([&](KernelOp kernel) { launch[kernel] = next++; });
    if (earlier)
      renumberKernels(*earlier, llvm::map_to_vector(before, [&](KernelOp kernel) { return launch[kernel]; }));
    llvm::sort(found, [&](const Found &l, const Found &r) {
      return std::tuple(launch[l.kernel], l.isResult, l.index) < std::tuple(launch[r.kernel], r.isResult, r.index);
    });
    for (Found &f : found) {
      f.decision.subject.front().kernel = launch[f.kernel];
      decisions.push_back(std::move(f.decision));
    }
  }
};

struct Align : impl::AlignBase<Align>, Reporting {
  using AlignBase::AlignBase;

  void runOnOperation() override {
    FailureOr<Target> row = tiling::targetNamed(getOperation(), target);
    if (failed(row)) return signalPassFailure();
    if (!row->gpu()) return;
    Aligner aligner(getOperation(), *row);
    if (failed(aligner.run(sink))) return signalPassFailure();
    numCopies += aligner.copies;
    numPadded += aligner.padded;
    tell(std::move(aligner.decisions), explain, &getContext());
  }
};
} // namespace

} // namespace kiln::graph
