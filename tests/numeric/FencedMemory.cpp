#include "tests/numeric/FencedMemory.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <utility>

using namespace kiln::numeric;

namespace {

constexpr size_t kPage = 4096;
constexpr std::byte kFence{0xC3};

size_t roundUp(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

thread_local sigjmp_buf *returnPoint = nullptr;
thread_local int caughtSignal = 0;
thread_local void *caughtAddress = nullptr;

void onFault(int signal, siginfo_t *info, void *) {
  if (!returnPoint) { // not ours: die as usual
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  caughtSignal = signal;
  caughtAddress = info->si_addr;
  siglongjmp(*returnPoint, 1);
}

void installHandler() {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

} // namespace

FencedBuffer::FencedBuffer(size_t bytes, size_t alignment, Flush flush, uint8_t fill) : bytes(bytes) {
  size_t usable = roundUp(bytes + alignment, kPage);
  mappedBytes = usable + 2 * kPage;
  void *memory = mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapping = static_cast<std::byte *>(memory);
  std::byte *first = mapping + kPage;
  if (mprotect(first, usable, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  start = flush == Flush::Start ? first : first + (usable - bytes) / alignment * alignment;
  std::memset(first, static_cast<int>(kFence), usable);
  std::memset(start, fill, bytes);
}

FencedBuffer::FencedBuffer(FencedBuffer &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), mappedBytes(other.mappedBytes), start(other.start),
      bytes(other.bytes) {}

FencedBuffer::~FencedBuffer() {
  if (mapping) munmap(mapping, mappedBytes);
}

std::optional<std::string> FencedBuffer::damage() const {
  const std::byte *first = mapping + kPage, *last = mapping + mappedBytes - kPage;
  for (const std::byte *p = first; p < start; ++p)
    if (*p != kFence) return fmt::format("byte {} before the start", start - p);
  for (const std::byte *p = start + bytes; p < last; ++p)
    if (*p != kFence) return fmt::format("byte {} behind the end", p - (start + bytes) + 1);
  return std::nullopt;
}

std::optional<std::string> kiln::numeric::callGuarded(const std::function<void()> &call) {
  static const bool installed = (installHandler(), true);
  static_cast<void>(installed);
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {
    returnPoint = nullptr;
    return fmt::format("signal {} ({}) at address {}", caughtSignal, strsignal(caughtSignal), caughtAddress);
  }
  returnPoint = &here;
  call();
  returnPoint = nullptr;
  return std::nullopt;
}
