// RUN: not kiln-opt %s --gpu-lower=target=sm_10 2>&1 | FileCheck %s
// RUN: not kiln-opt %s --gpu-lower=target=sm_70 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not kiln-opt %s --gpu-lower=target=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not kiln-opt %s --gpu-lower=target=sm_121 2>&1 | FileCheck %s --check-prefix=NEW

// CHECK: unknown gpu target `sm_10`
// OLD: unknown gpu target `sm_7{{0|5}}`: the nearest is `sm_80`, the oldest that code is made for
// NEW: unknown gpu target `sm_121`: the nearest is `sm_120`
tile.kernel @k() grid 1 threads 32 {
  tile.return
}
