/* Kiln from C, for a program that runs compiled graphs: libkiln_runtime.so has what is declared here, and no compiler.
 * libkiln.so has it, too, and what is in kiln/kiln.h.
 *
 * Every function that can fail returns a kiln_status; kiln_last_error() says what went wrong. No C++ exception comes
 * out, whatever happens. All functions may be called from several threads at once, on one handle too, but for closing
 * it. Tensors are dense and row-major; bools are bytes of 0 or 1. */
#ifndef KILN_KILN_RUNTIME_H
#define KILN_KILN_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KILN_API __attribute__((visibility("default")))
#else
#define KILN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when something that existed changes, not when something is added. */
#define KILN_ABI_VERSION 1
/* That of the library at hand. */
KILN_API int kiln_abi_version(void);
/* "0.1.0". */
KILN_API const char *kiln_version(void);

typedef enum kiln_status {
  KILN_OK = 0,
  KILN_USAGE = 1,         /* the call makes no sense: a null pointer, an unknown name */
  KILN_INVALID_INPUT = 2, /* a file, a graph or a tensor that is not as it must be */
  KILN_NO_DEVICE = 3,     /* this machine cannot run it */
  KILN_WRONG_RESULT = 4,
  KILN_INTERNAL = 5 /* the compiler or the device is at fault */
} kiln_status;

/* What went wrong, the facts apart; texts are "" where nothing is known. */
typedef struct kiln_error {
  kiln_status code;
  const char *message;  /* all of it, in one to five lines */
  const char *op;       /* the op, file or call that refused */
  const char *rule;     /* the rule that was broken */
  const char *expected; /* what the rule asks for */
  const char *found;    /* what was there instead */
  const char *hint;     /* what to do about it */
  const char *file;     /* the line of the user's graph */
  int line;
} kiln_error;

/* The last failure of the calling thread; `code` is KILN_OK if there was none. Valid until that thread's next failure.
 */
KILN_API const kiln_error *kiln_last_error(void);

/* A compiled graph on its device. */
typedef struct kiln_executable kiln_executable;

/* Start one with KILN_LOAD_OPTIONS, so that fields added later are what they were before they existed. */
typedef struct kiln_load_options {
  size_t size;     /* sizeof(kiln_load_options) */
  int32_t threads; /* that a launch on the cpu may use; 0: one per hardware thread */
  int32_t ordinal; /* which of the GPUs */
} kiln_load_options;
#define KILN_LOAD_OPTIONS                                                                                              \
  { sizeof(kiln_load_options), 0, 0 }

/* Loads a file that `kiln compile` or kiln_save wrote. `options` may be null. Files hold code: load those you trust. */
KILN_API kiln_status kiln_load(const char *path, const kiln_load_options *options, kiln_executable **executable);
/* The same from memory, which is not needed afterwards. */
KILN_API kiln_status kiln_load_bytes(const void *bytes, size_t size, const kiln_load_options *options,
                                     kiln_executable **executable);
/* Writes such a file, without the values of parameters. */
KILN_API kiln_status kiln_save(const kiln_executable *executable, const char *path);
/* Waits for the executable's runs. Replays and buffers made with it live on. Null is let pass. */
KILN_API void kiln_close(kiln_executable *executable);

/* Text about it, valid until it is closed. */
KILN_API const char *kiln_device(const kiln_executable *executable); /* "cpu", "cuda" */
KILN_API const char *kiln_target(const kiln_executable *executable); /* "cpu", "sm_80" */
KILN_API const char *kiln_report(const kiln_executable *executable); /* what compiling came to, as JSON */
KILN_API const char *kiln_plan(const kiln_executable *executable);   /* buffers and launches, as JSON */

typedef enum kiln_dtype {
  KILN_F64 = 0,
  KILN_F32 = 1,
  KILN_TF32 = 2,
  KILN_F16 = 3,
  KILN_BF16 = 4,
  KILN_F8E4M3FN = 5,
  KILN_F8E5M2 = 6,
  KILN_F8E8M0 = 7,
  KILN_I64 = 8,
  KILN_I32 = 9,
  KILN_I8 = 10,
  KILN_I4 = 11,
  KILN_BOOL = 12
} kiln_dtype;
/* "bf16"; null for a number that is none. */
KILN_API const char *kiln_dtype_name(kiln_dtype dtype);

typedef enum kiln_role {
  KILN_INPUT = 0,     /* given to every run */
  KILN_PARAMETER = 1, /* bound once, by name */
  KILN_OUTPUT = 2
} kiln_role;

typedef struct kiln_tensor_info {
  const char *name;
  kiln_dtype dtype;
  int32_t rank;
  const int64_t *shape; /* `rank` extents, outermost first */
  size_t bytes;
} kiln_tensor_info;

/* How many there are, and what each is; valid until the executable is closed. Runs take and give tensors in this order.
 */
KILN_API size_t kiln_count(const kiln_executable *executable, kiln_role role);
KILN_API kiln_status kiln_describe(const kiln_executable *executable, kiln_role role, size_t index,
                                   kiln_tensor_info *info);

/* Gives a parameter its value, of `bytes` bytes in host memory, which is copied. Runs that have begun keep the old one.
 */
KILN_API kiln_status kiln_bind(kiln_executable *executable, const char *name, const void *data, size_t bytes);
/* Binds every parameter from a .safetensors file, which may hold more and must not shrink while this is open. */
KILN_API kiln_status kiln_bind_file(kiln_executable *executable, const char *path);
/* Loads kernels and parameters onto the device now; otherwise the first run does it, and the first after a bind. */
KILN_API kiln_status kiln_prepare(kiln_executable *executable);

/* Runs on device memory, aligned to its elements: `inputs` and `outputs` are addresses in the order of kiln_describe.
 * Returns when the run is given to `stream` (a CUstream or cudaStream_t; null is the default stream); what it works on
 * must stay until it is done there. On the cpu `stream` is null, addresses are the process's, and it is done on return.
 * Outputs that overlap inputs or each other are refused. On a GPU kernels read whole words: what else lies in a 16-byte
 * word (at a multiple of 16) that holds an element may be read, too, and is not used; nothing but outputs is written.
 * Every allocator of CUDA keeps such words whole: they give out multiples of 256 bytes. A stream being captured into a
 * CUDA graph captures the run, if one ran before. */
KILN_API kiln_status kiln_run(kiln_executable *executable, void *const *inputs, size_t input_count,
                              void *const *outputs, size_t output_count, void *stream);
/* Runs on host memory, on any device, and waits. */
KILN_API kiln_status kiln_run_host(kiln_executable *executable, const void *const *inputs, size_t input_count,
                                   void *const *outputs, size_t output_count);
/* Returns when everything given to `stream` is done. */
KILN_API kiln_status kiln_synchronize(kiln_executable *executable, void *stream);

/* Device memory that Kiln owns. */
typedef struct kiln_buffer kiln_buffer;
/* kiln_run into memory of Kiln's own: fills `outputs` with a buffer for each output, which the caller releases. Memory
 * released is used again by later runs of the stream, so no other stream may still work on it. */
KILN_API kiln_status kiln_run_owned(kiln_executable *executable, void *const *inputs, size_t input_count,
                                    kiln_buffer **outputs, size_t output_count, void *stream);
KILN_API void *kiln_buffer_data(const kiln_buffer *buffer);
KILN_API size_t kiln_buffer_bytes(const kiln_buffer *buffer);
/* Null is let pass. */
KILN_API void kiln_buffer_release(kiln_buffer *buffer);

/* DLPack, by which frameworks pass tensors in memory; these have the layout of its DLTensor and DLManagedTensor. */
typedef struct kiln_dl_tensor {
  void *data;
  struct {
    int32_t type; /* 1: cpu, 2: cuda */
    int32_t id;
  } device;
  int32_t rank;
  struct {
    uint8_t code; /* 0: int, 2: float, 4: bfloat, 6: bool, 10: f8E4M3FN, 12: f8E5M2, 14: f8E8M0 */
    uint8_t bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; null: dense */
  uint64_t byte_offset;
} kiln_dl_tensor;
typedef struct kiln_dl_managed_tensor {
  kiln_dl_tensor tensor;
  void *manager;
  void (*deleter)(struct kiln_dl_managed_tensor *self);
} kiln_dl_managed_tensor;

/* The address of a tensor that somebody else made, for kiln_run to take as that input or output: it must have the
 * dtype, shape and device of the graph's, and be dense. */
KILN_API kiln_status kiln_dl_address(const kiln_executable *executable, kiln_role role, size_t index,
                                     const kiln_dl_tensor *tensor, void **address);
/* Makes a tensor of a buffer, which it takes over: whoever has the tensor calls its deleter in the end. */
KILN_API kiln_status kiln_buffer_to_dl(kiln_buffer *buffer, kiln_dl_managed_tensor **tensor);

/* A run on fixed addresses, to be repeated at less cost: on a GPU, one CUDA graph. */
typedef struct kiln_replay kiln_replay;
/* Nothing runs yet. The memory at these addresses must outlive the replay. */
KILN_API kiln_status kiln_capture(kiln_executable *executable, void *const *inputs, size_t input_count,
                                  void *const *outputs, size_t output_count, kiln_replay **replay);
/* Gives it to `stream`, as kiln_run does. */
KILN_API kiln_status kiln_replay_run(kiln_replay *replay, void *stream);
/* Waits for its runs. Null is let pass. */
KILN_API void kiln_replay_close(kiln_replay *replay);

#ifdef __cplusplus
}
#endif

#endif
