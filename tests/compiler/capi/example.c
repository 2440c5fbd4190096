/* Kiln from C11: compiles a graph, runs it in every way there is, saves it, and runs the file. */
#include <kiln/kiln.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char graph[] = "func.func @main(%x: tensor<4x8xf32> {graph.name = \"x\"},\n"
                            "                %w: tensor<8x2xf32> {graph.name = \"w\", graph.param})\n"
                            "    -> (tensor<4x2xf32> {graph.name = \"y\"}, tensor<4x2xf32> {graph.name = \"r\"}) {\n"
                            "  %y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>\n"
                            "  %r = graph.relu %y : tensor<4x2xf32>\n"
                            "  return %y, %r : tensor<4x2xf32>, tensor<4x2xf32>\n"
                            "}\n";

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "line %d: %s is not so\n%s\n", __LINE__, #condition, kiln_last_error()->message);                \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static float x[32], w[16], y[8], r[8];
static void *inputs[] = {x}, *outputs[] = {y, r};

/* What y and r must be. */
static void check(const float *ys, const float *rs) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int k = 0; k < 8; ++k) sum = fmaf(x[8 * i + k], w[2 * k + j], sum);
      CHECK(ys[2 * i + j] == sum);
      CHECK(rs[2 * i + j] == (sum > 0 ? sum : 0));
    }
}

static void forget(void) {
  memset(y, 0xFF, sizeof y);
  memset(r, 0xFF, sizeof r);
}

static void check_description(const kiln_executable *executable) {
  kiln_tensor_info info;
  CHECK(kiln_count(executable, KILN_INPUT) == 1 && kiln_count(executable, KILN_PARAMETER) == 1);
  CHECK(kiln_count(executable, KILN_OUTPUT) == 2);
  CHECK(kiln_describe(executable, KILN_OUTPUT, 1, &info) == KILN_OK);
  CHECK(strcmp(info.name, "r") == 0 && info.dtype == KILN_F32 && info.rank == 2 && info.bytes == sizeof r);
  CHECK(info.shape[0] == 4 && info.shape[1] == 2 && strcmp(kiln_dtype_name(info.dtype), "f32") == 0);
  CHECK(kiln_describe(executable, KILN_OUTPUT, 2, &info) == KILN_USAGE);
  CHECK(strcmp(kiln_device(executable), "cpu") == 0);
  CHECK(strstr(kiln_report(executable), "\"kernels\"") && strstr(kiln_plan(executable), "\"steps\""));
}

static void run_in_every_way(kiln_executable *executable) {
  kiln_buffer *owned[2];
  kiln_replay *replay;
  forget();
  CHECK(kiln_run_host(executable, (const void *const *)inputs, 1, outputs, 2) == KILN_OK);
  check(y, r);
  forget();
  CHECK(kiln_run(executable, inputs, 1, outputs, 2, NULL) == KILN_OK);
  CHECK(kiln_synchronize(executable, NULL) == KILN_OK);
  check(y, r);
  CHECK(kiln_run_owned(executable, inputs, 1, owned, 2, NULL) == KILN_OK);
  CHECK(kiln_buffer_bytes(owned[0]) >= sizeof y);
  check(kiln_buffer_data(owned[0]), kiln_buffer_data(owned[1]));
  kiln_buffer_release(owned[0]);
  kiln_buffer_release(owned[1]);
  CHECK(kiln_capture(executable, inputs, 1, outputs, 2, &replay) == KILN_OK);
  for (int i = 0; i < 3; ++i) {
    x[0] += 1;
    forget();
    CHECK(kiln_replay_run(replay, NULL) == KILN_OK);
    check(y, r);
  }
  kiln_replay_close(replay);
}

int main(int argc, char **argv) {
  kiln_executable *executable = NULL, *loaded = NULL;
  kiln_compile_options options = KILN_COMPILE_OPTIONS;
  const char *file = argc > 1 ? argv[1] : "example.kiln", *ir = NULL;
  for (int i = 0; i < 32; ++i) x[i] = (float)(i % 7) - 3;
  for (int i = 0; i < 16; ++i) w[i] = 0.25f * (float)(i % 5) - 0.5f;

  CHECK(kiln_abi_version() == KILN_ABI_VERSION);
  CHECK(kiln_last_error()->code == KILN_OK);
  CHECK(kiln_compile("graph", 5, NULL, &executable) == KILN_INVALID_INPUT && !executable);
  CHECK(kiln_last_error()->code == KILN_INVALID_INPUT && strstr(kiln_last_error()->message, "kiln_compile"));

  options.threads = 2;
  options.keep_ir = 1;
  options.any_machine = 1;
  CHECK(kiln_compile(graph, strlen(graph), &options, &executable) == KILN_OK);
  check_description(executable);
  CHECK(kiln_ir(executable, "fused", &ir) == KILN_OK && strstr(ir, "graph.kernel"));
  CHECK(kiln_ir(executable, "attic", &ir) == KILN_USAGE);
  CHECK(kiln_run_host(executable, (const void *const *)inputs, 1, outputs, 2) ==
        KILN_INVALID_INPUT); /* w is not bound */
  CHECK(strcmp(kiln_last_error()->op, "w") == 0);
  CHECK(kiln_bind(executable, "w", w, sizeof w - 1) == KILN_INVALID_INPUT);
  CHECK(kiln_bind(executable, "w", w, sizeof w) == KILN_OK && kiln_prepare(executable) == KILN_OK);
  run_in_every_way(executable);
  CHECK(kiln_save(executable, file) == KILN_OK);
  kiln_close(executable);

  CHECK(kiln_load(file, NULL, &loaded) == KILN_OK);
  check_description(loaded);
  CHECK(kiln_bind(loaded, "w", w, sizeof w) == KILN_OK);
  run_in_every_way(loaded);
  kiln_close(loaded);
  kiln_close(NULL);
  puts("all as it should be");
  return 0;
}
