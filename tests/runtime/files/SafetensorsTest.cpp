#include "runtime/files/Safetensors.h"
#include "tests/runtime/FilesKit.h"

#include <fstream>
#include <iterator>

namespace kiln {
namespace {

using namespace test;

std::vector<std::byte> bytesOfFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> file(const std::string &header, size_t dataSize) {
  uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size() + dataSize);
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string refusal(const std::vector<std::byte> &bytes) {
  return messageOf([&] { SafetensorsFile::parse(exactCopy(bytes), bytes.size(), "w.safetensors"); });
}

std::string entry(const std::string &name, const std::string &dtype, const std::string &shape, size_t begin,
                  size_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// One tensor of each dtype that the format has, one of them empty.
std::map<std::string, HostTensor, std::less<>> sample() {
  std::map<std::string, HostTensor, std::less<>> tensors;
  for (DType type : {f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0})
    tensors.emplace(name(type), HostTensor::randomNormal({3}, type, 1));
  for (DType type : {i64, i32, i8, boolean}) tensors.emplace(name(type), HostTensor::randomInt({3, 1}, type, 1, 0, 1));
  tensors.emplace("empty", HostTensor({0, 7}, f32));
  return tensors;
}

TEST(Safetensors, EveryTypeComesBack) {
  TempDir dir;
  auto tensors = sample();
  writeSafetensors(dir.file("w.safetensors"), tensors, {{"made by", "a test"}});
  SafetensorsFile read = SafetensorsFile::open(dir.file("w.safetensors"));
  EXPECT_EQ(read.names().size(), tensors.size());
  EXPECT_EQ(read.metadata().at("made by"), "a test");
  for (auto &[name, tensor] : tensors) EXPECT_TRUE(bitEqual(read.tensor(name), tensor)) << name;
  EXPECT_EQ(read.tensors().size(), tensors.size());
  EXPECT_THROW(read.tensor("none"), Error);
  writeSafetensors(dir.file("empty.safetensors"), {});
  EXPECT_TRUE(SafetensorsFile::open(dir.file("empty.safetensors")).names().empty());
}

TEST(Safetensors, TensorsOutliveTheFileAndWritesStayPrivate) {
  TempDir dir;
  std::string path = dir.file("w.safetensors");
  writeSafetensors(path, {{"w", HostTensor::full({4}, f32, 2)}});
  HostTensor w = SafetensorsFile::open(path).tensor("w");
  w.set(0, 9);
  EXPECT_EQ(w.get(0), 9);
  EXPECT_EQ(w.get(3), 2);
  EXPECT_EQ(SafetensorsFile::open(path).tensor("w").get(0), 2);
}

TEST(Safetensors, MisalignedDataIsCopied) {
  std::string header = "{" + entry("a", "I8", "[1]", 0, 1) + "," + entry("b", "F32", "[2]", 1, 9) + "}";
  std::vector<std::byte> bytes = file(header, 9);
  SafetensorsFile f = SafetensorsFile::parse(exactCopy(bytes), bytes.size(), "w");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(f.tensor("b").raw()) % 4, 0u);
  EXPECT_EQ(f.tensor("b").get(1), 0);
}

TEST(Safetensors, RefusalsNameFileTensorAndReason) {
  auto one = [](const std::string &dtype, const std::string &shape, size_t begin, size_t end) {
    return refusal(file("{" + entry("w", dtype, shape, begin, end) + "}", 8));
  };
  EXPECT_EQ(one("F32", "[2]", 0, 8), "no error");
  EXPECT_NE(one("F32", "[3]", 0, 8).find("w.safetensors: tensor `w`: the range has the size of the shape"),
            std::string::npos);
  EXPECT_NE(one("F33", "[2]", 0, 8).find("the dtype is known"), std::string::npos);
  EXPECT_NE(one("F32", "[3]", 0, 12).find("range of the file"), std::string::npos);
  EXPECT_NE(one("F32", "[2]", 8, 0).find("range of the file"), std::string::npos);
  EXPECT_NE(one("F32", "[1]", 4, 8).find("without overlap or gap"), std::string::npos);
  EXPECT_NE(one("F32", "[1]", 0, 4).find("the tensors fill the file"), std::string::npos);
  EXPECT_NE(one("F32", "[-2]", 0, 8).find("list of extents"), std::string::npos);
  EXPECT_NE(one("F32", "[2.0]", 0, 8).find("list of extents"), std::string::npos);
  EXPECT_NE(one("F32", "[4611686018427387904,4]", 0, 8).find("fewer than 2^63"), std::string::npos);
  std::string a = entry("a", "F32", "[2]", 0, 8), overlapping = entry("b", "F32", "[2]", 4, 12);
  EXPECT_NE(refusal(file("{" + a + "," + overlapping + "}", 12)).find("tensor `b`: data follows data"),
            std::string::npos);
  EXPECT_NE(refusal(file("{" + a + "," + a + "}", 8)).find("`a` twice"), std::string::npos);
  EXPECT_NE(refusal(file("{\"w\":3}", 0)).find("an entry has dtype"), std::string::npos);
  EXPECT_NE(refusal(file("[]", 0)).find("begins with {"), std::string::npos);
  EXPECT_NE(refusal(file("{\"w\":", 0)).find("the header is JSON"), std::string::npos);
  EXPECT_NE(refusal(file("{\"w\":" + std::string(100000, '['), 0)).find("deep nesting"), std::string::npos);
  EXPECT_NE(refusal(file("{\"__metadata__\":{\"k\":1}}", 0)).find("object of strings"), std::string::npos);
  std::vector<std::byte> longHeader = file("{}", 0);
  longHeader[6] = std::byte{1};
  EXPECT_NE(refusal(longHeader).find("the header fits in the file"), std::string::npos);
  EXPECT_NE(refusal({}).find("8 bytes"), std::string::npos);
}

TEST(Safetensors, TypesKilnLacksAreRefusedOnlyWhenAskedFor) {
  std::string header = "{" + entry("a", "U16", "[2]", 0, 4) + "," + entry("b", "I32", "[1]", 4, 8) + "}";
  std::vector<std::byte> bytes = file(header, 8);
  SafetensorsFile f = SafetensorsFile::parse(exactCopy(bytes), bytes.size(), "w");
  EXPECT_EQ(f.tensor("b").dtype(), i32);
  EXPECT_THROW(f.tensor("a"), Error);
  EXPECT_THROW(writeSafetensors("/nonexistent/w", {{"a", HostTensor({1}, f32)}}), Error);
  EXPECT_THROW(writeSafetensors("/nonexistent/w", {{"a", HostTensor({1}, i4)}}), Error);
}

TEST(Safetensors, DamagedFilesAreRefusedOrRead) {
  TempDir dir;
  writeSafetensors(dir.file("w.safetensors"), sample(), {{"k", "v"}});
  int refused = damage(bytesOfFile(dir.file("w.safetensors")), 20000,
                       [](auto data, size_t size) { (void)SafetensorsFile::parse(data, size, "damaged").tensors(); });
  EXPECT_GT(refused, 10000);
}

} // namespace
} // namespace kiln
