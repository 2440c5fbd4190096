// kiln-kernel-code --target ROW save KERNELS: the text of every distinct kernel of the numeric cases, as tiling gets
// it. kiln-kernel-code --target ROW make KERNELS CODE: the code that this build makes of each. same_code.py compares
// builds.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/OpCases.h"

#include "codegen/Backend.h"
#include "compiler/Pipeline.h"
#include "ir/tile/Tile.h"
#include "tests/fuzz/RandomGraph.h"

#include "mlir/Parser/Parser.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

constexpr const char *kSeparator = "//--- kernel\n";

/// Keeps kernels' texts, and makes nothing of them.
class Texts final : public Executor {
public:
  void makeCode(ModuleOp, BuiltKernel &built) override { all.insert(built.text); }
  KernelRun run(graph::KernelOp, const BuiltKernel &, std::span<const HostTensor>) override { return {}; }
  std::shared_ptr<Device> device() override { return nullptr; }

  std::set<std::string> all;
};

std::set<std::string> kernelsOfTheCases(const std::string &target) {
  GraphRunner runner;
  runner.options.target = target;
  auto owned = std::make_unique<Texts>();
  Texts &texts = *owned;
  runner.runner().setExecutor(runner.options, std::move(owned));
  auto add = [&](const Graph &graph) {
    for (bool fuse : {true, false}) {
      KernelGraph cut = runner.cut(graph.mlir(), fuse);
      cut.function().walk([&](graph::KernelOp kernel) { runner.runner().build(kernel, runner.options); });
    }
  };
  for (auto family : {elementwiseCases, broadcastCases, moveCases, reduceCases, compositeCases, matmulCases})
    for (const OpCase &opCase : family()) {
      Graph graph;
      opCase.build(graph);
      add(graph);
    }
  for (uint64_t seed = 1; seed <= 40; ++seed) add(fuzz::makeRandomGraph(seed, {.anchored = seed % 2 == 0}).graph);
  return std::move(texts.all);
}

/// The bytes of an image, its symbol replaced by `_`; of a host's, in hexadecimal, with what is filled in at load time.
std::string printed(const KernelImage &image) {
  if (const auto *code = std::get_if<CodeImage>(&image)) {
    std::string text(code->code.begin(), code->code.end());
    for (size_t at; (at = text.find(code->symbol)) != std::string::npos;) text.replace(at, code->symbol.size(), "_");
    return text;
  }
  const HostCodeImage &code = *std::get<HostKernelImage>(image).code;
  std::string text = fmt::format("entry {}\n", code.entry);
  for (const HostCodeImage::Import &import : code.imports)
    text += fmt::format("{} {}\n", import.function, import.offset);
  for (uint64_t offset : code.relocations) text += fmt::format("{}\n", offset);
  for (unsigned char byte : code.code) text += fmt::format("{:02x}", byte);
  return text + "\n";
}

/// The code of all programs that a module's kernel becomes; what was refused says why.
std::string codeOf(const std::string &text, MLIRContext &context, const Target &target,
                   const codegen::Backend &backend) {
  Diagnostics diagnostics(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PipelineOptions options{.target = target};
  bool isProgram = module && module->getOps<func::FuncOp>().empty();
  Level level = isProgram ? Level{"tile", addProgramPasses} : kTileLevel;
  if (!module || failed(runLevel(level, *module, options, nullptr)) ||
      failed(runLevel(kThreadLevel, *module, options, nullptr)))
    return "refused: " + diagnostics.text;
  std::string code;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal()) continue;
    auto image = backend.compile(function);
    code += image ? printed(*image) : "refused: " + llvm::toString(image.takeError()) + "\n";
  }
  return code;
}

std::vector<std::string> readKernels(const std::string &path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  std::vector<std::string> kernels;
  for (size_t at = 0, end; at < text.size(); at = end + std::strlen(kSeparator)) {
    end = text.find(kSeparator, at);
    if (end == std::string::npos) end = text.size();
    kernels.push_back(text.substr(at, end - at));
  }
  return kernels;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Kernels of the numeric cases, and the code that this build makes of them.");
  std::string target, kernels, code;
  app.add_option("--target", target, "A row of ir/target")->required()->check(CLI::IsMember(targetNames()));
  app.require_subcommand(1);
  CLI::App *save = app.add_subcommand("save", "Write the kernels' texts"),
           *make = app.add_subcommand("make", "Write their code");
  for (CLI::App *command : {save, make}) command->add_option("kernels", kernels, "Texts of kernels")->required();
  make->add_option("code", code, "What they become")->required();
  CLI11_PARSE(app, argc, argv);
  if (*save) {
    std::ofstream file(kernels);
    for (const std::string &text : kernelsOfTheCases(target)) file << text << '\n' << kSeparator;
    return file.good() ? 0 : 1;
  }
  auto backend = codegen::makeBackend(*findTarget(target), codegen::JitEffort::Full, codegen::CodeFor::AnyOfTarget);
  if (!backend) return std::fprintf(stderr, "%s\n", llvm::toString(backend.takeError()).c_str()), 1;
  auto context = makeContext();
  std::ofstream file(code);
  for (const std::string &text : readKernels(kernels))
    file << codeOf(text, *context, *findTarget(target), **backend) << kSeparator;
  return file.good() ? 0 : 1;
}
