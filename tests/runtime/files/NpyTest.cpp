#include "runtime/files/Npy.h"
#include "tests/runtime/FilesKit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {
namespace {

using namespace test;

/// A version `major` file around a header text, unpadded.
std::vector<std::byte> npy(const std::string &dict, const std::string &data, char major = 1) {
  std::string text("\x93NUMPY");
  text += {major, '\0'};
  text += static_cast<char>(dict.size());
  text += static_cast<char>(dict.size() >> 8);
  if (major > 1) text += {'\0', '\0'};
  text += dict + data;
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string refusal(const std::string &dict, const std::string &data, char major = 1) {
  return messageOf([&] { parseNpy(npy(dict, data, major), "x.npy"); });
}

TEST(Npy, EveryTypeAndRankComesBack) {
  TempDir dir;
  for (DType type : {f64, f32, f16, bf16, i64, i32, i8, boolean})
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{}, {3}, {0, 4}, {2, 3, 5}}) {
      HostTensor t =
          isFloat(type) ? HostTensor::randomNormal(shape, type, 1) : HostTensor::randomInt(shape, type, 1, 0, 1);
      writeNpy(dir.file("t.npy"), t);
      ASSERT_TRUE(bitEqual(t, readNpy(dir.file("t.npy")))) << t.typeString();
      EXPECT_EQ((npyBytes(t).size() - t.byteSize()) % 64, 0u);
    }
  HostTensor deep(std::vector<int64_t>(30000, 1), i8);
  EXPECT_TRUE(bitEqual(deep, parseNpy(npyBytes(deep), "deep"))) << "a header past 64 KiB is version 2";
}

TEST(Npy, ReadsWhatNumpyWrites) {
  // As numpy 1.x writes np.array([[1, 2, 3]], dtype='<i4').
  std::string dict = "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 3), }          \n";
  std::string data("\1\0\0\0\2\0\0\0\3\0\0\0", 12);
  for (char major : {1, 2, 3})
    EXPECT_TRUE(bitEqual(parseNpy(npy(dict, data, major), "x"), HostTensor::of({1, 3}, i32, {1, 2, 3})));
}

TEST(Npy, Bf16IsWhatNumpyWritesOfMlDtypes) {
  // As NumPy 2.4 with ml_dtypes 0.6 writes np.array([1, -2], dtype=bfloat16), and as it writes what it read itself.
  HostTensor values = HostTensor::of({2}, bf16, {1, -2});
  std::string data("\x80\x3f\0\xc0", 4);
  for (const char *descr : {"<V2", "|V2", "bfloat16"})
    EXPECT_TRUE(bitEqual(
        parseNpy(npy(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}", descr), data), "x"),
        values))
        << descr;
  std::vector<std::byte> written = npyBytes(values);
  std::string text(reinterpret_cast<const char *>(written.data()), written.size());
  EXPECT_NE(text.find("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), data);
  for (const char *other : {"V1", "<f1", "V4", "float8_e5m2"})
    EXPECT_NE(refusal(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (4,), }}", other), data)
                  .find("or V2 for bf16"),
              std::string::npos)
        << other;
}

TEST(Npy, FortranOrderAndByteOrderAreConverted) {
  std::string fortran = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}";
  EXPECT_TRUE(bitEqual(parseNpy(npy(fortran, "\1\4\2\5\3\6"), "x"), HostTensor::of({2, 3}, i8, {1, 2, 3, 4, 5, 6})));
  std::string big = "{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}";
  EXPECT_TRUE(
      bitEqual(parseNpy(npy(big, std::string("\0\0\1\2\0\0\0\3", 8)), "x"), HostTensor::of({2}, i32, {258, 3})));
}

TEST(Npy, RefusalsNameFileAndReason) {
  std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", data(4, '\0');
  EXPECT_EQ(refusal(good, data), "no error");
  EXPECT_NE(refusal(good, data + "x").find("4 bytes for i32[1]\n  found:    5 bytes"), std::string::npos);
  EXPECT_NE(refusal(good, data, 4).find("version is 1, 2 or 3"), std::string::npos);
  auto with = [&](const std::string &from, const std::string &to) {
    std::string dict = good;
    dict.replace(dict.find(from), from.size(), to);
    return refusal(dict, data);
  };
  EXPECT_NE(with("<i4", "<c8").find("x.npy: the array's dtype is one Kiln reads"), std::string::npos);
  EXPECT_NE(with("'<i4'", "[('a', '<i4')]").find("structured"), std::string::npos);
  EXPECT_NE(with("(1,)", "(-1,)").find("extent"), std::string::npos);
  EXPECT_NE(with("(1,)", "(4611686018427387904, 4)").find("fewer than 2^63"), std::string::npos);
  EXPECT_NE(with("(1,)", "(99999999999999999999,)").find("extent"), std::string::npos);
  EXPECT_NE(with("'shape'", "'descr'").find("twice"), std::string::npos);
  EXPECT_NE(with("False", "Maybe").find("neither"), std::string::npos);
  EXPECT_NE(with("}", "} x").find("behind"), std::string::npos);
  EXPECT_NE(refusal("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\2").find("a bool is 0 or 1"),
            std::string::npos);
  EXPECT_THROW(npyBytes(HostTensor({1}, f8E4M3FN)), Error);
  EXPECT_THROW(readNpy("/nonexistent/x.npy"), Error);
  EXPECT_THROW(readNpy("/"), Error);
  EXPECT_THROW(writeNpy("/nonexistent/x.npy", HostTensor({1}, f32)), Error);
}

TEST(Npy, WritingKeepsWhatThePathIs) {
  TempDir dir;
  HostTensor t = HostTensor::full({3}, f32, 2);
  writeNpy(dir.file("old.npy"), HostTensor({1}, f32));
  std::filesystem::permissions(dir.file("old.npy"), std::filesystem::perms(0600));
  std::filesystem::create_symlink("old.npy", dir.file("link.npy"));
  std::filesystem::create_symlink("new.npy", dir.file("dangling.npy"));
  writeNpy(dir.file("link.npy"), t);
  EXPECT_TRUE(std::filesystem::is_symlink(dir.file("link.npy")));
  EXPECT_TRUE(bitEqual(readNpy(dir.file("old.npy")), t));
  EXPECT_EQ(std::filesystem::status(dir.file("old.npy")).permissions(), std::filesystem::perms(0600));
  writeNpy(dir.file("dangling.npy"), t);
  EXPECT_TRUE(std::filesystem::is_symlink(dir.file("dangling.npy")));
  EXPECT_TRUE(bitEqual(readNpy(dir.file("new.npy")), t));
}

TEST(Npy, WritesIntoPipes) {
  TempDir dir;
  std::string pipe = dir.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK); // so that the writer need not wait
  ASSERT_GE(reader, 0);
  writeNpy(pipe, HostTensor::full({3}, f32, 2));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  char bytes[6] = {};
  EXPECT_EQ(::read(reader, bytes, 6), 6);
  EXPECT_EQ(std::string(bytes, 6), "\x93NUMPY");
  ::close(reader);
}

TEST(Npy, DamagedFilesAreRefusedOrRead) {
  std::vector<std::byte> good = npyBytes(HostTensor::randomNormal({2, 3}, f32, 1));
  int refused = damage(good, 20000, [](auto data, size_t size) { parseNpy({data.get(), size}, "damaged"); });
  EXPECT_GT(refused, 5000);
}

} // namespace
} // namespace kiln
