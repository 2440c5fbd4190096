#include "runtime/files/FileBytes.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

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

namespace {

using Parts = std::span<const std::span<const std::byte>>;
constexpr const char *kWritable = "the file can be written";

/// Opens `at` for writing, fills and closes it; errors name `path`.
void fill(const std::string &at, int flags, const std::string &path, Parts parts) {
  Descriptor file(::open(at.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (file.fd < 0) failWithErrno(path, kWritable);
  for (std::span<const std::byte> part : parts)
    while (!part.empty()) {
      ssize_t written = ::write(file.fd, part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) failWithErrno(path, kWritable);
      part = part.subspan(static_cast<size_t>(written));
    }
  if (::close(std::exchange(file.fd, -1)) != 0) failWithErrno(path, kWritable); // where a full disk may be told
}

/// The file a path names behind its symbolic links, or the path where nothing is.
std::string resolved(const std::string &path) {
  std::unique_ptr<char, void (*)(void *)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

} // namespace

void writeFile(const std::string &path, Parts parts) {
  struct stat status{}, link{};
  bool exists = ::stat(path.c_str(), &status) == 0;
  bool dangling = !exists && ::lstat(path.c_str(), &link) == 0;
  // A device, a pipe or a link to nothing yet is written where it is; what it stands for must not be replaced.
  if (dangling || (exists && !S_ISREG(status.st_mode))) return fill(path, dangling ? O_CREAT : 0, path, parts);
  if (exists && ::access(path.c_str(), W_OK) != 0) failWithErrno(path, kWritable);

  std::string target = resolved(path);
  Unfinished unfinished{fmt::format("{}.{}.tmp", target, ::getpid())};
  fill(unfinished.path, O_CREAT | O_TRUNC, path, parts);
  if (exists && ::chmod(unfinished.path.c_str(), status.st_mode & 07777) != 0) failWithErrno(path, kWritable);
  if (::rename(unfinished.path.c_str(), target.c_str()) != 0) failWithErrno(path, kWritable);
  unfinished.path.clear();
}

} // namespace kiln
