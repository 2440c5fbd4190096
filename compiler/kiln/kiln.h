/* Kiln from C: compile graphs, and run them. What is common to compiled graphs, runs and errors is in
 * kiln/kiln_runtime.h, which comes along.
 *
 *   kiln_executable *graph;
 *   if (kiln_compile_file("m.mlir", NULL, &graph)) puts(kiln_last_error()->message);
 *   kiln_bind_file(graph, "w.safetensors");
 *   kiln_run_host(graph, inputs, 1, outputs, 1);
 *   kiln_close(graph); */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include "kiln/kiln_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start one with KILN_COMPILE_OPTIONS, so that fields added later are what they were before they existed. */
typedef struct kiln_compile_options {
  size_t size;         /* sizeof(kiln_compile_options) */
  const char *device;  /* "cpu", "cuda"; null: "cpu" */
  const char *target;  /* "avx2", "sm_80", as kiln_devices() lists them; null: the best that the device has */
  const char *entry;   /* the function to compile; null: "main" */
  int32_t threads;     /* that compile, and that a launch on the cpu may use; 0: one per hardware thread */
  int32_t no_fuse;     /* 1: one kernel per op; the bits of every output are the same */
  int32_t keep_ir;     /* 1: keep the IR of every level for kiln_ir */
  int32_t any_machine; /* 1: code for all machines that have the target's instructions, so that it can be saved */
  const char *bind;    /* of a tile program alone: its extents and scalars, "M=4096,N=512,scale=0.125"; null: none */
  const char *schedules; /* of all kernels of a family: "row {ctas = 4}; column {ctas = 8, warps = 4}"; null: chosen */
} kiln_compile_options;
#define KILN_COMPILE_OPTIONS {sizeof(kiln_compile_options), NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL}

/* Compiles a graph from `size` bytes of .mlir text or MLIR bytecode. Text that holds tile programs alone is a graph
 * that calls one of them, `entry` or the only one: inputs are the arguments that it reads, outputs those it writes.
 * `options` may be null. */
KILN_API kiln_status kiln_compile(const char *text, size_t size, const kiln_compile_options *options,
                                  kiln_executable **executable);
/* The same from a file. */
KILN_API kiln_status kiln_compile_file(const char *path, const kiln_compile_options *options,
                                       kiln_executable **executable);

/* The IR of one level as text: "graph", "fused", "tile" or "llvm". Only with keep_ir. Valid until it is closed. */
KILN_API kiln_status kiln_ir(kiln_executable *executable, const char *level, const char **text);

/* What graphs can run on, as JSON: an array of {"name", "present", "detail", "targets"}. Valid for good. */
KILN_API const char *kiln_devices(void);

#ifdef __cplusplus
}
#endif

#endif
