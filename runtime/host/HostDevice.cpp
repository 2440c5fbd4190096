#include "runtime/host/HostDevice.h"
#include "kiln/Error.h"
#include "runtime/AlignedMemory.h"
#include "runtime/host/HostCode.h"
#include "runtime/host/ThreadPool.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <vector>

namespace kiln {
namespace {

class HostKernel : public LoadedKernel {
public:
  explicit HostKernel(HostKernelImage image) : LoadedKernel(image.symbol), image(std::move(image)) {}
  const HostKernelImage image;
};

class HostMark : public TimeMark {
public:
  const std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};

/// allocateAligned that throws Error.
AlignedMemory allocateOrThrow(size_t bytes) {
  AlignedMemory memory = allocateAligned(bytes);
  if (!memory)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "cpu",
                 .rule = "the memory a run needs is there",
                 .found = fmt::format("no {} bytes", bytes),
                 .hint = "use smaller shapes or a machine with more memory"});
  return memory;
}

/// One thread's workspace, grown to the largest launch it has taken part in.
class Scratch {
public:
  void *atLeast(size_t bytes, bool poison) {
    if (bytes > capacity) {
      memory.reset(); // never both the old and the new one
      capacity = 0;
      memory = allocateOrThrow(bytes);
      capacity = bytes;
    }
    if (poison && bytes) std::memset(memory.get(), 0xFF, bytes);
    return memory.get();
  }

private:
  AlignedMemory memory;
  size_t capacity = 0;
};

class HostDevice : public Device {
public:
  explicit HostDevice(const HostDeviceOptions &options)
      : poison(options.poisonMemory), pool(options.threads), workerScratch(static_cast<size_t>(pool.threads())) {}

  std::string name() const override { return "cpu"; }
  bool sharesHostMemory() const override { return true; }

  DeviceBuffer allocate(size_t bytes) override {
    AlignedMemory memory = allocateOrThrow(bytes);
    if (poison) std::memset(memory.get(), 0xFF, bytes);
    return {shared_from_this(), memory.release(), bytes};
  }

  void copyIn(void *device, const void *host, size_t bytes, Stream) override { copyBytes(device, host, bytes); }
  void copyOut(void *host, const void *device, size_t bytes, Stream) override { copyBytes(host, device, bytes); }
  void copy(void *to, const void *from, size_t bytes, Stream) override { copyBytes(to, from, bytes); }
  void memset(void *device, uint8_t value, size_t bytes, Stream) override {
    if (bytes) std::memset(device, value, bytes);
  }

  KernelHandle load(const KernelImage &image) override {
    if (const auto *code = std::get_if<HostCodeImage>(&image)) return std::make_shared<HostKernel>(loadHostCode(*code));
    const auto *host = std::get_if<HostKernelImage>(&image);
    if (!host || !host->fn)
      throw Error({.code = ErrorCode::InvalidInput,
                   .op = symbolOf(image),
                   .rule = "the cpu runs kernels made for the cpu",
                   .expected = "a function of this process",
                   .found = host ? "no function" : "code for " + std::get<CodeImage>(image).target});
    return std::make_shared<HostKernel>(*host);
  }

  int64_t residentCtas(const LoadedKernel &, const LaunchConfig &) override { return pool.threads(); }
  void launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
              Stream) override;

  void synchronize(Stream) override {}
  std::unique_ptr<TimeMark> mark(Stream) override { return std::make_unique<HostMark>(); }
  double secondsBetween(const TimeMark &from, const TimeMark &to) override {
    auto at = [](const TimeMark &m) { return dynamic_cast<const HostMark &>(m).at; };
    return std::chrono::duration<double>(at(to) - at(from)).count();
  }

protected:
  void release(void *pointer, size_t) noexcept override { FreeMemory()(pointer); }

private:
  static void copyBytes(void *to, const void *from, size_t bytes) {
    if (bytes && to != from) std::memcpy(to, from, bytes);
  }

  /// Callers are threads the pool does not know: each launch borrows a scratch for its own thread.
  Scratch borrowScratch() {
    std::lock_guard lock(callerScratchLock);
    if (callerScratch.empty()) return {};
    Scratch scratch = std::move(callerScratch.back());
    callerScratch.pop_back();
    return scratch;
  }
  void returnScratch(Scratch scratch) {
    std::lock_guard lock(callerScratchLock);
    callerScratch.push_back(std::move(scratch));
  }

  const bool poison;
  ThreadPool pool;
  std::vector<Scratch> workerScratch; ///< by worker; 0 is unused
  std::mutex callerScratchLock;
  std::vector<Scratch> callerScratch;
};

int64_t ctaCount(const LaunchConfig &config) {
  int64_t ctas = elementCount(config.grid);
  if (config.scratchBytes < 0 || config.sharedBytes < 0)
    throw Error({.code = ErrorCode::Internal, .op = "launch", .rule = "sizes are at least 0"});
  return ctas;
}

void HostDevice::launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
                        Stream) {
  const auto *host = dynamic_cast<const HostKernel *>(&kernel);
  if (!host || !config.tensorMaps.empty())
    throw Error({.code = ErrorCode::Internal,
                 .op = kernel.symbol,
                 .rule = "the cpu launches kernels it has loaded, without tensor maps"});
  int64_t ctas = ctaCount(config);
  if (ctas == 0) return;
  auto scratchBytes = static_cast<size_t>(config.scratchBytes);
  Scratch mine = scratchBytes ? borrowScratch() : Scratch();
  HostKernelFn fn = host->image.fn;
  auto body = [&](int64_t begin, int64_t end, int worker) {
    void *scratch = nullptr;
    if (scratchBytes) {
      Scratch &own = worker == 0 ? mine : workerScratch[static_cast<size_t>(worker)];
      scratch = own.atLeast(scratchBytes, poison);
    }
    fn(slots.data(), begin, end, scratch);
  };
  // The pool may keep the reference only while run() lasts, so no copy of the closure is made.
  pool.run(ctas, std::ref(body));
  if (scratchBytes) returnScratch(std::move(mine));
}

} // namespace

std::shared_ptr<Device> makeHostDevice(const HostDeviceOptions &options) {
  return std::make_shared<HostDevice>(options);
}

} // namespace kiln
