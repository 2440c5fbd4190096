#include "codegen/cpu/Flatten.h"

#include "llvm/ExecutionEngine/JITLink/ELF_x86_64.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <optional>

using namespace llvm;
using namespace llvm::jitlink;
using kiln::HostCodeImage;
using llvm::orc::ExecutorAddr;

namespace {

/// Where the code is linked to lie, and where the functions it calls: so far apart that every call goes through a
/// pointer, which the loader can fill in.
constexpr uint64_t kCodeAddress = uint64_t(1) << 32, kImportAddress = uint64_t(1) << 46;

/// What one link makes.
struct Link {
  StringRef symbol;
  HostCodeImage image;
  std::optional<Error> failure;
};

/// JITLink's view of the bytes: all segments side by side at kCodeAddress.
class FlatMemory : public JITLinkMemoryManager {
public:
  explicit FlatMemory(std::vector<char> &bytes) : bytes(bytes) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction done) override {
    BasicLayout layout(graph);
    uint64_t size = 0;
    for (auto &[group, segment] : layout.segments()) {
      if ((group.getMemProt() & orc::MemProt::Write) != orc::MemProt::None)
        return done(createStringError("a kernel must have no writable data"));
      size = alignTo(size, segment.Alignment);
      segment.Addr = ExecutorAddr(kCodeAddress + size);
      size += segment.ContentSize + segment.ZeroFillSize;
    }
    bytes.assign(size, 0);
    for (auto &[group, segment] : layout.segments())
      segment.WorkingMem = bytes.data() + (segment.Addr.getValue() - kCodeAddress);
    if (Error error = layout.apply()) return done(std::move(error));
    done(std::make_unique<InFlight>());
  }
  void deallocate(std::vector<FinalizedAlloc> all, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &one : all) one.release();
    done(Error::success());
  }

private:
  struct InFlight : InFlightAlloc {
    void abandon(OnAbandonedFunction done) override { done(Error::success()); }
    void finalize(OnFinalizedFunction done) override { done(FinalizedAlloc(ExecutorAddr(kCodeAddress))); }
  };
  std::vector<char> &bytes;
};

bool isRelative(Edge::Kind kind) {
  switch (kind) {
  case x86_64::Delta64:
  case x86_64::Delta32:
  case x86_64::NegDelta64:
  case x86_64::NegDelta32:
  case x86_64::BranchPCRel32:
  case x86_64::PCRel32:
  case x86_64::BranchPCRel32ToPtrJumpStub:
  case x86_64::BranchPCRel32ToPtrJumpStubBypassable:
    return true;
  default:
    return false;
  }
}

/// Notes the addresses that the linked bytes name.
Error noteAddresses(LinkGraph &graph, HostCodeImage &image) {
  for (Block *block : graph.blocks())
    for (const Edge &edge : block->edges()) {
      if (!edge.isRelocation()) continue;
      const Symbol &target = edge.getTarget();
      uint64_t offset = (block->getAddress() + edge.getOffset()).getValue() - kCodeAddress;
      if (edge.getKind() == x86_64::Pointer64 && target.isDefined())
        image.relocations.push_back(offset);
      else if (edge.getKind() == x86_64::Pointer64 && edge.getAddend() == 0)
        image.imports.push_back({(*target.getName()).str(), offset});
      else if (!isRelative(edge.getKind()) || !target.isDefined())
        return createStringError(Twine("code must run anywhere, and a ") + graph.getEdgeKindName(edge.getKind()) +
                                 " names a place");
    }
  return Error::success();
}

/// Unwind tables serve nobody: nothing throws through a kernel.
Error dropUnwindTables(LinkGraph &graph) {
  if (Section *frames = graph.findSectionByName(".eh_frame")) graph.removeSection(*frames);
  return Error::success();
}

class Context : public JITLinkContext {
public:
  explicit Context(Link &link) : JITLinkContext(nullptr), link(link), memory(link.image.code) {}

  JITLinkMemoryManager &getMemoryManager() override { return memory; }
  void notifyFailed(Error error) override { link.failure = std::move(error); }
  void lookup(const LookupMap &symbols, std::unique_ptr<JITLinkAsyncLookupContinuation> done) override {
    AsyncLookupResult found;
    uint64_t next = kImportAddress;
    for (const auto &entry : symbols)
      found[entry.first] = {ExecutorAddr(next += 64), JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    done->run(std::move(found));
  }
  Error notifyResolved(LinkGraph &graph) override {
    for (Symbol *symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || *symbol->getName() != link.symbol) continue;
      link.image.entry = symbol->getAddress().getValue() - kCodeAddress;
      return Error::success();
    }
    return createStringError("the object does not define " + link.symbol);
  }
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc alloc) override { alloc.release(); }

  LinkGraphPassFunction getMarkLivePass(const Triple &) const override {
    return [this](LinkGraph &graph) {
      for (Symbol *symbol : graph.defined_symbols())
        symbol->setLive(symbol->hasName() && *symbol->getName() == link.symbol);
      return Error::success();
    };
  }
  Error modifyPassConfig(LinkGraph &, PassConfiguration &config) override {
    config.PrePrunePasses.insert(config.PrePrunePasses.begin(), dropUnwindTables);
    config.PreFixupPasses.push_back([this](LinkGraph &graph) { return noteAddresses(graph, link.image); });
    return Error::success();
  }

private:
  Link &link;
  FlatMemory memory;
};

} // namespace

Expected<HostCodeImage> kiln::codegen::flatten(ArrayRef<char> object, StringRef symbol) {
  auto names = std::make_shared<orc::SymbolStringPool>();
  auto graph = createLinkGraphFromELFObject_x86_64({{object.data(), object.size()}, symbol}, names);
  if (!graph) return graph.takeError();
  Link link{symbol, {}, {}};
  link_ELF_x86_64(std::move(*graph), std::make_unique<Context>(link));
  if (link.failure) return std::move(*link.failure);
  HostCodeImage &image = link.image;
  image.symbol = symbol.str();
  // What the linker put there are addresses of its own making.
  for (const HostCodeImage::Import &import : image.imports) std::memset(&image.code[import.offset], 0, 8);
  for (uint64_t offset : image.relocations) {
    uint64_t word = 0;
    std::memcpy(&word, &image.code[offset], 8);
    word -= kCodeAddress;
    std::memcpy(&image.code[offset], &word, 8);
  }
  return std::move(image);
}
