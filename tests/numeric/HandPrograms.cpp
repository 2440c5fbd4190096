#include "tests/numeric/HandPrograms.h"

#include "compiler/Pipeline.h"
#include "ir/DTypes.h"
#include "ir/graph/Programs.h"
#include "ir/tile/Arguments.h"
#include "tests/numeric/Inputs.h"
#include "tests/numeric/tiles/Machine.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

HandProgram::HandProgram(MLIRContext &context, const std::string &text, const std::string &target,
                         const TileEdit &edit) {
  Diagnostics diagnostics(context);
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module) throw std::runtime_error("no module:\n" + diagnostics.text);
  if (llvm::range_size(module->getOps<tile::KernelOp>()) != 1) throw std::runtime_error("not one tile program");
  auto read = graph::programOf(op(), op().getLoc());
  if (failed(read)) throw std::runtime_error(diagnostics.text);
  numInputs = read->numInputs;
  PipelineOptions options{.target = targetOf({.target = target})};
  if (failed(runLevel({"tile", addProgramPasses}, *module, options, nullptr)))
    throw std::runtime_error(diagnostics.text);
  if (edit && !edit(*module)) throw std::runtime_error("nothing to change");
}

std::vector<std::string> HandProgram::dims() const {
  std::set<std::string> names;
  for (unsigned i = 0; i < op().getArgumentTypes().size(); ++i)
    for (StringRef name : tile::dimsOf(op(), i))
      if (!tile::knownExtent(op(), name)) names.insert(name.str());
  return {names.begin(), names.end()};
}

std::vector<int64_t> HandProgram::shapeOf(unsigned argument, const Bindings &extents) const {
  SmallVector<StringRef> names = tile::dimsOf(op(), argument);
  std::vector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(cast<tile::GlobalType>(op().getArgumentTypes()[argument]).getShape())) {
    auto bound = d < names.size() ? extents.find(names[d].str()) : extents.end();
    if (ShapedType::isDynamic(extent) && bound == extents.end())
      throw std::runtime_error("nothing binds an extent of an argument");
    shape.push_back(ShapedType::isDynamic(extent) ? bound->second : extent);
  }
  return shape;
}

DType HandProgram::dtypeOf(unsigned argument) const {
  std::optional<DType> dtype = ir::dtypeOf(cast<tile::GlobalType>(op().getArgumentTypes()[argument]).getElementType());
  if (!dtype) throw std::runtime_error("an argument whose elements no tensor has");
  return *dtype;
}

std::vector<HostTensor> HandProgram::makeInputs(const Bindings &extents, uint64_t seed) const {
  std::vector<HostTensor> inputs;
  for (unsigned i = 0; i < numInputs; ++i)
    inputs.push_back(isFloat(dtypeOf(i)) ? HostTensor::randomNormal(shapeOf(i, extents), dtypeOf(i), seed * 97 + i)
                                         : makeInput(shapeOf(i, extents), dtypeOf(i), Flavour::Normal, seed * 97 + i));
  return inputs;
}

/// The bits of a scalar argument.
static uint64_t bitsOf(Type type, double value) {
  return isa<FloatType>(type) ? tiles::encode(type, value) : static_cast<uint64_t>(static_cast<int64_t>(value));
}

HandRun HandProgram::run(std::span<const HostTensor> inputs, const HandLaunch &launch) const {
  HandRun run;
  std::vector<std::vector<std::byte>> memory;
  for (const HostTensor &input : inputs) memory.emplace_back(input.bytes().begin(), input.bytes().end());
  tiles::Launch passed{.extents = launch.extents,
                       .sms = launch.sms,
                       .seed = launch.seed,
                       .mostOps = launch.mostOps,
                       .readsGarbage = true};
  for (unsigned i = 0; i < op().getArgumentTypes().size(); ++i) {
    Type type = op().getArgumentTypes()[i];
    auto name = op().getArgAttrOfType<StringAttr>(i, "tile.name");
    auto scalar = launch.scalars.find(name ? name.str() : "");
    if (!isa<tile::GlobalType>(type)) {
      if (scalar != launch.scalars.end()) passed.scalars[i] = bitsOf(type, scalar->second);
    } else if (i >= numInputs) {
      run.results.push_back(HostTensor::uninitialized(shapeOf(i, launch.extents), dtypeOf(i)));
      memory.emplace_back(run.results.back().byteSize(), std::byte(launch.seed % 2 ? 0xA5 : 0xFF));
    }
  }
  passed.memory.assign(memory.begin(), memory.end());
  try {
    tiles::Machine machine(op(), passed);
    for (int64_t c = 0; c < machine.clusters(); ++c) machine.run(launch.backwards ? machine.clusters() - 1 - c : c);
  } catch (const tiles::Refused &refused) {
    run = {HandRun::Outcome::Refused, refused.what(), std::move(run.results)};
  } catch (const tiles::Endless &endless) {
    run = {HandRun::Outcome::Endless, endless.what(), std::move(run.results)};
  } catch (const tiles::Fault &fault) {
    run = {HandRun::Outcome::Fault, fault.what(), std::move(run.results)};
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory[i].empty()) continue;
    if (i >= inputs.size())
      std::memcpy(run.results[i - inputs.size()].raw(), memory[i].data(), memory[i].size());
    else if (std::memcmp(memory[i].data(), inputs[i].raw(), memory[i].size()) != 0)
      run = {HandRun::Outcome::Fault, "wrote to an input", std::move(run.results)};
  }
  return run;
}
