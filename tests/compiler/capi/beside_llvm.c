/* Kiln beside another LLVM in one process: beside_llvm LIBKILN ORDER LIBRARY...
 * ORDER is "before" or "after": when the other libraries are opened, for all to see. Then both compile something. */
#define _GNU_SOURCE
#include <kiln/kiln.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *pointer) {
  if (pointer) return pointer;
  fprintf(stderr, "%s\n", dlerror());
  exit(1);
}

/* The function `name` of `library`, as `type`; the detour is what C allows. */
#define FUNCTION(type, variable, library, name)                                                                        \
  type variable;                                                                                                       \
  do {                                                                                                                 \
    void *address = must(dlsym(library, name));                                                                        \
    memcpy(&(variable), &address, sizeof address);                                                                     \
  } while (0)

static void open_all(int count, char **libraries) {
  for (int i = 0; i < count; ++i) must(dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL));
}

/* The other LLVM makes assembly of a function. */
static void use_llvm(void) {
  static const char text[] = "define float @f(float %x) {\n  %y = fmul float %x, 2.0\n  ret float %y\n}\n";
  typedef void *(*Create)(void);
  typedef void (*Initialize)(void);
  typedef void *(*Buffer)(const char *, size_t, const char *, int);
  typedef int (*Parse)(void *, void *, void **, char **);
  typedef int (*FindTarget)(const char *, void **, char **);
  typedef void *(*Machine)(void *, const char *, const char *, const char *, int, int, int);
  typedef int (*Emit)(void *, void *, int, char **, void **);
  typedef const char *(*Text)(void *);
  FUNCTION(Initialize, target_info, RTLD_DEFAULT, "LLVMInitializeX86TargetInfo");
  FUNCTION(Initialize, target, RTLD_DEFAULT, "LLVMInitializeX86Target");
  FUNCTION(Initialize, target_mc, RTLD_DEFAULT, "LLVMInitializeX86TargetMC");
  FUNCTION(Initialize, printer, RTLD_DEFAULT, "LLVMInitializeX86AsmPrinter");
  FUNCTION(Create, create, RTLD_DEFAULT, "LLVMContextCreate");
  FUNCTION(Buffer, buffer, RTLD_DEFAULT, "LLVMCreateMemoryBufferWithMemoryRangeCopy");
  FUNCTION(Parse, parse, RTLD_DEFAULT, "LLVMParseIRInContext");
  FUNCTION(FindTarget, find_target, RTLD_DEFAULT, "LLVMGetTargetFromTriple");
  FUNCTION(Machine, machine, RTLD_DEFAULT, "LLVMCreateTargetMachine");
  FUNCTION(Emit, emit, RTLD_DEFAULT, "LLVMTargetMachineEmitToMemoryBuffer");
  FUNCTION(Text, start, RTLD_DEFAULT, "LLVMGetBufferStart");
  void *module = NULL, *found = NULL, *code = NULL;
  char *error = NULL;
  (void)buffer;
  target_info();
  target();
  target_mc();
  printer();
  if (parse(create(), buffer(text, strlen(text), "f", 0), &module, &error) ||
      find_target("x86_64-unknown-linux-gnu", &found, &error) ||
      emit(machine(found, "x86_64-unknown-linux-gnu", "x86-64", "", 2, 2, 0), module, 0, &error, &code) ||
      !strstr(start(code), "addss")) {
    fprintf(stderr, "the other LLVM fails: %s\n", error ? error : "no addss");
    exit(1);
  }
}

static void use_kiln(void *library) {
  static const char graph[] = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                              "  %y = math.exp %x : tensor<8xf32>\n"
                              "  %z = arith.addf %y, %x : tensor<8xf32>\n"
                              "  return %z : tensor<8xf32>\n}\n";
  typedef kiln_status (*Compile)(const char *, size_t, const kiln_compile_options *, kiln_executable **);
  typedef kiln_status (*Run)(kiln_executable *, void *const *, size_t, void *const *, size_t, void *);
  typedef const kiln_error *(*LastError)(void);
  FUNCTION(Compile, compile, library, "kiln_compile");
  FUNCTION(Run, run, library, "kiln_run");
  FUNCTION(LastError, last_error, library, "kiln_last_error");
  kiln_executable *executable = NULL;
  float x[8] = {0}, y[8] = {0};
  void *inputs[] = {x}, *outputs[] = {y};
  if (compile("no graph", 8, NULL, &executable) != KILN_INVALID_INPUT ||
      compile(graph, strlen(graph), NULL, &executable) || run(executable, inputs, 1, outputs, 1, NULL) || y[7] != 1) {
    fprintf(stderr, "kiln fails: %s\n", last_error()->message);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int before = strcmp(argv[2], "before") == 0;
  if (before) open_all(argc - 3, argv + 3);
  void *library = must(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
  use_kiln(library);
  if (!before) open_all(argc - 3, argv + 3);
  use_llvm();
  use_kiln(library);
  use_llvm();
  must(dlclose(library) == 0 ? argv[0] : NULL);
  puts("both compile");
  return 0;
}
