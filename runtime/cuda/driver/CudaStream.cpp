#include "runtime/cuda/driver/CudaStream.h"

namespace kiln::cuda {

CudaStream::CudaStream(ContextRef given) : context(std::move(given)) {
  Enter current(*context);
  CUstream made = nullptr;
  context->check(context->api.streamCreate(&made, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  stream.native = made;
}

CudaStream::~CudaStream() {
  Current current(*context);
  context->api.streamDestroy(native(stream));
}

Event::Event(ContextRef given, unsigned flags) : context(std::move(given)) {
  Enter current(*context);
  context->check(context->api.eventCreate(&event, flags), "cuEventCreate");
}

Event::~Event() {
  Current current(*context);
  context->api.eventDestroy(event);
}

void Event::record(Stream stream) {
  Enter current(*context);
  context->check(context->api.eventRecord(event, native(stream)), "cuEventRecord");
}

void CudaFence::record(Stream stream) {
  event.record(stream);
  recorded = true;
}

void CudaFence::orderBehind(Stream stream) {
  if (!recorded) return;
  const Context &context = *event.context;
  Enter current(context);
  context.check(context.api.streamWaitEvent(native(stream), event.handle(), 0), "cuStreamWaitEvent");
}

bool CudaFence::reached() {
  if (!recorded) return true;
  const Context &context = *event.context;
  Enter current(context);
  Relaxed relaxed(context);
  CUresult result = context.api.eventQuery(event.handle());
  if (result == CUDA_ERROR_NOT_READY) return false;
  context.check(result, "cuEventQuery");
  return true;
}

void CudaFence::wait() noexcept {
  if (!recorded) return;
  const Context &context = *event.context;
  Current current(context);
  Relaxed relaxed(context);
  context.api.eventSynchronize(event.handle());
}

double CudaMark::secondsTo(const CudaMark &later) const {
  const Context &context = *event.context;
  Enter current(context);
  context.check(context.api.eventSynchronize(event.handle()), "cuEventSynchronize");
  context.check(context.api.eventSynchronize(later.event.handle()), "cuEventSynchronize");
  float milliseconds = 0;
  context.check(context.api.eventElapsedTime(&milliseconds, event.handle(), later.event.handle()),
                "cuEventElapsedTime");
  return milliseconds * 1e-3;
}

CudaGraph::CudaGraph(ContextRef given, const std::function<void(Stream)> &enqueue) : context(std::move(given)) {
  const DriverApi &api = context->api;
  CudaStream recording(context);
  CUstream stream = native(recording.stream);
  Enter current(*context);
  // Relaxed: other threads may allocate meanwhile, and what is recorded here does not depend on it.
  context->check(api.streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture");
  CUgraph recorded = nullptr;
  try {
    enqueue(recording.stream);
  } catch (...) {
    if (api.streamEndCapture(stream, &recorded) == CUDA_SUCCESS && recorded) api.graphDestroy(recorded);
    throw;
  }
  context->check(api.streamEndCapture(stream, &recorded), "cuStreamEndCapture");
  CUresult made = api.graphInstantiate(&graph, recorded, 0);
  api.graphDestroy(recorded);
  context->check(made, "cuGraphInstantiate");
}

CudaGraph::~CudaGraph() {
  Current current(*context);
  context->api.graphExecDestroy(graph);
}

void CudaGraph::launch(Stream stream) {
  std::lock_guard lock(launching);
  Enter current(*context);
  context->check(context->api.graphLaunch(graph, native(stream)), "cuGraphLaunch");
}

} // namespace kiln::cuda
