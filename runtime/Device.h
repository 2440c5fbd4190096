// One interface to whatever runs kernels: memory, copies, loading, launching, timing. The plan executor and the tools
// know nothing else of a device. All calls may come from several threads at once.
#pragma once

#include "runtime/KernelImage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace kiln {

class Device;

/// A device's queue of work, opaque: null is the default one, which on the host means "now, in the calling thread".
struct Stream {
  void *native = nullptr;
};

/// Device memory owned by one holder and given back when it goes; it keeps its device alive.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<Device> device, void *pointer, size_t bytes)
      : device(std::move(device)), pointer(pointer), bytes(bytes) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer();

  /// The device address; null if this holds nothing.
  void *data() const { return pointer; }
  size_t size() const { return bytes; }
  void swap(DeviceBuffer &other) noexcept {
    std::swap(device, other.device);
    std::swap(pointer, other.pointer);
    std::swap(bytes, other.bytes);
  }

private:
  std::shared_ptr<Device> device;
  void *pointer = nullptr;
  size_t bytes = 0;
};

/// A kernel a device has loaded; each device derives its own.
class LoadedKernel {
public:
  explicit LoadedKernel(std::string symbol) : symbol(std::move(symbol)) {}
  virtual ~LoadedKernel() = default;
  const std::string symbol;
};
using KernelHandle = std::shared_ptr<const LoadedKernel>;

/// The 128 bytes of a hardware tensor map, passed to kernels by value.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes;
};

/// Everything about a launch but its arguments.
struct LaunchConfig {
  std::array<int64_t, 3> grid = {1, 1, 1}; ///< CTAs, x fastest; none if any is 0
  int64_t sharedBytes = 0;                 ///< dynamic shared memory per CTA
  int64_t scratchBytes = 0;                ///< workspace per CTA (per worker on the host)
  std::array<int32_t, 3> cluster = {1, 1, 1};
  bool pdl = false;
  std::span<const TensorMap> tensorMaps = {}; ///< passed behind the slots
};

/// A point in a stream's time; see Device::mark.
class TimeMark {
public:
  virtual ~TimeMark() = default;
};

/// All sizes are bytes. Every failure is an Error (no device, or internal with the driver's text). Devices are held by
/// shared_ptr: buffers and kernels keep theirs alive.
class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device() = default;

  /// "cpu", "NVIDIA H200" ...
  virtual std::string name() const = 0;
  /// True if host pointers are device pointers, so that the callers' arrays need no copies.
  virtual bool sharesHostMemory() const = 0;

  /// Memory of at least `bytes`, 256-byte aligned, holding anything; never null, even for 0 bytes.
  virtual DeviceBuffer allocate(size_t bytes) = 0;

  virtual void copyIn(void *device, const void *host, size_t bytes, Stream stream = {}) = 0;
  virtual void copyOut(void *host, const void *device, size_t bytes, Stream stream = {}) = 0;
  /// Between two ranges of the device that do not overlap.
  virtual void copy(void *to, const void *from, size_t bytes, Stream stream = {}) = 0;
  virtual void memset(void *device, uint8_t value, size_t bytes, Stream stream = {}) = 0;

  /// Makes a kernel ready to launch; throws Error on an image this device cannot run.
  virtual KernelHandle load(const KernelImage &image) = 0;
  /// Runs `kernel`, loaded by this device. slots[i] is argument i as a pointer-sized value (HostKernelFn says how).
  virtual void launch(const LoadedKernel &kernel, const LaunchConfig &config, std::span<const void *const> slots,
                      Stream stream = {}) = 0;
  /// Returns when everything given to `stream` is done.
  virtual void synchronize(Stream stream = {}) = 0;

  /// A mark behind all work given to `stream` so far.
  virtual std::unique_ptr<TimeMark> mark(Stream stream = {}) = 0;
  /// Seconds of device time between two marks of one stream; waits until both are reached.
  virtual double secondsBetween(const TimeMark &from, const TimeMark &to) = 0;

protected:
  friend class DeviceBuffer;
  /// Gives back what allocate() returned.
  virtual void release(void *pointer, size_t bytes) noexcept = 0;
};

inline DeviceBuffer::~DeviceBuffer() {
  if (device && pointer) device->release(pointer, bytes);
}

} // namespace kiln
