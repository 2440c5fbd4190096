#include "runtime/files/FileBytes.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kiln {
namespace {

[[noreturn]] void failWithErrno(const std::string &path, std::string rule) {
  throw fileError(path, std::move(rule), {}, std::generic_category().message(errno));
}

/// An open file, closed at the end of its scope.
struct Descriptor {
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor &) = delete;
  int fd;
};

/// Removes a file at the end of its scope unless told that it stays.
struct Unfinished {
  ~Unfinished() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  std::string path;
};

} // namespace

FileBytes mapFile(const std::string &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) failWithErrno(path, "the file can be opened");
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) failWithErrno(path, "the file can be read");
  if (!S_ISREG(status.st_mode)) throw fileError(path, "the path names a regular file");
  auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return {};
  // Writable but private: tensors over the mapping behave like any others.
  void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.fd, 0);
  if (memory == MAP_FAILED) failWithErrno(path, "the file can be mapped");
  auto unmap = [size](std::byte *p) { ::munmap(p, size); };
  return {std::shared_ptr<std::byte>(static_cast<std::byte *>(memory), unmap), size};
}

void writeFile(const std::string &path, std::span<const std::span<const std::byte>> parts) {
  Unfinished unfinished{fmt::format("{}.{}.tmp", path, ::getpid())};
  Descriptor file(::open(unfinished.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.fd < 0) {
    unfinished.path.clear();
    failWithErrno(path, "the file can be written");
  }
  for (std::span<const std::byte> part : parts)
    while (!part.empty()) {
      ssize_t written = ::write(file.fd, part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) failWithErrno(path, "the file can be written");
      part = part.subspan(static_cast<size_t>(written));
    }
  if (::rename(unfinished.path.c_str(), path.c_str()) != 0) failWithErrno(path, "the file can be written");
  unfinished.path.clear();
}

} // namespace kiln
