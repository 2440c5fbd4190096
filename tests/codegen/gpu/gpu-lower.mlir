// RUN: kiln-opt %s --gpu-lower --split-input-file | FileCheck %s

// Whole fragments: one 16-byte access per run, packed arithmetic, 32-bit indices, no branch.
// CHECK-LABEL: llvm.func @pointwise(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64}, %[[Y:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64})
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, ptx.arguments = [{buffer = 0 : i64}, {buffer = 1 : i64}], ptx.shared_bytes = 0 : i64
// CHECK-DAG: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 4> : i32
// CHECK: %[[FIRST:.*]] = llvm.mul %[[TID]], %{{.*}} : i32
// CHECK: %[[AT:.*]] = llvm.add %{{.*}}, %[[FIRST]] : i32
// CHECK: %[[WIDE:.*]] = llvm.sext %[[AT]] : i32 to i64
// CHECK: %[[P:.*]] = llvm.getelementptr %[[X]][%[[WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: llvm.load %[[P]] invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[P]][2048] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK: llvm.load %[[NEXT]] invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-4: llvm.fadd %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-4: llvm.fadd %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tile.kernel @pointwise(%x: !tile.global<8192xbf16>, %y: !tile.global<8192xbf16>) grid 4 threads 128 {
  %c2048 = arith.constant 2048 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c2048 : index
  %v = tile.load %x[%o] aligned 8 : !tile.global<8192xbf16> -> tensor<2048xbf16, #tile.blocked<vec = 8, threads = 128>>
  %w = arith.addf %v, %v : tensor<2048xbf16, #tile.blocked<vec = 8, threads = 128>>
  tile.store %w, %y[%o] aligned 8 : tensor<2048xbf16, #tile.blocked<vec = 8, threads = 128>>, !tile.global<8192xbf16>
  tile.return
}

// -----

// Two bf16 are the upper halves of two f32; f16 are converted.
// CHECK-LABEL: llvm.func @extended
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: llvm.shl %[[WORD]], %{{.*}} : i32
// CHECK: llvm.and %[[WORD]], %{{.*}} : i32
// CHECK: llvm.fpext %{{.*}} : vector<2xf16> to vector<2xf32>
tile.kernel @extended(%x: !tile.global<64xbf16>, %y: !tile.global<64xf16>, %z: !tile.global<64xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] aligned 2 : !tile.global<64xbf16> -> tensor<64xbf16, #tile.blocked<vec = 2, threads = 32>>
  %w = tile.load %y[%c0] aligned 2 : !tile.global<64xf16> -> tensor<64xf16, #tile.blocked<vec = 2, threads = 32>>
  %a = arith.extf %v : tensor<64xbf16, #tile.blocked<vec = 2, threads = 32>> to tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  %b = arith.extf %w : tensor<64xf16, #tile.blocked<vec = 2, threads = 32>> to tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  %s = arith.addf %a, %b : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.store %s, %z[%c0] aligned 2 : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

// -----

// A mask of whole runs: each is one predicated access; nothing branches. What is written elsewhere is not read-only.
// CHECK-LABEL: llvm.func @whole_runs
// CHECK: %[[COUNT:.*]] = llvm.intr.umin
// CHECK: %[[LEFT:.*]] = llvm.sub %[[COUNT]]
// CHECK: %[[P:.*]] = llvm.icmp "sgt" %[[LEFT]]
// CHECK: ptx.load %{{.*}} if %[[P]] : !llvm.ptr<1> -> f32, f32, f32, f32
// CHECK: %[[Q:.*]] = llvm.icmp "sgt" %[[LEFT]]
// CHECK: ptx.load %{{.*}} + 512 if %[[Q]] : !llvm.ptr<1> -> f32, f32, f32, f32
// CHECK: ptx.store [%{{.*}} : f32, f32, f32, f32], %{{.*}} if %[[P]] : !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : f32, f32, f32, f32], %{{.*}} + 512 if %[[Q]] : !llvm.ptr<1>
// CHECK-NOT: ptx.store
tile.kernel @whole_runs(%x: !tile.global<1000xf32>) grid 4 threads 64 {
  %c256 = arith.constant 256 : index
  %c1000 = arith.constant 1000 : index
  %id = tile.cta_id
  %w = tile.warp_id
  %o = arith.muli %id, %c256 : index
  %n = arith.subi %c1000, %o : index
  %m = tile.lane_mask %n aligned 4 : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>>
  %v = tile.load %x[%o] aligned 4 mask %m : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>> : !tile.global<1000xf32> -> tensor<256xf32, #tile.blocked<vec = 4, threads = 32>>
  %s = arith.addf %v, %v : tensor<256xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.store %s, %x[%o] aligned 4 mask %m : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>> : tensor<256xf32, #tile.blocked<vec = 4, threads = 32>>, !tile.global<1000xf32>
  tile.return
}

// -----

// A mask that may cut a run: it is read whole, what is past the end is zero; it is written whole or by elements.
// CHECK-LABEL: llvm.func @cut_runs
// CHECK: ptx.load %{{.*}} if %{{.*}} {read_only} : !llvm.ptr<1> -> i32, i32
// CHECK: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, bf16
// CHECK: ptx.store [%{{.*}} : i32, i32], %{{.*}} if %{{.*}} : !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : i16], %{{.*}} if %{{.*}} : !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : i16], %{{.*}} + 2 if %{{.*}} : !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : i16], %{{.*}} + 4 if %{{.*}} : !llvm.ptr<1>
// CHECK-NOT: ptx.store
tile.kernel @cut_runs(%x: !tile.global<100xbf16>, %y: !tile.global<100xbf16>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %m = tile.lane_mask %c99 : tensor<128xi1, #tile.blocked<vec = 4, threads = 32>>
  %v = tile.load %x[%c0] mask %m : tensor<128xi1, #tile.blocked<vec = 4, threads = 32>> : !tile.global<100xbf16> -> tensor<128xbf16, #tile.blocked<vec = 4, threads = 32>>
  tile.store %v, %y[%c0] mask %m : tensor<128xi1, #tile.blocked<vec = 4, threads = 32>> : tensor<128xbf16, #tile.blocked<vec = 4, threads = 32>>, !tile.global<100xbf16>
  tile.return
}

// -----

// An offset that is a multiple of 2 elements: accesses of 4 bytes.
// CHECK-LABEL: llvm.func @narrow_accesses
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
tile.kernel @narrow_accesses(%x: !tile.global<1026xf16>, %y: !tile.global<1026xf16>) grid 2 threads 32 {
  %c2 = arith.constant 2 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c2 : index
  %v = tile.load %x[%o] aligned 2 : !tile.global<1026xf16> -> tensor<256xf16, #tile.blocked<vec = 8, threads = 32>>
  tile.store %v, %y[%o] aligned 2 : tensor<256xf16, #tile.blocked<vec = 8, threads = 32>>, !tile.global<1026xf16>
  tile.return
}

// -----

// Any other mask: elements one by one. bool is a byte, four in a word.
// CHECK-LABEL: llvm.func @general_mask
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: %[[P:.*]] = llvm.icmp "ne"
// CHECK: %[[Q:.*]] = llvm.icmp "ne"
// CHECK: ptx.load %{{.*}} if %{{.*}} {read_only} : !llvm.ptr<1> -> f32
// CHECK: ptx.load %{{.*}} + 4 if %{{.*}} {read_only} : !llvm.ptr<1> -> f32
// CHECK-COUNT-4: ptx.store [%{{.*}} : f32]
tile.kernel @general_mask(%k: !tile.global<128xi1>, %x: !tile.global<128xf32>, %y: !tile.global<128xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %m = tile.load %k[%c0] : !tile.global<128xi1> -> tensor<128xi1, #tile.blocked<vec = 4, threads = 32>>
  %v = tile.load %x[%c0] mask %m : tensor<128xi1, #tile.blocked<vec = 4, threads = 32>> : !tile.global<128xf32> -> tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.store %v, %y[%c0] mask %m : tensor<128xi1, #tile.blocked<vec = 4, threads = 32>> : tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>, !tile.global<128xf32>
  tile.return
}

// -----

// Index arithmetic of gathers is done in 32 bits where extents allow, divisions too; memory of more than 2^31 elements
// takes 64-bit addresses.
// CHECK-LABEL: llvm.func @gathered
// CHECK: llvm.sdiv %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> f32
tile.kernel @gathered(%x: !tile.global<64xf32>, %y: !tile.global<64xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant dense<3> : tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>
  %l = tile.lanes : tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>
  %d = arith.divsi %l, %c3 : tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>
  %v = tile.gather %x[%d : tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.store %v, %y[%c0] : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @vast
// CHECK: %[[WIDE:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK: llvm.add %[[WIDE]], %{{.*}} : i64
tile.kernel @vast(%x: !tile.global<4294967296xf32>) grid 33554432 threads 32 {
  %c128 = arith.constant 128 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c128 : index
  %z = arith.constant dense<0.0> : tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.store %z, %x[%o] aligned 4 : tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>, !tile.global<4294967296xf32>
  tile.return
}

// -----

// So does every element of a gather from there, and rows far apart, however few elements they have.
// CHECK-LABEL: llvm.func @vast_gather
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1> {{.*}}, %{{.*}}: !llvm.ptr<1> {{.*}}, %{{.*}}: !llvm.ptr<1>
// CHECK-NOT: llvm.trunc
// CHECK: llvm.getelementptr %[[X]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK-NOT: llvm.trunc
// CHECK: llvm.getelementptr %[[X]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
tile.kernel @vast_gather(%x: !tile.global<4294967296xf32>, %i: !tile.global<64xi64>, %y: !tile.global<64xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %o = tile.load %i[%c0] : !tile.global<64xi64> -> tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>
  %v = tile.gather %x[%o : tensor<64xi64, #tile.blocked<vec = 2, threads = 32>>] : !tile.global<4294967296xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.store %v, %y[%c0] : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @far_rows
// CHECK-DAG: %[[STRIDE:.*]] = llvm.mlir.constant(67108864 : i64) : i64
// CHECK: %[[ROW:.*]] = llvm.mul %{{.*}}, %[[STRIDE]] : i64
// CHECK: %[[MORE:.*]] = llvm.add %[[ROW]], %{{.*}} : i64
// CHECK: %[[AT:.*]] = llvm.add %{{.*}}, %[[MORE]] : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
// Row 8 of a thread is 2^29 elements, 2^32 bytes behind: more than an instruction's constant.
// CHECK: %[[FAR:.*]] = llvm.mlir.constant(536870912 : i64) : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[FAR]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
tile.kernel @far_rows(%x: !tile.global<64x16xi64, strides = [67108864, 1]>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<64x16xi64, #tile.mma_acc<warps = [4, 1]>>
  tile.store %z, %x[%c0] aligned 2 rows 67108864 : tensor<64x16xi64, #tile.mma_acc<warps = [4, 1]>>, !tile.global<64x16xi64, strides = [67108864, 1]>
  tile.return
}

// -----

// The largest memory that 32 bits are enough for, and one element more.
// CHECK-LABEL: llvm.func @nearly_far_rows
// CHECK: llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: llvm.sext %{{.*}} : i32 to i64
tile.kernel @nearly_far_rows(%x: !tile.global<2x1073741824xf32, strides = [1073741823, 1]>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #tile.mma_acc<warps = [1, 1]>>
  tile.store %z, %x[%c0] rows 8 : tensor<16x8xf32, #tile.mma_acc<warps = [1, 1]>>, !tile.global<2x1073741824xf32, strides = [1073741823, 1]>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @just_too_far_rows
// CHECK: llvm.mul %{{.*}}, %{{.*}} : i64
tile.kernel @just_too_far_rows(%x: !tile.global<2x1073741824xf32, strides = [1073741824, 1]>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #tile.mma_acc<warps = [1, 1]>>
  tile.store %z, %x[%c0] rows 8 : tensor<16x8xf32, #tile.mma_acc<warps = [1, 1]>>, !tile.global<2x1073741824xf32, strides = [1073741824, 1]>
  tile.return
}

// -----

// A copy's rows, likewise.
// CHECK-LABEL: llvm.func @far_copy
// CHECK-DAG: %[[STRIDE:.*]] = llvm.mlir.constant(268435456 : i64) : i64
// CHECK: llvm.mul %{{.*}}, %[[STRIDE]] : i64
// CHECK: nvvm.cp.async
tile.kernel @far_copy(%x: !tile.global<16x64xbf16, strides = [268435456, 1]>) grid 1 threads 128 attributes {shared_bytes = 2048 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %t = tile.alloc {offset = 0 : i64} : !tile.shared<16x64xbf16>
  tile.async_copy %x[%c0] rows 268435456 limit [%c16, %c64], %t : !tile.global<16x64xbf16, strides = [268435456, 1]>, !tile.shared<16x64xbf16>
  tile.return
}

// -----

// A scalar is stored by one thread: of the CTA, or of each warp where warps may store different ones.
// CHECK-LABEL: llvm.func @scalars
// CHECK-DAG: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: %[[LANE:.*]] = llvm.and %[[TID]]
// CHECK-DAG: %[[FIRST:.*]] = llvm.icmp "eq" %[[TID]], %{{.*}} : i32
// CHECK-DAG: %[[OF_WARP:.*]] = llvm.icmp "eq" %[[LANE]], %{{.*}} : i32
// CHECK-DAG: ptx.store [%{{.*}} : f32], %{{.*}} if %[[FIRST]]
// CHECK-DAG: ptx.store [%{{.*}} : f32], %{{.*}} if %[[OF_WARP]]
tile.kernel @scalars(%x: !tile.global<64xf32>, %y: !tile.global<64xf32>) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %w = tile.warp_id
  %v = tile.load %x[%c0] : !tile.global<64xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<64xf32>
  tile.store %v, %y[%w] : f32, !tile.global<64xf32>
  tile.return
}

// -----

// A table's row is one access; the special function unit is one op per element.
// CHECK: llvm.mlir.global internal constant @[[TABLE:table_2x2f32_[0-9a-f]*]](dense<[1.000000e+00, 0.000000e+00, 5.000000e-01, 2.500000e-01]>
// CHECK-LABEL: llvm.func @functions
// CHECK: llvm.mlir.addressof @[[TABLE]] : !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK: ptx.approx <ex2>
tile.kernel @functions(%x: !tile.global<32xi32>, %y: !tile.global<32xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %i = tile.load %x[%c0] : !tile.global<32xi32> -> tensor<32xi32, #tile.blocked<vec = 1, threads = 32>>
  %a, %b = tile.lookup dense<[[1.0, 0.0], [0.5, 0.25]]> : tensor<2x2xf32> at %i : tensor<32xi32, #tile.blocked<vec = 1, threads = 32>> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  %s = arith.addf %a, %b : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  %e = tile.approx <exp2> %s : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.store %e, %y[%c0] : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, !tile.global<32xf32>
  tile.return
}

// -----

// A warp's fold: halves of the registers, then shuffles; no shared memory. Units are added in sequence.
// CHECK-LABEL: llvm.func @warp_fold
// CHECK-NOT: nvvm.barrier0
// CHECK-COUNT-32: llvm.fadd
// CHECK: llvm.fadd
// CHECK: llvm.fadd
// CHECK: %[[S:.*]] = llvm.fadd
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[S]]
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
tile.kernel @warp_fold(%x: !tile.global<1024xf32>, %y: !tile.global<1xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<-0.0> : tensor<128xf32, #tile.blocked<vec = 1, threads = 32>>
  %v = tile.load %x[%c0] : !tile.global<1024xf32> -> tensor<1024xf32, #tile.blocked<vec = 8, threads = 32>>
  %u = tile.fold_units <add> %v into %zero : tensor<1024xf32, #tile.blocked<vec = 8, threads = 32>>, tensor<128xf32, #tile.blocked<vec = 1, threads = 32>> -> tensor<128xf32, #tile.blocked<vec = 1, threads = 32>>
  %s = tile.fold <add> %u : tensor<128xf32, #tile.blocked<vec = 1, threads = 32>> -> f32
  tile.store %s, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}

// -----

// A CTA's fold: warps meet through shared memory behind one barrier, and another before the scratch tile is used again.
// CHECK: llvm.mlir.global external @kiln_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @cta_fold
// CHECK-SAME: ptx.shared_bytes = 1024 : i64
// CHECK: llvm.intr.maximum
// CHECK: llvm.mlir.addressof @kiln_shared : !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: nvvm.barrier0
tile.kernel @cta_fold(%x: !tile.global<256xf32>, %y: !tile.global<2xf32>) grid 1 threads 128 attributes {shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc {offset = 0 : i64} : !tile.shared<256xf32>
  %v = tile.load %x[%c0] : !tile.global<256xf32> -> tensor<256xf32, #tile.blocked<vec = 1, threads = 128>>
  %m = tile.fold <max> %v through %t : !tile.shared<256xf32> : tensor<256xf32, #tile.blocked<vec = 1, threads = 128>> -> f32
  %s = tile.fold <add> %v through %t : !tile.shared<256xf32> : tensor<256xf32, #tile.blocked<vec = 1, threads = 128>> -> f32
  tile.store %m, %y[%c0] : f32, !tile.global<2xf32>
  tile.store %s, %y[%c1] : f32, !tile.global<2xf32>
  tile.return
}

// -----

// A slot's address is so many slots on, each with the bytes that a period of its swizzle takes.
// CHECK-LABEL: llvm.func @slots(
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(1024 : i32) : i32
// CHECK: llvm.mul %{{.*}}, %[[BYTES]] : i32
tile.kernel @slots(%x: !tile.global<16xbf16>, %y: !tile.global<16xbf16>) grid 4 threads 32 attributes {shared_bytes = 2048 : i64} {
  %c0 = arith.constant 0 : index
  %cta = tile.cta_id
  %r = tile.alloc_ring {offset = 0 : i64} : !tile.ring<2 x !tile.shared<8x16xbf16, swizzle = 32>>
  %t = tile.slot %r[%cta] : !tile.ring<2 x !tile.shared<8x16xbf16, swizzle = 32>> -> !tile.shared<8x16xbf16, swizzle = 32>
  %v = tile.load %t[%c0] : !tile.shared<8x16xbf16, swizzle = 32> -> bf16
  tile.store %v, %y[%c0] : bf16, !tile.global<16xbf16>
  tile.return
}
