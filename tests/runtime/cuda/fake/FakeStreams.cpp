// The entry points of streams, events and graphs.
#include "tests/runtime/cuda/fake/FakeState.h"

#include <algorithm>

using namespace kiln::test;

namespace {

FakeState &state() { return FakeState::get(); }
std::shared_ptr<Event> &event(CUevent handle) { return *reinterpret_cast<std::shared_ptr<Event> *>(handle); }

} // namespace

// NOLINTBEGIN: names and signatures are the driver's
#define LOCK std::lock_guard guard(state().lock)
#define CONTEXT_CALL(name)                                                                                             \
  LOCK;                                                                                                                \
  if (CUresult failed = state().enterContext(#name)) return failed
#define UNSAFE_CALL(name)                                                                                              \
  LOCK;                                                                                                                \
  if (CUresult failed = state().enterContext(#name, /*unsafeInCapture=*/true)) return failed

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  CONTEXT_CALL(cuStreamCreate);
  auto fresh = std::make_shared<StreamState>();
  fresh->nonBlocking = flags & CU_STREAM_NON_BLOCKING;
  fresh->id = ++state().streamsMade;
  state().streams.push_back(fresh);
  if (state().freeSlots.empty()) {
    state().slots.push_back(std::make_unique<StreamSlot>());
    state().freeSlots.push_back(state().slots.back().get());
  }
  StreamSlot *slot = state().freeSlots.back();
  state().freeSlots.pop_back();
  slot->state = std::move(fresh);
  *stream = reinterpret_cast<CUstream>(slot);
  ++state().objects;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  CONTEXT_CALL(cuStreamDestroy);
  if (!state().stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  auto *slot = reinterpret_cast<StreamSlot *>(stream);
  slot->state.reset();
  state().freeSlots.push_back(slot);
  --state().objects;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  UNSAFE_CALL(cuStreamSynchronize);
  if (!stream) {
    state().drainAll();
    return state().stuck;
  }
  StreamState *s = state().stream(stream);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  if (s->capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  state().drain([&] { return s->queue.empty(); });
  return state().stuck;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned) {
  CONTEXT_CALL(cuStreamWaitEvent);
  StreamState *s = stream ? state().stream(stream) : nullptr;
  if (s && s->capturing) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION; // no event here is ever a part of a capture
  return state().give(stream, {.wait = event(handle), .generation = event(handle)->recorded});
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  CONTEXT_CALL(cuStreamBeginCapture);
  StreamState *s = stream ? state().stream(stream) : nullptr;
  if (!s) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  s->capturing = true;
  s->invalidated = false;
  s->mode = mode;
  s->captureId = state().captures++;
  s->captured.clear();
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CONTEXT_CALL(cuStreamEndCapture);
  StreamState *s = state().stream(stream);
  if (!s || !s->capturing) return CUDA_ERROR_ILLEGAL_STATE;
  s->capturing = false;
  *graph = nullptr;
  if (s->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = reinterpret_cast<CUgraph>(new Graph(std::move(s->captured)));
  ++state().objects;
  return CUDA_SUCCESS;
}

#undef cuStreamGetCaptureInfo
extern "C" CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  CONTEXT_CALL(cuStreamGetCaptureInfo);
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!stream) return CUDA_SUCCESS;
  StreamState *s = state().stream(stream);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  if (!s->capturing) return CUDA_SUCCESS;
  *status = s->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  *id = s->captureId;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  CONTEXT_CALL(cuStreamGetId);
  StreamState *s = stream ? state().stream(stream) : nullptr;
  if (stream && !s) return CUDA_ERROR_INVALID_HANDLE;
  *id = s ? s->id : 0;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(thisThread().mode, *mode);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *handle, unsigned) {
  CONTEXT_CALL(cuEventCreate);
  *handle = reinterpret_cast<CUevent>(new std::shared_ptr<Event>(std::make_shared<Event>()));
  ++state().objects;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent handle) {
  CONTEXT_CALL(cuEventDestroy);
  delete &event(handle); // queued work keeps what it is about
  --state().objects;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  CONTEXT_CALL(cuEventRecord);
  StreamState *s = stream ? state().stream(stream) : nullptr;
  if (stream && s && s->capturing) return state().give(stream, {}); // an event of the graph: reached in replays
  ++event(handle)->recorded;
  return state().give(stream, {.reach = event(handle), .generation = event(handle)->recorded});
}

CUresult cuEventQuery(CUevent handle) {
  UNSAFE_CALL(cuEventQuery);
  return event(handle)->reached == event(handle)->recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent handle) {
  UNSAFE_CALL(cuEventSynchronize);
  state().drain([&] { return event(handle)->reached == event(handle)->recorded; });
  return state().stuck;
}

#undef cuEventElapsedTime
extern "C" CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  CONTEXT_CALL(cuEventElapsedTime);
  *milliseconds = static_cast<float>(event(to)->milliseconds - event(from)->milliseconds);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *made, CUgraph graph, unsigned long long) {
  CONTEXT_CALL(cuGraphInstantiateWithFlags);
  *made = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph *>(graph)));
  ++state().objects;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  CONTEXT_CALL(cuGraphLaunch);
  for (const Op &op : *reinterpret_cast<Graph *>(graph))
    if (CUresult result = state().give(stream, op)) return result;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  CONTEXT_CALL(cuGraphDestroy);
  delete reinterpret_cast<Graph *>(graph);
  --state().objects;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  CONTEXT_CALL(cuGraphExecDestroy);
  delete reinterpret_cast<Graph *>(graph);
  --state().objects;
  return CUDA_SUCCESS;
}
// NOLINTEND
