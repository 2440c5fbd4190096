// Memory for kernels under test: fences on both sides that are checked, then pages that no one may touch, and a way to
// call code so that touching them is a verdict, not the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kiln::numeric {

/// Which end of the memory lies against a forbidden page.
enum class Flush { End, Start };

/// `bytes` bytes between fences. With Flush::End the first byte behind them is forbidden (alignment permitting), with
/// Flush::Start the last byte before them.
class FencedBuffer {
public:
  /// The bytes start as `fill`. `alignment` is a power of two of at most a page.
  FencedBuffer(size_t bytes, size_t alignment, Flush flush, uint8_t fill);
  ~FencedBuffer();
  FencedBuffer(FencedBuffer &&other) noexcept;
  FencedBuffer(const FencedBuffer &) = delete;

  std::byte *data() const { return start; }
  size_t size() const { return bytes; }
  /// Where a fence was overwritten: "byte 4 behind the end"; nothing if both stand.
  std::optional<std::string> damage() const;

private:
  std::byte *mapping = nullptr; ///< forbidden page, usable pages, forbidden page
  size_t mappedBytes = 0;
  std::byte *start = nullptr;
  size_t bytes = 0;
};

/// Runs `call`, which must hold no resources of its own. Says what went wrong if it touched memory it may not, or
/// divided by zero, or executed what is no instruction; nothing if it returned.
std::optional<std::string> callGuarded(const std::function<void()> &call);

} // namespace kiln::numeric
