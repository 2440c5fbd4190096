// A driver too old for Kiln: it lacks entry points.
#include <cuda.h>

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
  *version = 11040;
  return CUDA_SUCCESS;
}
