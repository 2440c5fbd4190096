// One interface to whatever runs kernels: memory, copies, loading, launching, timing. The plan executor and the tools
// know nothing else of a device. All calls may come from several threads at once.
#pragma once

#include "runtime/KernelImage.h"
#include "runtime/TensorMap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace kiln {

/// A device's queue of work, opaque: null is the default one, which on the host means "now, in the calling thread" and
/// on CUDA the legacy default stream. On CUDA `native` is a CUstream (a cudaStream_t is one, too).
struct Stream {
  void *native = nullptr;
};

/// Whoever takes a DeviceBuffer's memory back: a device, or a pool in front of it.
class MemoryOwner {
public:
  virtual ~MemoryOwner() = default;

protected:
  friend class DeviceBuffer;
  /// Takes back `bytes` bytes at `pointer`, which this gave out.
  virtual void release(void *pointer, size_t bytes) noexcept = 0;
};

/// Device memory owned by one holder and given back when it goes; it keeps its device alive.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<MemoryOwner> owner, void *pointer, size_t bytes)
      : owner(std::move(owner)), pointer(pointer), bytes(bytes) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (owner && pointer) owner->release(pointer, bytes);
  }

  /// The device address; null if this holds nothing.
  void *data() const { return pointer; }
  size_t size() const { return bytes; }
  void swap(DeviceBuffer &other) noexcept {
    std::swap(owner, other.owner);
    std::swap(pointer, other.pointer);
    std::swap(bytes, other.bytes);
  }

private:
  std::shared_ptr<MemoryOwner> owner;
  void *pointer = nullptr;
  size_t bytes = 0;
};

/// What a loaded kernel takes of the device, as the device's own loader counts it; zeros where that means nothing.
struct KernelResources {
  int registers = 0;             ///< per thread
  int64_t localBytes = 0;        ///< per thread: spilled registers and arrays on the stack
  int64_t staticSharedBytes = 0; ///< per CTA, beside the dynamic shared memory of the launch
};

/// A kernel a device has loaded; each device derives its own.
class LoadedKernel {
public:
  explicit LoadedKernel(std::string symbol, const KernelResources &resources = {})
      : symbol(std::move(symbol)), resources(resources) {}
  virtual ~LoadedKernel() = default;
  const std::string symbol;
  const KernelResources resources;
};
using KernelHandle = std::shared_ptr<const LoadedKernel>;

/// Everything about a launch but its arguments; how many threads a CTA has, the loaded kernel knows.
struct LaunchConfig {
  std::array<int64_t, 3> grid = {1, 1, 1}; ///< CTAs, x fastest; none if any is 0
  int64_t sharedBytes = 0;                 ///< dynamic shared memory per CTA
  int64_t scratchBytes = 0;                ///< workspace per CTA (per worker on the host)
  std::array<int32_t, 3> cluster = {1, 1, 1};
  bool pdl = false; ///< may start before the launch in front of it ends; ignored where the device cannot
  std::span<const TensorMap> tensorMaps = {}; ///< passed behind the slots
};

/// A point in a stream's time; see Device::mark.
class TimeMark {
public:
  virtual ~TimeMark() = default;
};

/// A place in a stream's work that the host and other streams can wait for; recording it again moves it.
class Fence {
public:
  virtual ~Fence() = default;
  /// Moves this behind all work given to `stream` so far.
  virtual void record(Stream stream) = 0;
  /// Work given to `stream` from now on starts after this is reached; does not wait itself.
  virtual void orderBehind(Stream stream) = 0;
  /// Whether all work in front of it is done; true before the first record().
  virtual bool reached() = 0;
  /// Returns when it is reached, or cannot be any more because the device failed.
  virtual void wait() noexcept = 0;
};

/// Work recorded once, to be started as one. May be launched from several threads; launches do not overlap each other.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
  virtual void launch(Stream stream) = 0;
};

/// A stream of one's own, destroyed with this.
class OwnedStream {
public:
  virtual ~OwnedStream() = default;
  Stream stream;
};

/// All sizes are bytes. Every failure is an Error (no device, or internal with the driver's text). Devices are held by
/// shared_ptr: buffers, kernels, fences, graphs and streams keep theirs alive.
///
/// On an asynchronous device, copies, memsets and launches return when they are given to the stream; what fails later
/// is thrown by a later call. Host memory they touch must stay until the stream is synchronised.
class Device : public MemoryOwner, public std::enable_shared_from_this<Device> {
public:
  /// "cpu", "NVIDIA H200" ...
  virtual std::string name() const = 0;
  /// True if host pointers are device pointers, so that the callers' arrays need no copies.
  virtual bool sharesHostMemory() const = 0;
  /// Kernels for this device may assume that the start of every buffer is a multiple of so many bytes.
  virtual size_t pointerAlignment() const { return 1; }

  /// Memory of at least `bytes`, 256-byte aligned, holding anything; never null, even for 0 bytes. What is behind the
  /// last byte up to a multiple of 256 may be read, too: kernels read whole words of up to 16 bytes that hold an
  /// element.
  virtual DeviceBuffer allocate(size_t bytes) = 0;

  virtual void copyIn(void *device, const void *host, size_t bytes, Stream stream = {}) = 0;
  virtual void copyOut(void *host, const void *device, size_t bytes, Stream stream = {}) = 0;
  /// Between two ranges of the device that do not overlap.
  virtual void copy(void *to, const void *from, size_t bytes, Stream stream = {}) = 0;
  virtual void memset(void *device, uint8_t value, size_t bytes, Stream stream = {}) = 0;

  /// Makes a kernel ready to launch; throws Error on an image this device cannot run.
  virtual KernelHandle load(const KernelImage &image) = 0;
  /// Runs `kernel`, loaded by this device. slots[i] is argument i as a pointer-sized value (HostKernelFn says how);
  /// neither they nor the tensor maps are read after the call.
  virtual void launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
                      Stream stream = {}) = 0;
  /// The map of a tensor at `base`, an address of this device; the recipe keeps the rules of runtime/TensorMap.h.
  /// Throws Error on a device that has no tensor maps.
  virtual TensorMap encodeTensorMap(const TensorMapRecipe &recipe, const void *base);
  /// How many CTAs of `kernel`, loaded by this device, run at a time under `config`, whose grid does not matter: a
  /// whole number of clusters, at least one. Throws Error if none fits.
  virtual int64_t residentCtas(const LoadedKernel &kernel, const LaunchConfig &config) { return 1; }
  /// Returns when everything given to `stream` is done.
  virtual void synchronize(Stream stream = {}) = 0;

  /// A mark behind all work given to `stream` so far.
  virtual std::unique_ptr<TimeMark> mark(Stream stream = {}) = 0;
  /// Seconds of device time between two marks of one stream; waits until both are reached.
  virtual double secondsBetween(const TimeMark &from, const TimeMark &to) = 0;

  /// A fence; null on a device whose calls are done when they return, which needs none.
  virtual std::unique_ptr<Fence> makeFence() { return nullptr; }
  /// Whatever `enqueue` gives to the stream it is handed, recorded instead of run; null on a device without graphs,
  /// which does not call `enqueue`.
  virtual std::unique_ptr<DeviceGraph> recordGraph(const std::function<void(Stream)> &enqueue) { return nullptr; }
  /// If what is given to `stream` is being recorded into a graph: a number for that recording, never 0. Else 0.
  virtual uint64_t recordingOf(Stream stream) { return 0; }
  /// A number that `stream` has and no other stream of the process ever had, so that work is known to be in order where
  /// it is equal: a handle may be that of another stream, destroyed before. 0 if that is not known.
  virtual uint64_t identityOf(Stream stream) { return 0; }
  /// A new stream that does not wait for the default one; the default one itself on a device that has no others.
  virtual std::unique_ptr<OwnedStream> makeStream() { return std::make_unique<OwnedStream>(); }
};

} // namespace kiln
