// The compiled file: what is written is read, and bytes from anywhere are an Error at worst.
#include "runtime/CompiledFile.h"
#include "kiln/Error.h"
#include "tests/runtime/PlanKit.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace kiln {
namespace {

using namespace test;

/// y = ((x + table) * 2 + x) * 3, with `table` a constant. Its kernels are bytes that nobody runs here.
CompiledGraph sample() {
  CompiledGraph graph{.kiln = "0.1.0", .device = "cuda", .plan = chainPlan(100), .kernels = {}, .report = "{}"};
  PlanBuffer &table = graph.plan.buffers[1];
  table.kind = BufferKind::Constant;
  table.constant = HostTensor::randomNormal({100}, f32, 3);
  const std::string ptx = ".version 8.0\n.target sm_80\n";
  CodeImage add{CodeImage::Format::Ptx, {ptx.begin(), ptx.end()}, "add", "sm_80"};
  add.threads = 128;
  add.sharedBytes = 49152;
  HostCodeImage scale;
  scale.code = {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  scale.entry = 2;
  scale.imports = {{"fmaf", 4}};
  scale.relocations = {0, 4};
  scale.symbol = "scale";
  scale.target = "avx2";
  graph.kernels = {add, scale};
  return graph;
}

TEST(CompiledFile, NothingIsLost) {
  CompiledGraph graph = sample(), read = readCompiledFile(compiledFileBytes(graph), "m.kiln");
  EXPECT_EQ(read.kiln, "0.1.0");
  EXPECT_EQ(read.device, "cuda");
  EXPECT_EQ(read.report, "{}");
  EXPECT_EQ(toJson(read.plan), toJson(graph.plan));
  EXPECT_TRUE(bitEqual(read.plan.buffers[1].constant, graph.plan.buffers[1].constant));
  ASSERT_EQ(read.kernels.size(), 2u);
  const auto &add = std::get<CodeImage>(read.kernels[0]), &was = std::get<CodeImage>(graph.kernels[0]);
  EXPECT_EQ(add.code, was.code);
  EXPECT_EQ(add.symbol, "add");
  EXPECT_EQ(add.target, "sm_80");
  EXPECT_EQ(add.threads, 128);
  EXPECT_EQ(add.sharedBytes, 49152);
  const auto &scale = std::get<HostCodeImage>(read.kernels[1]);
  EXPECT_EQ(scale.code, std::get<HostCodeImage>(graph.kernels[1]).code);
  EXPECT_EQ(scale.entry, 2u);
  EXPECT_EQ(scale.imports.at(0).function, "fmaf");
  EXPECT_EQ(scale.imports.at(0).offset, 4u);
  EXPECT_EQ(scale.relocations, (std::vector<uint64_t>{0, 4}));
  EXPECT_EQ(compiledFileBytes(read), compiledFileBytes(graph));
}

TEST(CompiledFile, GoesThroughAFile) {
  std::string path = std::filesystem::temp_directory_path() / ("kiln-compiled-" + std::to_string(::getpid()));
  writeCompiledFile(path, sample());
  EXPECT_EQ(toJson(readCompiledFile(path).plan), toJson(sample().plan));
  std::filesystem::remove(path);
  EXPECT_THROW(readCompiledFile(path), Error);
}

std::string messageOf(const std::vector<std::byte> &bytes) {
  try {
    readCompiledFile(bytes, "m.kiln");
  } catch (const Error &error) {
    EXPECT_EQ(error.code, ErrorCode::InvalidInput);
    EXPECT_EQ(error.op, "m.kiln");
    return error.what();
  }
  return "";
}

/// Makes the checksum right again, so that readers behind it see the bytes.
void seal(std::vector<std::byte> &bytes) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 32; i < bytes.size(); ++i) hash = (hash ^ static_cast<uint64_t>(bytes[i])) * 1099511628211u;
  if (bytes.size() >= 32) std::memcpy(bytes.data() + 24, &hash, sizeof hash);
}

TEST(CompiledFile, RefusesOtherBytes) {
  auto has = [](const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const std::vector<std::byte> good = compiledFileBytes(sample());
  has(messageOf({}), "one that `kiln compile` wrote");
  has(messageOf({good.begin(), good.begin() + 20}), "one that `kiln compile` wrote");
  auto changed = [&](size_t at, int value) {
    std::vector<std::byte> bytes = good;
    bytes[at] = std::byte(value);
    return bytes;
  };
  has(messageOf(changed(0, 'k')), "one that `kiln compile` wrote");
  has(messageOf(changed(8, 2)), "the version that this Kiln reads");
  has(messageOf(changed(12, 1)), "the file is damaged");
  has(messageOf(changed(23, 0x7F)), "the file is damaged");
  has(messageOf(changed(good.size() - 1, 0x55)), "the file is damaged");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(messageOf({good.begin(), good.begin() + static_cast<int64_t>(length)}), "");
}

TEST(CompiledFile, RefusesPlansThatAreNotSoundOrLackKernels) {
  CompiledGraph graph = sample();
  graph.plan.buffers[4].offset = 256; // onto a buffer that lives
  EXPECT_NE(messageOf(compiledFileBytes(graph)).find("launch plan must be sound"), std::string::npos);
  graph = sample();
  graph.kernels.pop_back();
  EXPECT_NE(messageOf(compiledFileBytes(graph)).find("no kernel `scale`"), std::string::npos);
  graph = sample();
  graph.plan.buffers[1].constant = HostTensor({99}, f32);
  EXPECT_NE(messageOf(compiledFileBytes(graph)).find("constants[0].elements"), std::string::npos);
  graph = sample();
  graph.kernels[0] = kernels()[0];
  EXPECT_THROW(compiledFileBytes(graph), Error);
}

TEST(CompiledFile, AnyBytesAreAGraphOrAnError) {
  std::mt19937 random(11);
  const std::vector<std::byte> good = compiledFileBytes(sample());
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, good.data() + 16, sizeof headerBytes);
  int readable = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<std::byte> bytes = good;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % (random() % 2 ? bytes.size() : 32 + headerBytes);
      if (random() % 3 == 0)
        bytes.erase(bytes.begin() + static_cast<int64_t>(at));
      else if (random() % 2)
        bytes[at] = std::byte('0' + random() % 10);
      else
        bytes[at] = std::byte(random());
    }
    seal(bytes);
    readable += messageOf(bytes).empty();
  }
  EXPECT_GT(readable, 100);
  EXPECT_LT(readable, 5000);
}

} // namespace
} // namespace kiln
