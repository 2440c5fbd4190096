// RUN: not kiln-opt %s --gpu-lower=target=sm_10 2>&1 | FileCheck %s

// CHECK: unknown gpu target `sm_10`
tile.kernel @k() grid 1 threads 32 {
  tile.return
}
