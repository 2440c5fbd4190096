#include "tests/numeric/tiles/Machine.h"

#include "ir/DTypes.h"
#include "ir/layout/IndexMap.h"
#include "ir/tile/Arguments.h"
#include "runtime/LaunchPlan.h"

#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>
#include <kiln/Error.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

//===- The program ------------------------------------------------------------------------------------------------===//

const Row *kiln::numeric::tiles::findRow(StringRef op) {
  static const llvm::StringMap<const Row *> all = [] {
    llvm::StringMap<const Row *> map;
    for (llvm::ArrayRef<Row> part :
         {elementwiseRows(), memoryRows(), fragmentRows(), partRows(), ringRows(), bulkRows(), wgmmaRows(), roleRows()})
      for (const Row &row : part) map[row.op] = &row;
    return map;
  }();
  return all.lookup(op);
}

const Row &Program::rowOf(Operation *op) {
  const Row *&row = rows[op];
  if (!row) row = findRow(op->getName().getStringRef());
  if (!row) throw Fault("the interpreter of tile programs has no row for '" + op->getName().getStringRef().str() + "'");
  return *row;
}

void Program::count() {
  if (++ops > launch.mostOps) throw Endless(fmt::format("more than {} ops are run", launch.mostOps));
}

int64_t Program::extentOf(StringRef name) const {
  if (std::optional<int64_t> known = tile::knownExtent(op, name)) return *known;
  auto bound = launch.extents.find(name.str());
  if (bound == launch.extents.end()) throw Refused("nothing binds the extent " + name.str());
  return bound->second;
}

/// Where a launch says it, memory is dense.
int64_t Program::strideOf(unsigned argument, unsigned dim) const {
  tile::StrideSource source = tile::strideOf(op, argument, dim);
  if (source.isParameter) llvm::append_range(source.extents, llvm::drop_begin(tile::dimsOf(op, argument), dim + 1));
  int64_t stride = source.factor;
  for (StringRef name : source.extents) stride *= extentOf(name);
  return stride;
}

std::pair<SmallVector<int64_t>, SmallVector<int64_t>> Program::tensorOf(unsigned argument,
                                                                        ArrayRef<std::string> view) const {
  SmallVector<int64_t> extents, strides;
  if (view.empty()) {
    SmallVector<StringRef> names = tile::dimsOf(op, argument);
    for (auto [d, extent] :
         llvm::enumerate(cast<tile::GlobalType>(tile::KernelOp(op).getArgumentTypes()[argument]).getShape())) {
      extents.push_back(ShapedType::isDynamic(extent) ? extentOf(names[d]) : extent);
      strides.push_back(strideOf(argument, static_cast<unsigned>(d)));
    }
    return {extents, strides};
  }
  for (const std::string &text : view) {
    Expr extent = Expr::parse(text);
    Bindings bindings;
    for (const std::string &name : extent.extents()) bindings[name] = extentOf(name);
    extents.push_back(extent.evaluate(bindings));
  }
  return {extents, layout::rowMajorStrides(extents)};
}

//===- The launch -------------------------------------------------------------------------------------------------===//

/// What a launch checks of the tensor map of a recipe.
static void checkMap(Program &program, const tile::MapRecipe &map) {
  auto type = cast<tile::GlobalType>(program.op.getArgumentTypes()[map.argument]);
  std::optional<DType> dtype = ir::dtypeOf(type.getElementType());
  TensorMapRecipe recipe{.dtype = dtype.value_or(DType::F32),
                         .swizzleBytes = static_cast<int32_t>(map.swizzle),
                         .l2Bytes = static_cast<int32_t>(map.l2)};
  recipe.box.assign(map.box.begin(), map.box.end());
  auto [extents, strides] = program.tensorOf(map.argument, map.view);
  recipe.extents.assign(extents.begin(), extents.end());
  recipe.strides.assign(strides.begin(), strides.end());
  bool isEmpty = llvm::is_contained(extents, 0);
  std::optional<TensorMapFault> fault = faultOfForm(recipe);
  if (!fault && !isEmpty) fault = faultOfTensor(recipe, 0);
  if (fault) throw Refused(fmt::format("argument {}: {}", map.argument, fault->toString()));
}

/// Rows start where `tile.aligned` says.
static void checkAligned(Program &program, unsigned argument) {
  auto aligned = program.op.getArgAttrOfType<IntegerAttr>(argument, tile::kAligned);
  auto memory = dyn_cast<tile::GlobalType>(program.op.getArgumentTypes()[argument]);
  if (!aligned || !memory) return;
  for (unsigned d = 0; d + 1 < memory.getShape().size(); ++d)
    if (int64_t stride = program.strideOf(argument, d); stride % aligned.getInt() != 0)
      throw Refused(fmt::format("argument {} has a stride of {}, which is no multiple of {}", argument, stride,
                                aligned.getInt()));
}

static int64_t gridOf(Program &program) {
  if (!program.op.getGridOf()) return static_cast<int64_t>(program.op.getGrid().value_or(0));
  Bindings bindings = program.launch.extents;
  bindings[kResidentCtas] = program.launch.sms / program.cluster * program.cluster;
  try {
    return Expr::parse(program.op.getGridOf()->str()).evaluate(bindings);
  } catch (const Error &error) {
    throw Refused(error.what());
  }
}

Machine::Machine(tile::KernelOp op, Launch launch) : program(op, std::move(launch)) {
  program.cluster = static_cast<int64_t>(op.getCluster().value_or(1));
  for (const tile::KernelArgument &argument : tile::argumentsOf(op))
    if (argument.kind == tile::KernelArgument::Kind::Map) checkMap(program, argument.map);
  for (unsigned i = 0; i < op.getArgumentTypes().size(); ++i) checkAligned(program, i);
  program.grid = gridOf(program);
  if (program.grid % program.cluster != 0)
    throw Refused(fmt::format("a grid of {} CTAs, in clusters of {}", program.grid, program.cluster));
}

void Machine::run(int64_t number) {
  program.ops = 0;
  Cluster(program, number * program.cluster).run();
}

//===- A cluster --------------------------------------------------------------------------------------------------===//

Cluster::Cluster(Program &program, int64_t first)
    : program(program), adversary(program.launch.seed + static_cast<uint64_t>(first) * 3), meeting(program.cluster) {
  for (int64_t rank = 0; rank < program.cluster; ++rank)
    ctas.push_back(std::make_unique<Cta>(*this, first + rank, rank));
}

bool Cluster::advance() {
  std::vector<Agent *> agents;
  for (auto &cta : ctas)
    for (auto &agent : cta->agents)
      if (!agent->isDone()) agents.push_back(agent.get());
  if (agents.empty()) return false;
  for (size_t i : adversary.orderOf(agents.size())) {
    Agent *agent = agents[i];
    if (!agent->advance()) continue;
    if (agent->isDone() && agent == agent->cta.agents.front().get()) agent->cta.end();
    (void)adversary.land(/*must=*/false);
    return true;
  }
  if (adversary.land(/*must=*/true)) return true;
  reportDeadlock();
}

void Cluster::run() {
  while (advance()) {
  }
  while (adversary.land(/*must=*/true)) {
  }
}

void Cluster::reportDeadlock() {
  std::string text = "nobody can go on";
  for (auto &cta : ctas)
    for (auto &agent : cta->agents)
      if (!agent->isDone())
        text += fmt::format("\n  CTA {}{}{} waits for {}", cta->number, agent->name.empty() ? "" : ", ", agent->name,
                            agent->waitsFor());
  throw Fault(text);
}

//===- A CTA ------------------------------------------------------------------------------------------------------===//

static Ring makeRing(Accesses &accesses, tile::AllocRingOp alloc, int64_t cta, int64_t cluster) {
  tile::RingType type = alloc.getRing().getType();
  auto readers = static_cast<int64_t>(*alloc.getReaders());
  Ring ring{type, readers, alloc.getMulticast(), {}, {}};
  for (int64_t s = 0; s < type.getStages(); ++s) {
    int copies = accesses.add(fmt::format("a copy to slot {} of a ring of CTA {}", s, cta), /*asynchronous=*/true);
    ring.full.emplace_back(fmt::format("slot {}'s full barrier", s), 1, copies);
    ring.empty.emplace_back(fmt::format("slot {}'s empty barrier", s), readers * (ring.multicast ? cluster : 1),
                            accesses.add("nobody", /*asynchronous=*/true));
  }
  return ring;
}

Cta::Cta(Cluster &cluster, int64_t number, int64_t rank)
    : cluster(cluster), number(number), rank(rank),
      shared(static_cast<int64_t>(cluster.program.op.getSharedBytes().value_or(0)), cluster.accesses,
             fmt::format("shared memory of CTA {}", number)) {
  tile::KernelOp program = cluster.program.op;
  if (cluster.program.launch.readsGarbage) shared.allowGarbage(cluster.adversary.garbage());
  program.walk([&](Operation *op) {
    if (auto ring = dyn_cast<tile::AllocRingOp>(op); ring && ring.getReaders())
      rings.try_emplace(op, makeRing(cluster.accesses, ring, number, cluster.program.cluster));
    if (auto alloc = dyn_cast<tile::AllocTurnsOp>(op)) turns.try_emplace(op, alloc.getTurns().getType().getGroups());
  });
  auto warps = static_cast<int>(program.getThreads().value_or(32) / 32);
  agents.push_back(std::make_unique<Agent>(*this, "", 0, warps, -1));
  agents.front()->enterKernel(program);
}

void Cta::part(tile::SpecializeOp roles) {
  constexpr int kGroup = 4; // warps
  Agent &whole = *agents.front();
  Clock before = whole.leave();
  auto add = [&](std::string name, int firstWarp, int warps, int64_t consumer, Region &region) {
    agents.push_back(std::make_unique<Agent>(*this, std::move(name), firstWarp, warps, consumer));
    agents.back()->see(before);
    auto argument = consumer < 0 ? std::optional<uint64_t>() : static_cast<uint64_t>(consumer);
    agents.back()->enter(region.front(), agents.front().get(), argument);
  };
  add("producer", 0, 1, -1, roles.getProducer());
  auto consumers = static_cast<int64_t>(roles.getConsumers());
  for (int64_t c = 0; c < consumers; ++c)
    add(fmt::format("consumer {}", c), static_cast<int>(c + 1) * kGroup, kGroup, c, roles.getConsumer());
  for (auto &[op, one] : turns) one.pass(0, Clock()); // consumer 0 has the first
}

bool Cta::haveRolesEnded() const {
  return llvm::all_of(llvm::drop_begin(agents), [](auto &agent) { return agent->isDone(); });
}

void Cta::end() {
  Clock all;
  for (auto &agent : agents) {
    all.join(agent->leave());
    for (auto &write : agent->writes) write();
    agent->writes.clear();
  }
  shared.end(all);
}
