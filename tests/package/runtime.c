/* A program of the runtime alone: its version, and what it says of a file that there is not. */
#include <kiln/kiln_runtime.h>

#include <stdio.h>

int main(void) {
  kiln_executable *executable = NULL;
  kiln_status status = kiln_load("/nonexistent.kiln", NULL, &executable);
  printf("Kiln's runtime %s: status %d\n", kiln_version(), (int)status);
  return status == KILN_INVALID_INPUT ? 0 : 1;
}
