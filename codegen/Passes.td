// Passes from tile programs to the LLVM dialect.

#ifndef KILN_CODEGEN_PASSES
#define KILN_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def CpuLower : Pass<"cpu-lower", "::mlir::ModuleOp"> {
  let summary = "turns tile programs into functions of the LLVM dialect for the host's CPU";
  let description = [{
    Each `tile.kernel` becomes `llvm.func @name(slots, ctaBegin, ctaEnd, scratch)`, which runs the CTAs ctaBegin ..
    ctaEnd - 1 in order. slots[i] is the address of argument i; `scratch` holds the shared tiles at their offsets.

    ```mlir
    tile.kernel @scale(%x: !tile.global<1024xf32>, %y: !tile.global<1024xf32>) grid 16 {
      %v = tile.load %x[%o] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
      %w = arith.addf %v, %v : tensor<64xf32, #tile.simd>
      …
    // becomes
    llvm.func @scale(%slots: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
      %x = llvm.load %slots invariant : !llvm.ptr -> !llvm.ptr
      …
      %v0 = llvm.load %p {alignment = 4} : !llvm.ptr -> vector<16xf32>
      %w0 = llvm.fadd %v0, %v0 : vector<16xf32>
      … three more of each
    ```

    Each row of a `#tile.simd` fragment becomes vectors of as many lanes as a native vector has 32-bit elements (the last
    one shorter where the extent says so), a `#tile.simd_column` a scalar per row; loops carry them as that many values.
    Between memory accesses code is put depth first, so that few of these are alive at once. i1 elements are one byte in
    memory. Arguments may alias each other; none overlaps `scratch`. f16 and bf16 are held as i16; arithmetic on them is
    f32 and a rounding by integer arithmetic, the same on every target.

    Limits: f64, f32, f16, bf16, i64, i32, i16, i8 and i1; folds and mma of f32, f64 and integers alone; no swizzled shared tile; an op or type without a row is an error that
    names it. Numerics: every op rounds once, as it is written; maximum and minimum follow IEEE 754-2019; nothing is
    contracted or reassociated, and an op that asks for fast maths is refused.
  }];
  let options = [Option<"target", "target", "std::string", "\"avx512\"",
                        "the row of ir/target/Cpu.h that says how wide a native vector is">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def GpuLower : Pass<"gpu-lower", "::mlir::ModuleOp"> {
  let summary = "turns tile programs into what one thread of a gpu does: llvm, nvvm and ptx ops";
  let description = [{
    Each `tile.kernel` becomes `llvm.func @name(pointers)`, a kernel for CTAs of its `threads`, whose shared tiles lie at
    their offsets in the memory that a launch gives each CTA (`ptx.shared_bytes`). Pointers are to global memory and are
    multiples of 16 bytes; where an argument is only read, nothing else may write its memory while the kernel runs. What
    else a program asks of its launch follows the pointers, as `ptx.arguments` says: named extents, strides, scalars,
    tensor maps.

    ```mlir
    tile.kernel @twice(%x: !tile.global<4096xbf16>, %y: !tile.global<4096xbf16>) grid 4 threads 128 {
      %v = tile.load %x[%o] aligned 8 : !tile.global<4096xbf16> -> tensor<1024xbf16, #tile.blocked<vec = 8, threads = 128>>
      %w = arith.addf %v, %v : tensor<1024xbf16, #tile.blocked<vec = 8, threads = 128>>
      …
    // becomes
    llvm.func @twice(%x: !llvm.ptr<1> {llvm.align = 16}, %y: !llvm.ptr<1> {llvm.align = 16}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, …} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      …
      %v = llvm.load %p invariant {alignment = 16} : !llvm.ptr<1> -> vector<4xi32>
      %v0 = llvm.bitcast %e : i32 to vector<2xbf16>
      %w0 = llvm.fadd %v0, %v0 : vector<2xbf16>
      … three more of each
    ```

    A fragment becomes a thread's elements as `vector<2xT>`, scalars where it holds an odd number. Each run of elements
    that lie side by side is one access, as wide as the op's `aligned` and 16 bytes allow. Accesses under a mask are
    predicated, never branched round: whole runs where a `tile.lane_mask` cannot cut them, single elements otherwise; a
    masked load may read what else lies in a 16-byte word that holds an element it asks for. A scalar is stored by one
    thread. i1 elements are one byte in memory. Index arithmetic is done in 32 bits where ranges prove it. Loops carry
    remainders of counted numbers and the pointers from which their asynchronous copies read. Between memory accesses
    code is put depth first, so that few registers are live at once.

    On sm_90a roles become branches by warpgroup, of which the producer's is one thread's; rings become barriers in shared
    memory, a phase per round; sums in flight are single registers that nothing but products and waits touch. An op that
    a target lacks is an error that names the first target which has it.

    Limits: f64, f32, f16, bf16, i64, i32, i16, i8 and i1; a fragment takes at most 255 registers of a thread; an op or
    type without a row is an error that names it. Numerics: every op rounds once, as it is written, 16-bit ops by packed
    instructions; maximum and minimum follow IEEE 754-2019; nothing is contracted or reassociated, and an op that asks
    for fast maths is refused.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_80\"", "the row of ir/target/Gpu.h that it is for">];
  let dependentDialects = ["::kiln::ptx::PtxDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
