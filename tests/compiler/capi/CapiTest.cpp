// The C interface as C++ sees it: what it refuses, and what threads may do.
#include "kiln/kiln.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

const char *const kGraph = R"(
func.func @main(%x: tensor<64x64xf32> {graph.name = "x"}, %w: tensor<64x64xf32> {graph.name = "w", graph.param})
    -> (tensor<64x64xf32> {graph.name = "y"}) {
  %y = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
})";
constexpr size_t kCount = 64 * 64;

kiln_executable *compiled() {
  kiln_executable *executable = nullptr;
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), nullptr, &executable), KILN_OK) << kiln_last_error()->message;
  return executable;
}

void bind(kiln_executable *executable, float value) {
  std::vector<float> w(kCount, value);
  EXPECT_EQ(kiln_bind(executable, "w", w.data(), kCount * 4), KILN_OK);
}

TEST(Capi, NullPointersAreUsageErrors) {
  kiln_executable *e = compiled();
  const char *text = nullptr;
  kiln_tensor_info info;
  kiln_replay *replay = nullptr;
  const kiln_status all[] = {
      kiln_compile(nullptr, 0, nullptr, &e),
      kiln_compile(kGraph, 3, nullptr, nullptr),
      kiln_compile_file(nullptr, nullptr, &e),
      kiln_load(nullptr, nullptr, &e),
      kiln_load_bytes(nullptr, 8, nullptr, &e),
      kiln_save(nullptr, "x"),
      kiln_save(e, nullptr),
      kiln_describe(nullptr, KILN_INPUT, 0, &info),
      kiln_describe(e, KILN_INPUT, 0, nullptr),
      kiln_describe(e, static_cast<kiln_role>(7), 0, &info),
      kiln_bind(nullptr, "w", &info, 4),
      kiln_bind(e, nullptr, &info, 4),
      kiln_bind(e, "w", nullptr, kCount * 4),
      kiln_bind_file(e, nullptr),
      kiln_prepare(nullptr),
      kiln_run(nullptr, nullptr, 0, nullptr, 0, nullptr),
      kiln_run_host(e, nullptr, 1, nullptr, 1),
      kiln_run_host(e, nullptr, 0, nullptr, 0),
      kiln_run_owned(e, nullptr, 1, nullptr, 1, nullptr),
      kiln_capture(e, nullptr, 1, nullptr, 1, &replay),
      kiln_replay_run(nullptr, nullptr),
      kiln_ir(e, nullptr, &text),
      kiln_ir(e, "fused", &text), // was not kept
      kiln_synchronize(nullptr, nullptr),
      kiln_dl_address(e, KILN_INPUT, 0, nullptr, nullptr),
      kiln_buffer_to_dl(nullptr, nullptr),
  };
  for (size_t i = 0; i < std::size(all); ++i) EXPECT_EQ(all[i], KILN_USAGE) << i;
  EXPECT_EQ(kiln_last_error()->code, KILN_USAGE);
  EXPECT_EQ(kiln_count(nullptr, KILN_INPUT), 0u);
  EXPECT_EQ(kiln_count(e, static_cast<kiln_role>(-1)), 0u);
  EXPECT_STREQ(kiln_report(nullptr), "");
  EXPECT_EQ(kiln_buffer_data(nullptr), nullptr);
  EXPECT_EQ(kiln_dtype_name(static_cast<kiln_dtype>(13)), nullptr);
  EXPECT_STREQ(kiln_dtype_name(KILN_BF16), "bf16");
  kiln_buffer_release(nullptr);
  kiln_replay_close(nullptr);
  kiln_close(e);
}

TEST(Capi, OptionsOfOlderAndNewerCallers) {
  kiln_executable *e = nullptr;
  kiln_compile_options older = KILN_COMPILE_OPTIONS;
  older.size = offsetof(kiln_compile_options, entry);
  older.entry = reinterpret_cast<const char *>(1); // behind what it says it has
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &older, &e), KILN_OK) << kiln_last_error()->message;
  kiln_close(e);
  struct {
    kiln_compile_options known = KILN_COMPILE_OPTIONS;
    int64_t unknown = 0;
  } newer;
  newer.known.size = sizeof newer;
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &newer.known, &e), KILN_OK);
  kiln_close(e);
  newer.unknown = 1;
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &newer.known, &e), KILN_USAGE);
  newer.known.size = 0;
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &newer.known, &e), KILN_USAGE);
}

TEST(Capi, ErrorsKeepTheirFacts) {
  kiln_executable *e = nullptr;
  kiln_compile_options options = KILN_COMPILE_OPTIONS;
  options.device = "abacus";
  EXPECT_EQ(kiln_compile(kGraph, std::strlen(kGraph), &options, &e), KILN_USAGE);
  EXPECT_STREQ(kiln_last_error()->op, "abacus");
  EXPECT_STREQ(kiln_last_error()->expected, "cpu or cuda");
  const char *bad = "func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> {\n  return %x : tensor<4xf32>\n}";
  EXPECT_EQ(kiln_compile(bad, std::strlen(bad), nullptr, &e), KILN_INVALID_INPUT);
  EXPECT_EQ(kiln_last_error()->line, 2);
  EXPECT_EQ(e, nullptr);
}

TEST(Capi, ThreadsBindAndRunAtOnce) {
  kiln_executable *e = compiled();
  bind(e, 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x(kCount, 1.0f), y(kCount);
      void *in[] = {x.data()}, *out[] = {y.data()};
      for (int i = 0; i < 40; ++i) {
        if (t == 0) bind(e, static_cast<float>(1 + i % 2));
        ASSERT_EQ(kiln_run(e, in, 1, out, 1, nullptr), KILN_OK) << kiln_last_error()->message;
        ASSERT_TRUE(y[0] == 64 || y[0] == 128) << y[0]; // all of one value of w
        ASSERT_EQ(y, std::vector<float>(kCount, y[0]));
      }
    });
  for (std::thread &thread : threads) thread.join();
  kiln_close(e);
}

TEST(Capi, ReplaysAndBuffersOutliveTheirGraph) {
  kiln_executable *e = compiled();
  bind(e, 2);
  std::vector<float> x(kCount, 1.0f), y(kCount);
  void *in[] = {x.data()}, *out[] = {y.data()};
  kiln_buffer *buffer = nullptr;
  kiln_replay *replay = nullptr;
  ASSERT_EQ(kiln_run_owned(e, in, 1, &buffer, 1, nullptr), KILN_OK);
  ASSERT_EQ(kiln_capture(e, in, 1, out, 1, &replay), KILN_OK);
  kiln_close(e);
  EXPECT_EQ(static_cast<float *>(kiln_buffer_data(buffer))[5], 128);
  EXPECT_EQ(kiln_replay_run(replay, nullptr), KILN_OK);
  EXPECT_EQ(y[5], 128);
  kiln_buffer_release(buffer);
  kiln_replay_close(replay);
}

TEST(Capi, OverlapIsRefused) {
  kiln_executable *e = compiled();
  bind(e, 2);
  std::vector<float> memory(2 * kCount, 1.0f);
  void *in[] = {memory.data()}, *out[] = {memory.data() + 4}, *apart[] = {memory.data() + kCount};
  kiln_replay *replay = nullptr;
  auto refused = [&](kiln_status status) {
    EXPECT_EQ(status, KILN_INVALID_INPUT);
    EXPECT_STREQ(kiln_last_error()->expected, "no overlap");
  };
  for (int again = 0; again < 2; ++again) {
    refused(kiln_run(e, in, 1, out, 1, nullptr));
    refused(kiln_run(e, in, 1, in, 1, nullptr));
    refused(kiln_run_host(e, in, 1, out, 1));
    refused(kiln_capture(e, in, 1, out, 1, &replay));
    EXPECT_EQ(kiln_run(e, in, 1, apart, 1, nullptr), KILN_OK);
  }
  kiln_close(e);
}

TEST(Capi, TensorsOfOthersAreChecked) {
  kiln_executable *e = compiled();
  std::vector<float> x(kCount + 1, 1.0f);
  int64_t shape[] = {64, 64}, strides[] = {64, 1};
  kiln_dl_tensor good = {.data = x.data(),
                         .device = {1, 0},
                         .rank = 2,
                         .dtype = {2, 32, 1},
                         .shape = shape,
                         .strides = strides,
                         .byte_offset = 4};
  void *address = nullptr;
  ASSERT_EQ(kiln_dl_address(e, KILN_INPUT, 0, &good, &address), KILN_OK) << kiln_last_error()->message;
  EXPECT_EQ(address, x.data() + 1);
  good.strides = nullptr;
  EXPECT_EQ(kiln_dl_address(e, KILN_OUTPUT, 0, &good, &address), KILN_OK);
  EXPECT_EQ(kiln_dl_address(e, KILN_OUTPUT, 1, &good, &address), KILN_USAGE);
  auto refused = [&](auto change, const char *rule) {
    kiln_dl_tensor bad = good;
    change(bad);
    EXPECT_EQ(kiln_dl_address(e, KILN_INPUT, 0, &bad, &address), KILN_INVALID_INPUT);
    EXPECT_STREQ(kiln_last_error()->rule, rule);
  };
  int64_t other[] = {64, 63}, columns[] = {1, 64};
  refused([&](auto &t) { t.shape = other; }, "a tensor must have the graph's shape");
  refused([&](auto &t) { t.rank = 1; }, "a tensor must have the graph's shape");
  refused([&](auto &t) { t.strides = columns; }, "a tensor must be dense and row-major");
  refused([&](auto &t) { t.dtype.bits = 16; }, "a tensor must have the graph's dtype");
  refused([&](auto &t) { t.dtype.lanes = 2; }, "a tensor must have the graph's dtype");
  refused([&](auto &t) { t.device.type = 2; }, "a tensor must be on the graph's device");
  kiln_close(e);
}

TEST(Capi, BuffersBecomeTensors) {
  kiln_executable *e = compiled();
  bind(e, 2);
  std::vector<float> x(kCount, 1.0f);
  void *in[] = {x.data()};
  kiln_buffer *buffer = nullptr;
  ASSERT_EQ(kiln_run_owned(e, in, 1, &buffer, 1, nullptr), KILN_OK);
  kiln_dl_managed_tensor *tensor = nullptr;
  ASSERT_EQ(kiln_buffer_to_dl(buffer, &tensor), KILN_OK);
  kiln_close(e);
  const kiln_dl_tensor &t = tensor->tensor;
  EXPECT_TRUE(t.rank == 2 && t.shape[0] == 64 && t.shape[1] == 64 && !t.strides && t.byte_offset == 0);
  EXPECT_TRUE(t.dtype.code == 2 && t.dtype.bits == 32 && t.dtype.lanes == 1 && t.device.type == 1);
  EXPECT_EQ(static_cast<float *>(t.data)[kCount - 1], 128);
  tensor->deleter(tensor);
}

TEST(Capi, ATileProgramAloneIsBound) {
  const std::string text = R"(
tile.kernel @scale(%x: !tile.global<4xf32> {tile.name = "x", tile.dims = ["N"]}, %y: !tile.global<4xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.global<4xf32> -> tensor<4xf32, #tile.simd>
  tile.store %a, %y[%c0] : tensor<4xf32, #tile.simd>, !tile.global<4xf32>
  tile.return
})";
  kiln_compile_options options = KILN_COMPILE_OPTIONS;
  options.bind = "N=4";
  kiln_executable *e = nullptr;
  ASSERT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_OK) << kiln_last_error()->message;
  float x[4] = {1, 2, 3, 4}, y[4] = {};
  void *in[] = {x}, *out[] = {y};
  ASSERT_EQ(kiln_run_host(e, in, 1, out, 1), KILN_OK) << kiln_last_error()->message;
  EXPECT_EQ(y[3], 4);
  kiln_close(e);
  options.bind = "N=5";
  EXPECT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_INVALID_INPUT);
  options.bind = "N";
  EXPECT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_USAGE);
}

TEST(Capi, TakesSchedulesByFamily) {
  const std::string text =
      R"(func.func @main(%x: tensor<300000xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "y"}) {
    %y = graph.reduce <sum> %x axes [0] : tensor<300000xf32> -> tensor<f32>
    return %y : tensor<f32>
  })";
  kiln_compile_options options = KILN_COMPILE_OPTIONS;
  options.target = "sm_80", options.device = "cuda", options.any_machine = 1;
  options.schedules = "column {warps = 8} ; row {threads = 256, ctas = 3};";
  kiln_executable *e = nullptr;
  ASSERT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_OK) << kiln_last_error()->message;
  const std::string report = kiln_report(e), plan = kiln_plan(e);
  EXPECT_NE(report.find("ctas=3"), std::string::npos) << report;
  EXPECT_NE(report.find("\"workspace_bytes\": 20"), std::string::npos) << report; // of each of 5 pieces a sum
  EXPECT_NE(plan.find("t0.w0"), std::string::npos) << plan;
  kiln_close(e);
  options.schedules = "row {speed = 9}";
  EXPECT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_INVALID_INPUT);
  options.schedules = "row threads";
  EXPECT_EQ(kiln_compile(text.data(), text.size(), &options, &e), KILN_USAGE);
}

TEST(Capi, SavedBytesLoad) {
  kiln_executable *e = compiled(), *loaded = nullptr;
  std::string path = testing::TempDir() + "capi-" + std::to_string(getpid()) + ".kiln";
  ASSERT_EQ(kiln_save(e, path.c_str()), KILN_OK) << kiln_last_error()->message;
  std::string report = kiln_report(e);
  kiln_close(e);
  ASSERT_EQ(kiln_load(path.c_str(), nullptr, &loaded), KILN_OK) << kiln_last_error()->message;
  EXPECT_EQ(kiln_report(loaded), report);
  kiln_close(loaded);
  std::remove(path.c_str());
  EXPECT_EQ(kiln_load_bytes("KILN", 4, nullptr, &loaded), KILN_INVALID_INPUT);
}

} // namespace
