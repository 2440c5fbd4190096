// kiln-run-programs FILE...: interprets tile programs on random inputs, in six launches each that differ in who goes
// first and when copies land, and prints a line for each: "FILE ends", or what went wrong and why. For programs whose
// results nobody knows: what must hold of any program is that it ends, without a fault, with the same bits each time.
#include "tests/numeric/HandPrograms.h"

#include "passes/interp/Compare.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace kiln;
using namespace kiln::numeric;

namespace {

/// Small, and no multiples of tiles; what copies by tensor maps have rows of is a multiple of 8, or of 16 where it may
/// be bytes.
Bindings extentsOf(const HandProgram &program) {
  static const Bindings known = {{"M", 131}, {"N", 264}, {"K", 208}, {"B", 2},   {"H", 1},
                                 {"S", 200}, {"D", 128}, {"Hq", 4},  {"Hkv", 2}, {"R", 50}};
  Bindings extents;
  for (const std::string &name : program.dims()) {
    auto at = known.find(name);
    extents[name] = at == known.end() ? 128 : at->second;
  }
  return extents;
}

const char *spell(HandRun::Outcome outcome) {
  static constexpr const char *kWords[] = {"ends", "faults", "refused", "endless"};
  return kWords[static_cast<int>(outcome)];
}

/// What became of a program, in words that start with one of "ends", "differs", "faults", "refused", "endless".
std::string outcomeOf(const std::string &text, const std::string &target) {
  constexpr int64_t kMostOps = 100000;
  auto context = makeContext();
  std::unique_ptr<HandProgram> program;
  try {
    program = std::make_unique<HandProgram>(*context, text, target);
    Bindings extents = extentsOf(*program);
    std::vector<HostTensor> inputs = program->makeInputs(extents, 5), first;
    for (uint64_t seed = 0; seed < 6; ++seed) {
      HandRun run = program->run(inputs, {.extents = extents,
                                          .sms = static_cast<int64_t>(1 + seed % 4),
                                          .seed = seed,
                                          .backwards = seed % 2 == 1,
                                          .mostOps = kMostOps});
      if (run.outcome != HandRun::Outcome::Ended)
        return fmt::format("{}: seed {}: {}", spell(run.outcome), seed, run.reason);
      if (seed == 0) first = run.results;
      for (size_t i = 0; i < first.size(); ++i)
        if (auto at = firstDifference(first[i], run.results[i], NaNs::AllEqual))
          return fmt::format("differs: seed {}: element {} of result {} is {:.9g}, and was {:.9g}", seed, *at, i,
                             run.results[i].get(*at), first[i].get(*at));
    }
  } catch (const std::exception &error) {
    return fmt::format("refused: {}", error.what());
  }
  return "ends";
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Interprets tile programs.");
  std::string target = "sm_90a";
  std::vector<std::string> files;
  app.add_option("--target", target, "A row of ir/target")->capture_default_str();
  app.add_option("file", files, "Each of one tile program")->required()->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  bool allEnd = true;
  for (const std::string &name : files) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    std::string outcome = outcomeOf(text.str(), target);
    allEnd &= outcome == "ends";
    std::printf("%s %s\n", name.c_str(), outcome.c_str());
    std::fflush(stdout);
  }
  return allEnd ? 0 : 4;
}
