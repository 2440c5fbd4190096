/* run_file FILE: runs a compiled graph of f32 tensors on inputs and parameters that are all ones, and prints the first
 * element of each output. It is linked with libkiln_runtime.so alone: there is no compiler. */
#include <kiln/kiln_runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { kMost = 16 };

static int fail(void) {
  fprintf(stderr, "%s\n", kiln_last_error()->message);
  return (int)kiln_last_error()->code;
}

static float *ones(size_t bytes) {
  float *memory = malloc(bytes + 1);
  for (size_t i = 0; memory && i < bytes / sizeof(float); ++i) memory[i] = 1;
  return memory;
}

/* Memory for every tensor of a role; how many there are, or -1. */
static int make_all(const kiln_executable *executable, kiln_role role, void **memory) {
  size_t count = kiln_count(executable, role);
  kiln_tensor_info info;
  for (size_t i = 0; i < count && i < kMost; ++i) {
    if (kiln_describe(executable, role, i, &info)) return -1;
    memory[i] = ones(info.bytes);
  }
  return count <= kMost ? (int)count : -1;
}

int main(int argc, char **argv) {
  kiln_executable *executable;
  kiln_tensor_info info;
  void *inputs[kMost], *parameters[kMost], *outputs[kMost];
  if (argc != 2) return KILN_USAGE;
  if (kiln_load(argv[1], NULL, &executable)) return fail();
  int in = make_all(executable, KILN_INPUT, inputs), out = make_all(executable, KILN_OUTPUT, outputs);
  int bound = make_all(executable, KILN_PARAMETER, parameters);
  if (in < 0 || out < 0 || bound < 0) return fail();
  for (int i = 0; i < bound; ++i)
    if (kiln_describe(executable, KILN_PARAMETER, (size_t)i, &info) ||
        kiln_bind(executable, info.name, parameters[i], info.bytes))
      return fail();
  if (kiln_run_host(executable, (const void *const *)inputs, (size_t)in, outputs, (size_t)out)) return fail();
  for (int i = 0; i < out; ++i) printf("%g\n", (double)*(float *)outputs[i]);
  for (int i = 0; i < in; ++i) free(inputs[i]);
  for (int i = 0; i < bound; ++i) free(parameters[i]);
  for (int i = 0; i < out; ++i) free(outputs[i]);
  kiln_close(executable);
  return 0;
}
