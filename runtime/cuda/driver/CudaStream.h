// Streams of a GPU and what is in them: own streams, fences, marks in time, recorded graphs.
#pragma once

#include "runtime/cuda/driver/Context.h"

#include <functional>
#include <memory>
#include <mutex>

namespace kiln::cuda {

class CudaStream : public OwnedStream {
public:
  explicit CudaStream(ContextRef context);
  ~CudaStream() override;

private:
  const ContextRef context;
};

/// An event of the driver, destroyed with this.
class Event {
public:
  Event(ContextRef context, unsigned flags);
  ~Event();
  Event(const Event &) = delete;

  void record(Stream stream);
  CUevent handle() const { return event; }

  const ContextRef context;

private:
  CUevent event = nullptr;
};

class CudaFence : public Fence {
public:
  explicit CudaFence(ContextRef context) : event(std::move(context), CU_EVENT_DISABLE_TIMING) {}
  void record(Stream stream) override;
  void orderBehind(Stream stream) override;
  bool reached() override;
  void wait() noexcept override;

private:
  Event event;
  bool recorded = false;
};

class CudaMark : public TimeMark {
public:
  CudaMark(ContextRef context, Stream stream) : event(std::move(context), CU_EVENT_DEFAULT) { event.record(stream); }
  /// Seconds from this to `later`; waits for both.
  double secondsTo(const CudaMark &later) const;

private:
  Event event;
};

class CudaGraph : public DeviceGraph {
public:
  /// Records what `enqueue` gives to the stream it is handed. Throws what it throws, and Error if that cannot be
  /// recorded.
  CudaGraph(ContextRef context, const std::function<void(Stream)> &enqueue);
  ~CudaGraph() override;
  void launch(Stream stream) override;

private:
  const ContextRef context;
  std::mutex launching; ///< the driver leaves that to its callers
  CUgraphExec graph = nullptr;
};

} // namespace kiln::cuda
