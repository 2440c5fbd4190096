// RUN: kiln-opt %s --split-input-file --tile-graph=target=sm_80 --verify-diagnostics

func.func @warps_and_rows(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: `bm, warpsM`: warps share the CTA tile evenly, as MMA atoms}}
  // expected-note @below {{expected: a multiple of 64}}
  // expected-note @below {{found: 96}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bm = 96, warpsM = 4}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @warps_and_columns(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: `bn, warpsN`: warps share the CTA tile evenly, as MMA atoms}}
  // expected-note @below {{expected: a multiple of 64}}
  // expected-note @below {{found: 96}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bn = 96, warpsN = 4}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @too_many_warps(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: a CTA has so many warps}}
  // expected-note @below {{expected: 1 to 32}}
  // expected-note @below {{found: 64}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bm = 256, bn = 256, warpsM = 8, warpsN = 8}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @rows_of_the_epilogue(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: `bm`: every warp stores as many rows}}
  // expected-note @below {{expected: a multiple of 3 warps}}
  // expected-note @below {{found: 64}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bm = 64, bn = 96, warpsM = 1, warpsN = 3}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// An operand through registers: its rows are lanes of a warp, and are dealt to the warps.
func.func @lanes(%x: tensor<65x65xbf16>) -> tensor<65x65xf32> {
  // expected-error @below {{illegal schedule of a matmul: `bk`: an operand comes through a warp's registers row by row}}
  // expected-note @below {{expected: a multiple of 32}}
  // expected-note @below {{found: 16}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<65x65xbf16>) -> tensor<65x65xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bk = 16}>} {
    %1 = graph.matmul %a, %a : (tensor<65x65xbf16>, tensor<65x65xbf16>) -> tensor<65x65xf32>
    graph.yield %1 : tensor<65x65xf32>
  }
  return %0 : tensor<65x65xf32>
}

// -----

func.func @dealt_rows(%x: tensor<65x65xbf16>) -> tensor<65x65xf32> {
  // expected-error @below {{illegal schedule of a matmul: an operand's rows must be dealt to the warps evenly}}
  // expected-note @below {{expected: a multiple of 6 warps}}
  // expected-note @below {{found: 64}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<65x65xbf16>) -> tensor<65x65xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bm = 96, bn = 96, bk = 64, warpsM = 2, warpsN = 3}>} {
    %1 = graph.matmul %a, %a : (tensor<65x65xbf16>, tensor<65x65xbf16>) -> tensor<65x65xf32>
    graph.yield %1 : tensor<65x65xf32>
  }
  return %0 : tensor<65x65xf32>
}

// -----

func.func @shared_memory(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: shared memory of a CTA on sm_80}}
  // expected-note @below {{expected: at most 166912 bytes}}
  // expected-note @below {{found: 196608}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bn = 256, stages = 4, warpsN = 4}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @registers(%x: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: registers of each of 128 threads}}
  // expected-note @below {{expected: at most 255}}
  // expected-note @below {{found: about 400}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xbf16>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bn = 256}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @threads(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: `threadsM, threadsN`: threads are whole warps}}
  // expected-note @below {{expected: a multiple of 32 up to 1024}}
  // expected-note @below {{found: 16}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {threadsM = 4, threadsN = 4}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @fours(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{illegal schedule of a matmul: `bn, threadsN`: threads share the CTA tile in fours}}
  // expected-note @below {{expected: a multiple of 64}}
  // expected-note @below {{found: 96}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bn = 96}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @knob_of_the_other_kind(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{a "matmul" schedule has no knob `stages`}}
  // expected-note @below {{expected: one of bm, bn, bk, threadsM, threadsN, group}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {stages = 2}>} {
    %1 = graph.matmul %a, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
