// Files made and damaged, for the tests of the readers.
#pragma once

#include "kiln/HostTensor.h"
#include "tests/ErrorKit.h"

#include <cstring>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace kiln::test {

/// A folder that goes when the test does.
struct TempDir {
  TempDir() : path(std::filesystem::temp_directory_path() / ("kiln-files-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const { return (path / name).string(); }
  std::filesystem::path path;
};

/// The file's bytes in memory of exactly their size, so that a sanitizer or the heap sees a read behind them.
inline std::shared_ptr<std::byte> exactCopy(const std::vector<std::byte> &bytes) {
  std::shared_ptr<std::byte> copy(new std::byte[bytes.size()], std::default_delete<std::byte[]>());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return copy;
}

/// Feeds `read` every truncation of `good` and `flips` random damages. A kiln::Error with invalid input is the only way
/// it may refuse; returns how many damaged files were refused.
inline int damage(const std::vector<std::byte> &good, int flips,
                  const std::function<void(std::shared_ptr<std::byte>, size_t)> &read) {
  int refused = 0;
  auto attempt = [&](const std::vector<std::byte> &bytes) {
    std::optional<Error> error = errorOf([&] { read(exactCopy(bytes), bytes.size()); });
    if (error) EXPECT_EQ(error->code, ErrorCode::InvalidInput) << error->what();
    refused += error.has_value();
  };
  for (size_t size = 0; size < good.size(); ++size)
    attempt({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)});
  EXPECT_EQ(refused, static_cast<int>(good.size())) << "no part of a file is a file";
  std::mt19937 random(11);
  for (int i = 0; i < flips; ++i) {
    std::vector<std::byte> bytes = good;
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    attempt(bytes);
  }
  return refused;
}

} // namespace kiln::test
