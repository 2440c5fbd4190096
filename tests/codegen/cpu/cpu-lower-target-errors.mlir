// RUN: not kiln-opt %s --cpu-lower=target=avx1024 2>&1 | FileCheck %s

// CHECK: unknown cpu target `avx1024`
module {}
