// Prints reports for people.
#include "compiler/kiln/Report.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>

using namespace kiln;

namespace {

std::string bytes(int64_t count) { return numberText(static_cast<double>(count), Unit::Bytes); }

std::string flops(double value) {
  const char *units[] = {"", "K", "M", "G", "T"};
  int unit = 0;
  while (value >= 9999.5 && unit < 4) value /= 1000, ++unit;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string place(const SourceLoc &where) {
  if (where.file.empty()) return "";
  size_t slash = where.file.find_last_of('/');
  return fmt::format("{}:{}", slash == std::string::npos ? where.file : where.file.substr(slash + 1), where.line);
}

/// "matmul addf gelu broadcast×2": the dialect says nothing a reader misses.
std::string opList(const KernelReport &kernel, size_t width) {
  std::string text;
  for (const auto &[op, count] : kernel.ops) {
    std::string name = op.substr(op.find('.') + 1);
    std::string next = count > 1 ? fmt::format("{} x{}", name, count) : name;
    if (text.size() + next.size() + 2 > width) return text + " ...";
    text += (text.empty() ? "" : ", ") + next;
  }
  return text;
}

const char *rowFormat = "{:<25} {:>4} {:>4} {:>10} {:>10} {:>8} {:>8}  {:<18} {}\n";

} // namespace

std::string Report::table() const {
  std::string text = fmt::format(fmt::runtime(rowFormat), "kernel", "runs", "ops", "before", "after", "FLOP", "FLOP/B",
                                 "computes", "ops absorbed");
  int64_t before = 0, after = 0;
  double work = 0;
  int runs = 0, ops = 0;
  for (const KernelReport &k : kernels) {
    int inside = 0;
    for (const auto &[op, count] : k.ops) inside += count;
    text +=
        fmt::format(fmt::runtime(rowFormat), k.symbol, k.launches, inside, bytes(k.bytesBefore), bytes(k.bytesAfter),
                    flops(k.flops), fmt::format("{:.2f}", k.intensity()), k.shape, opList(k, 60));
    before += k.bytesBefore * k.launches;
    after += k.bytesAfter * k.launches;
    work += k.flops * k.launches;
    runs += k.launches;
    ops += inside * k.launches;
  }
  double intensity = after ? work / static_cast<double>(after) : 0;
  text += fmt::format(fmt::runtime(rowFormat), fmt::format("{} kernels", kernels.size()), runs, ops, bytes(before),
                      bytes(after), flops(work), fmt::format("{:.2f}", intensity), "all launches", "");
  return text;
}

/// Decisions, pass by pass: what each is about, what was chosen and what was not; then how often each rule objected.
static std::string explainDecisions(const Report &report) {
  std::string text;
  auto subjectOf = [&](const DecisionSubject &s) {
    bool isLaunch = s.kernel >= 0 && s.kernel < static_cast<int>(report.launches.size());
    std::string kernel =
        isLaunch ? fmt::format("#{} {} ", s.kernel, report.launches[static_cast<size_t>(s.kernel)]) : "";
    return fmt::format("{}{} ({})", kernel, s.name, place(s.where));
  };
  for (auto at = report.decisions.begin(), end = at; at != report.decisions.end(); at = end) {
    end = std::find_if(at, report.decisions.end(), [&](const Decision &d) { return d.pass != at->pass; });
    text += fmt::format("\n{}: {} decisions\n", at->pass, end - at);
    std::map<std::string, int> totals;
    for (auto d = at; d != end; ++d) {
      std::string subject;
      for (const DecisionSubject &s : d->subject)
        subject += (subject.empty() ? "  " : " " + d->relation + " ") + subjectOf(s);
      text += fmt::format("{}\n    {}\n", subject, d->text());
      for (const DecisionOption &option : d->refused)
        if (!option.rule.empty()) ++totals[option.rule];
    }
    for (const auto &[rule, count] : totals) text += fmt::format("  {:<20} {:>5}\n", rule, count);
  }
  return text;
}

std::string Report::explain() const {
  std::string text = fmt::format("target {}, {}\n\n", target, fused ? "fused" : "one kernel per op") + table();
  text += explainDecisions(*this);
  for (const KernelReport &k : kernels)
    if (k.programs.size() > 1) {
      text += fmt::format("\n{} is {} launches with {} between them\n", k.symbol, k.programs.size(),
                          bytes(k.workspaceBytes));
      for (const LaunchReport &program : k.programs)
        text += fmt::format("  {} of {} CTAs\n", program.symbol, program.grid);
    }
  text += fmt::format("\nMemory\n  inputs     {:>10}\n  parameters {:>10}\n  constants  {:>10}\n  outputs    {:>10}\n"
                      "  arena      {:>10}   peak of all temporaries, which would be {} without sharing\n",
                      bytes(memory.inputs), bytes(memory.parameters), bytes(memory.constants), bytes(memory.outputs),
                      bytes(memory.arena), bytes(memory.temporaries));
  text += fmt::format("\nCompiled in {:.0f} ms on {} threads: graph {:.0f} ms, plan {:.0f} ms, kernels {:.0f} ms\n",
                      times.total * 1e3, times.threads, times.graph * 1e3, times.plan * 1e3, times.kernels * 1e3);
  return text;
}

bool CheckReport::passed() const {
  return planDifferences.empty() && std::all_of(kernels.begin(), kernels.end(), [](auto &k) { return k.passed; });
}

double CheckReport::worstErrorOverBound() const {
  double worst = 0;
  for (const KernelCheck &kernel : kernels) worst = std::max(worst, kernel.worstErrorOverBound);
  return worst;
}

std::string CheckReport::summary() const {
  std::string text;
  int failures = 0;
  for (const KernelCheck &k : kernels)
    if (!k.passed) {
      text += fmt::format("#{} {} output {}: {}\n", k.launch, k.symbol, k.output, k.summary);
      ++failures;
    }
  for (const std::string &difference : planDifferences) text += difference + "\n";
  for (const std::string &launch : unjudged) text += launch + "\n";
  text += fmt::format("{} of {} kernel outputs within their bounds, worst error over bound {:.3g}{}\n",
                      kernels.size() - failures, kernels.size(), worstErrorOverBound(),
                      planDifferences.empty() ? ", plan and kernels agree bit for bit" : "");
  return text;
}
