// A driver for tests: a library with the entry points of NVIDIA's, over host memory. Streams are queues that run as
// late as they may and then step by step in turn, so that work that is ordered by luck alone shows. Tests load it by
// its path and steer it through this interface.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kiln::test {

struct FakeGpu {
  std::string name = "Fake GPU";
  int major = 9, minor = 0;
  int multiprocessors = 132;
  size_t memoryBytes = size_t(1) << 30;
  int sharedBytesPerCta = 227 * 1024;
};

/// What a kernel does, given its parameters (as the driver gives them: pointers to values) and its grid.
using FakeKernel = std::function<void(void **parameters, const unsigned *grid)>;

/// A launch as the driver was asked for it.
struct FakeLaunch {
  std::string symbol;
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  bool pdl;
};

/// A tensor map as it was asked for: what the fake driver puts into its 128 bytes.
struct FakeTensorMap {
  void *base;
  uint32_t type, rank, swizzle, l2;
  uint64_t extents[3], strides[2]; ///< the innermost ones
  uint32_t box[5];
};
static_assert(sizeof(FakeTensorMap) <= 128);

class FakeDriver {
public:
  virtual ~FakeDriver() = default;
  /// As if the process had just begun: one default GPU, no memory, no kernels, nothing counted.
  virtual void reset() = 0;
  virtual void setGpus(std::vector<FakeGpu> gpus) = 0;
  /// What cuDriverGetVersion says: 12080 is 12.8.
  virtual void setVersion(int version) = 0;
  /// A kernel that modules may have: one whose code has the symbol in it does. `sizes` are its parameters' bytes.
  virtual void addKernel(const std::string &symbol, std::vector<size_t> sizes, FakeKernel kernel) = 0;
  /// From its `after`-th next call on, `call` ("cuMemAlloc") fails with `result`, once, or for ever if `lasting`; a
  /// sticky one makes all calls fail from then on.
  virtual void fail(const std::string &call, CUresult result, int after = 0, bool lasting = true,
                    bool sticky = false) = 0;
  /// The PTX compiler's words for the next failing cuModuleLoadDataEx.
  virtual void setJitLog(std::string log) = 0;
  /// Calls so far, by name and in order, but cuCtx* and cuGetError*.
  virtual int count(const std::string &call) = 0;
  virtual std::vector<std::string> log() = 0;
  virtual void clearLog() = 0;
  virtual std::vector<FakeLaunch> launches() = 0;
  /// What no right program does: touching memory that is not there, destroying what is not there ...
  virtual std::vector<std::string> faults() = 0;
  /// Bytes allocated and not freed.
  virtual size_t liveBytes() = 0;
  /// Objects made and not destroyed: modules, streams, events, graphs, retained contexts.
  virtual int liveObjects() = 0;
  /// Launches are counted and dropped, for tests of time.
  virtual void setDropLaunches(bool drop) = 0;
  /// How many CTAs of any kernel, or clusters, an SM is said to have room for.
  virtual void setRoom(int ctas) = 0;
  /// Launches take long enough that other threads get a turn between any two.
  virtual void setSlowLaunches(bool slow) = 0;
};

} // namespace kiln::test

/// The library's one driver.
extern "C" kiln::test::FakeDriver *kilnFakeDriver();
