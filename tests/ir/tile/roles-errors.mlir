// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics

!T = !tile.shared<64x64xbf16, swizzle = 128>

tile.kernel @k() grid 1 threads 256 {
  // expected-error @below {{'tile.specialize' (C1): roles part once, at the end of the kernel}}
  // expected-note @below {{expected: in the kernel's block, then tile.return}}
  // expected-note @below {{found: tile.barrier behind it}}
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
  }
  tile.barrier
  tile.return
}

tile.kernel @k_2() grid 1 threads 256 {
  // expected-error @below {{'tile.specialize' (C2): each role's warpgroups are threads of the CTA}}
  // expected-note @below {{expected: at least 1 consumer, 384 threads for 2}}
  // expected-note @below {{found: 256}}
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_3() grid 1 threads 384 {
  // expected-error @below {{'tile.specialize' (C3): a role's registers are what hardware deals out}}
  // expected-note @below {{expected: a multiple of 8, 24 to 240}}
  // expected-note @below {{found: 42}}
  tile.specialize producer registers 42 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

// Three consumers of 176 would fit a file that one thread alone fills; the launch gives 128 to each.
tile.kernel @k_4() grid 1 threads 512 {
  // expected-error @below {{'tile.specialize' (C3): roles share the registers of the launch}}
  // expected-note @below {{expected: at most 512, 128 for each of 4 warpgroups}}
  // expected-note @below {{found: 24 + 3 x 176 = 552}}
  tile.specialize producer registers 24 {
  } consumers 3 registers 176 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_5() grid 1 threads 256 {
  // expected-error @below {{'tile.specialize' (C4): a consumer is told its number, the producer nothing}}
  // expected-note @below {{expected: one index, none}}
  // expected-note @below {{found: none and none}}
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  }
  tile.return
}

tile.kernel @k_6(%c: !tile.global<64x64xbf16>) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.specialize' (C5): one thread produces}}
  // expected-note @below {{expected: no op that threads meet for}}
  // expected-note @below {{found: tile.tma_store}}
  tile.specialize producer registers 40 {
    tile.tma_store %t, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
    tile.tma_store_wait 0
  } consumers 1 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_7(%x: !tile.global<256xf32>) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tile.specialize' (C5): one thread produces}}
  // expected-note @below {{expected: no op that threads meet for}}
  // expected-note @below {{found: tile.load}}
  tile.specialize producer registers 40 {
    %v = tile.load %x[%c0] : !tile.global<256xf32> -> tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>
  } consumers 1 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

// Fragments of a role are its warpgroup's.
tile.kernel @k_8(%x: !tile.global<256xf32>) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    // expected-error @below {{'tile.kernel' (C5): a fragment must fit the role's warpgroup}}
    // expected-note @below {{expected: a fragment of 128 threads}}
    // expected-note @below {{found: tensor<256xf32, #tile.blocked<vec = 1, threads = 256>>}}
    %v = tile.load %x[%c0] : !tile.global<256xf32> -> tensor<256xf32, #tile.blocked<vec = 1, threads = 256>>
  }
  tile.return
}

tile.kernel @k_9() grid 1 threads 384 {
  // expected-error @below {{'tile.alloc_turns' (C1): turns are taken by the kernel's consumers}}
  // expected-note @below {{expected: of 2 warpgroups}}
  // expected-note @below {{found: 3}}
  %turns = tile.alloc_turns : !tile.turns<3>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_10() grid 1 threads 640 {
  // expected-error @below {{'tile.alloc_turns' (C2): a CTA has few named barriers}}
  // expected-note @below {{expected: 16: its own, one of each warpgroup, one of each turn}}
  // expected-note @below {{found: 18}}
  %a = tile.alloc_turns : !tile.turns<4>
  %b = tile.alloc_turns : !tile.turns<4>
  %c = tile.alloc_turns : !tile.turns<4>
  tile.specialize producer registers 24 {
  } consumers 4 registers 112 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_11() grid 1 threads 384 {
  %turns = tile.alloc_turns : !tile.turns<2>
  // expected-error @below {{'tile.take_turn' (C1): consumers take turns}}
  // expected-note @below {{expected: in a `consumers` region}}
  // expected-note @below {{found: elsewhere}}
  tile.take_turn %turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_12() grid 1 threads 384 {
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
    // expected-error @below {{'tile.pass_turn' (C1): consumers take turns}}
    // expected-note @below {{expected: in a `consumers` region}}
    // expected-note @below {{found: elsewhere}}
    tile.pass_turn %turns : !tile.turns<2>
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_13() grid 2 cluster 2 threads 256 {
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    // expected-error @below {{'tile.cluster_barrier' (C1): all threads of a cluster meet}}
    // expected-note @below {{expected: outside of roles}}
    // expected-note @below {{found: in a role}}
    tile.cluster_barrier
  }
  tile.return
}

tile.kernel @k_14() grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !tile.shared<64xf32>
  // expected-error @below {{'tile.remote' (C1): the result is the tile's}}
  // expected-note @below {{expected: !tile.shared<64xf32>}}
  // expected-note @below {{found: !tile.shared<32xf32>}}
  %r = tile.remote %t at %c0 : !tile.shared<64xf32> -> !tile.remote<!tile.shared<32xf32>>
  tile.return
}

tile.kernel @k_15(%a: !tile.global<?x64xbf16> {tile.dims = ["M", "K"]}) grid 1 threads 128 {
  // expected-error @below {{'tile.extent' (C1): some argument's dimension has the name}}
  // expected-note @below {{expected: M, K}}
  // expected-note @below {{found: N}}
  %n = tile.extent "N"
  tile.return
}

tile.kernel @k_16(%a: !tile.global<8xf32>, %b: !tile.global<8xf32>, %left: i1) grid 1 threads 128 {
  %either = arith.select %left, %a, %b : !tile.global<8xf32>
  // expected-error @below {{'tile.stride' (C1): a launch knows the strides of arguments}}
  // expected-note @below {{expected: an argument of the kernel}}
  // expected-note @below {{found: another value}}
  %s = tile.stride %either[0] : !tile.global<8xf32>
  tile.return
}

tile.kernel @k_17(%a: !tile.global<8x8xf32>) grid 1 threads 128 {
  // expected-error @below {{'tile.stride' (C2): the memory has the dimension}}
  // expected-note @below {{expected: below 2}}
  // expected-note @below {{found: 2}}
  %s = tile.stride %a[2] : !tile.global<8x8xf32>
  tile.return
}

tile.kernel @k_18(%n: index) grid 1 threads 128 {
  %t = tile.cta_id
  // expected-error @below {{'tile.rasterize' (C1): a group has rows}}
  // expected-note @below {{expected: 1 or more}}
  // expected-note @below {{found: 0}}
  %i, %j = tile.rasterize %t of [%n, %n] group 0
  tile.return
}

tile.kernel @k_19(%x: f32) grid 1 threads 256 {
  // expected-error @below {{'tile.specialize' (C1): roles part once, at the end of the kernel}}
  // expected-note @below {{expected: in the kernel's block, then tile.return}}
  // expected-note @below {{found: nothing behind it}}
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
  }
}

// -----

// expected-error @below {{'!tile.turns' (C1): turns are taken by several warpgroups}}
// expected-note @below {{expected: 2 to 4}}
// expected-note @below {{found: 1}}
func.func private @f(!tile.turns<1>)
