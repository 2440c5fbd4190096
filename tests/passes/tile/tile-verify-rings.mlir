// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand,tile-verify-rings))' --split-input-file --verify-diagnostics | FileCheck %s

!T = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<5 x !T>
!M = !tile.global<?x?xbf16>
!Ring2 = !tile.ring<2 x !T>
!M2 = !tile.global<64x64xbf16>
!Ring16 = !tile.ring<16 x !T>
!M3 = !tile.global<?x64xbf16>
!M4 = !tile.global<?x?x?x?x?xf32>
!Ring1 = !tile.ring<1 x !T>

// Tile after tile, consumers in turn, one ring for all: iterations go on counting. A condition that no launch tells
// decides nothing where both ways are the same.
// CHECK-LABEL: tile.kernel @fine_2
tile.kernel @fine_2(%a: !M {tile.dims = ["M", "K"]}, %n: index) grid "sms" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tile.extent "M"
  %k = tile.extent "K"
  %tiles = tile.index ceildiv(%m, 64)
  %steps = tile.index ceildiv(%k, 64)
  %first = tile.cta_id
  %ctas = tile.cta_count
  %ring = tile.alloc_ring readers 1 : !Ring
  %turns = tile.alloc_turns : !tile.turns<2>
  %large = arith.cmpi sgt, %n, %c1 : index
  tile.specialize producer registers 40 {
    %end = scf.for %t = %first to %tiles step %ctas iter_args(%base = %c0) -> index {
      %next = scf.for %s = %c0 to %steps step %c1 iter_args(%i = %base) -> index {
        scf.if %large {
          tile.fill %ring[%i] {
          ^slot(%as: !T, %full: !tile.mbarrier):
            tile.tma_load %a[%t, %s], %as signal %full : !M, !T
          } : !Ring
        } else {
          tile.fill %ring[%i] {
          ^slot(%as: !T, %full: !tile.mbarrier):
            tile.tma_load %a[%s, %t], %as signal %full : !M, !T
          } : !Ring
        }
        %after = tile.index %i + 1
        scf.yield %after : index
      }
      scf.yield %next : index
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %mine = tile.index %first + %group * %ctas
    %stride = tile.index 2 * %ctas
    scf.for %t = %mine to %tiles step %stride {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      tile.take_turn %turns : !tile.turns<2>
      scf.for %s = %c0 to %steps step %c1 {
        %i = tile.index %base + %s
        %as = tile.ring_wait %ring[%i] : !Ring -> !T
        %more = arith.cmpi ne, %s, %c0 : index
        %before = tile.index %i - 1
        tile.ring_release %ring[%before] if %more : !Ring
      }
      tile.pass_turn %turns : !tile.turns<2>
      %last = tile.index %base + %steps - 1
      tile.ring_release %ring[%last] : !Ring
    }
  }
  tile.return
}

// What no launch tells is taken to be right: so many turns, such iterations, a condition.
// CHECK-LABEL: tile.kernel @unknown_2
tile.kernel @unknown_2(%a: !M2, %from: !tile.global<4xi64>, %n: index) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = tile.load %from[%c0] : !tile.global<4xi64> -> i64
  %shift = arith.index_cast %loaded : i64 to index
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %n step %c1 {
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %c0], %as signal %full : !M2, !T
      } : !Ring2
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %i = tile.index %shift - 1
    %as = tile.ring_wait %ring[%i] : !Ring2 -> !T
    %some = arith.cmpi sgt, %i, %c0 : index
    tile.ring_release %ring[%i] if %some : !Ring2
    scf.for %s = %c0 to %n step %c1 {
      %bs = tile.ring_wait %ring[%s] : !Ring2 -> !T
    }
  }
  tile.return
}

// A ring that is filled whole, then drained, has a slot for each of its iterations: of rows as short as declared.
// CHECK-LABEL: tile.kernel @short_2
tile.kernel @short_2(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 128 attributes {tile.ranges = {K = [0, 1024]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring16
  scf.for %s = %c0 to %steps step %c1 {
    tile.fill %ring[%s] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
    } : !Ring16
  }
  scf.for %s = %c0 to %steps step %c1 {
    %as = tile.ring_wait %ring[%s] : !Ring16 -> !T
    tile.ring_release %ring[%s] : !Ring16
  }
  tile.return
}

// Right where there are more keys than queries: the keys before the queries' own, the last of which is always released.
// CHECK-LABEL: tile.kernel @keys_before_2
tile.kernel @keys_before_2(%q: !M3 {tile.dims = ["Sq", "D"]}, %k: !M3 {tile.dims = ["Sk", "D"]}) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %queries = tile.extent "Sq"
  %keys = tile.extent "Sk"
  %steps = tile.index ceildiv(%keys - %queries, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %k[%s, %c0], %as signal %full : !M3, !T
      } : !Ring2
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    scf.for %s = %c0 to %steps step %c1 {
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      %more = arith.cmpi ne, %s, %c0 : index
      %before = tile.index %s - 1
      tile.ring_release %ring[%before] if %more : !Ring2
    }
    %last = tile.index %steps - 1
    tile.ring_release %ring[%last] : !Ring2
  }
  tile.return
}

// Elements of five extents, or of three by one CTA, are many only where each extent is large.
// CHECK-LABEL: tile.kernel @flat_2
tile.kernel @flat_2(%x: !M4 {tile.dims = ["A", "B", "C", "D", "E"]}) grid "sms" threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cta = tile.cta_id
  %ctas = tile.cta_count
  %a = tile.extent "A"
  %b = tile.extent "B"
  %c = tile.extent "C"
  %d = tile.extent "D"
  %e = tile.extent "E"
  %three = tile.index %a * %b * %c
  scf.for %i = %c0 to %three step %c1 {
    tile.barrier
  }
  %blocks = tile.index ceildiv(%three * %d * %e, 1024)
  scf.for %i = %cta to %blocks step %ctas {
    tile.barrier
  }
  tile.return
}

// A warpgroup and a half release twice.
// CHECK-LABEL: tile.kernel @one_and_a_half_2
tile.kernel @one_and_a_half_2(%a: !M2) grid 1 threads 192 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %ring = tile.alloc_ring readers 2 : !Ring1
  scf.for %i = %c0 to %c3 step %c1 {
    tile.fill %ring[%i] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %as signal %full : !M2, !T
    } : !Ring1
    %as = tile.ring_wait %ring[%i] : !Ring1 -> !T
    tile.ring_release %ring[%i] : !Ring1
  }
  tile.return
}

// Filled once, and kept: so often as the loop around it says.
// CHECK-LABEL: tile.kernel @kept_2
tile.kernel @kept_2(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  scf.for %i = %c0 to %c2 step %c1 {
    tile.fill %r[%i] {
    ^slot(%t: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    } : !tile.ring<2 x !T>
  }
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %u = tile.ring_wait %r[%c1] : !tile.ring<2 x !T> -> !T
  tile.return
}

// -----

!T = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<16 x !T>
!M = !tile.global<?x?xbf16>
!Ring24 = !tile.ring<24 x !T>
!Ring2 = !tile.ring<2 x !T>
!M2 = !tile.global<64x64xbf16>
!Ring5 = !tile.ring<5 x !T>
!Ring3 = !tile.ring<3 x !T>
!Ring1 = !tile.ring<1 x !T>

// Declared by a step too many.
tile.kernel @too_long(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 128 attributes {tile.ranges = {K = [64, 1025]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring
  scf.for %s = %c0 to %steps step %c1 {
    // expected-error @below {{'tile.fill': who waits at a ring goes on in the end}}
    // expected-note @below {{expected: a fill for each wait, and `readers` releases for each fill}}
    // expected-note @below {{found: the CTA for the release of iteration 0 (0 of 1 readers did) waits for ever; in CTA 0 of 1, where K = 1025, M = 1536}}
    // expected-note @below {{as release; or no such launch: `attributes {tile.ranges = {K = [64, 1024]}}`}}
    tile.fill %ring[%s] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
    } : !Ring
  }
  scf.for %s = %c0 to %steps step %c1 {
    %as = tile.ring_wait %ring[%s] : !Ring -> !T
    tile.ring_release %ring[%s] : !Ring
  }
  tile.return
}

// Undeclared, and wrong in one of the launches.
tile.kernel @undeclared(%a: !M {tile.dims = ["M", "K"]}) grid "sms" threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring24
  scf.for %s = %c0 to %steps step %c1 {
    // expected-error @below {{'tile.fill': who waits at a ring goes on in the end}}
    // expected-note @below {{expected: a fill for each wait, and `readers` releases for each fill}}
    // expected-note @below {{found: the CTA for the release of iteration 0 (0 of 1 readers did) waits for ever; in CTA 0 of 151, where K = 3840, M = 3840, sms = 151}}
    // expected-note @below {{as release; or no such launch: `attributes {tile.ranges = {K = [0, 1536]}}`}}
    tile.fill %ring[%s] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
    } : !Ring24
  }
  scf.for %s = %c0 to %steps step %c1 {
    %as = tile.ring_wait %ring[%s] : !Ring24 -> !T
    tile.ring_release %ring[%s] : !Ring24
  }
  tile.return
}

// Right from the declared extents' middle on.
tile.kernel @none(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 128 attributes {tile.ranges = {K = [0, 4096]}} {
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  scf.for %s = %c1 to %steps step %c1 {
    %i = tile.index %s - 1
    tile.fill %ring[%i] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%i, %i], %as signal %full : !M, !T
    } : !Ring2
    %as = tile.ring_wait %ring[%i] : !Ring2 -> !T
    tile.ring_release %ring[%i] : !Ring2
  }
  %last = tile.index %steps - 1
  // expected-error @below {{'tile.fill': iterations of a ring count from 0}}
  // expected-note @below {{found: -1, by the CTA; in CTA 0 of 1, where K = 0, M = 1536}}
  // expected-note @below {{expected: 0 or more}}
  // expected-note @below {{comes before the first; or no such launch: `attributes {tile.ranges = {K = [1, 4096]}}`}}
  tile.fill %ring[%last] {
  ^slot(%as: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%last, %last], %as signal %full : !M, !T
  } : !Ring2
  %as = tile.ring_wait %ring[%last] : !Ring2 -> !T
  tile.return
}

// One of two readers releases.
tile.kernel @too_many_readers(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 2 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      // expected-error @below {{'tile.fill': who waits at a ring goes on in the end}}
      // expected-note @below {{expected: a fill for each wait, and `readers` releases for each fill}}
      // expected-note @below {{found: the producer for the release of iteration 0 (1 of 2 readers did), consumer 0 for the copies of iteration 2 wait for ever; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: the same iterations in all roles: loops of the same bounds, and as many `readers` as release}}
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %mine = arith.cmpi eq, %group, %c0 : index
    scf.if %mine {
      scf.for %s = %c0 to %steps step %c1 {
        %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
        tile.ring_release %ring[%s] : !Ring2
      }
    }
  }
  tile.return
}

// Two release what has one reader.
tile.kernel @too_few_readers(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    scf.for %s = %c0 to %steps step %c1 {
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      // expected-error @below {{'tile.ring_release': an iteration is released by as many warpgroups as the ring has `readers`}}
      // expected-note @below {{expected: 1}}
      // expected-note @below {{found: one more of iteration 0, by consumer 1; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: as many `readers` as consumers that release it}}
      tile.ring_release %ring[%s] : !Ring2
    }
  }
  tile.return
}

// Two warpgroups without roles release together.
tile.kernel @together(%a: !M2) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.fill %ring[%c0] {
  ^slot(%as: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %as signal %full : !M2, !T
  } : !Ring2
  %as = tile.ring_wait %ring[%c0] : !Ring2 -> !T
  // expected-error @below {{'tile.ring_release': an iteration is released by as many warpgroups as the ring has `readers`}}
  // expected-note @below {{expected: 1}}
  // expected-note @below {{found: one more of iteration 0, by the CTA; in CTA 0 of 1}}
  // expected-note @below {{try: as many `readers` as consumers that release it}}
  tile.ring_release %ring[%c0] : !Ring2
  tile.return
}

// The second tile starts with iteration 0 again.
tile.kernel @counts_anew(%a: !M {tile.dims = ["M", "K"]}) grid 2 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tile.extent "M"
  %k = tile.extent "K"
  %tiles = tile.index ceildiv(%m, 64)
  %steps = tile.index ceildiv(%k, 64)
  %first = tile.cta_id
  %ctas = tile.cta_count
  %ring = tile.alloc_ring readers 1 : !Ring5
  tile.specialize producer registers 40 {
    scf.for %t = %first to %tiles step %ctas {
      scf.for %s = %c0 to %steps step %c1 {
        // expected-error @below {{'tile.fill': a slot's iterations are filled one after the other, each once}}
        // expected-note @below {{expected: iteration 25 in slot 0 of 5}}
        // expected-note @below {{found: iteration 0; in CTA 0 of 2, where K = 1536, M = 1536}}
        // expected-note @below {{try: iterations that go on counting from tile to tile, and from loop to loop}}
        tile.fill %ring[%s] {
        ^slot(%as: !T, %full: !tile.mbarrier):
          tile.tma_load %a[%t, %s], %as signal %full : !M, !T
        } : !Ring5
      }
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    scf.for %t = %first to %tiles step %ctas {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      scf.for %s = %c0 to %steps step %c1 {
        %i = tile.index %base + %s
        %as = tile.ring_wait %ring[%i] : !Ring5 -> !T
        tile.ring_release %ring[%i] : !Ring5
      }
    }
  }
  tile.return
}

tile.kernel @negative(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    scf.for %s = %c0 to %steps step %c1 {
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      %before = tile.index %s - 1
      // expected-error @below {{'tile.ring_release': iterations of a ring count from 0}}
      // expected-note @below {{expected: 0 or more}}
      // expected-note @below {{found: -1, by consumer 0; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: a condition that leaves out what comes before the first}}
      tile.ring_release %ring[%before] : !Ring2
    }
  }
  tile.return
}

// A fill too few.
tile.kernel @fewer(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c1 to %steps step %c1 {
      %i = tile.index %s - 1
      tile.fill %ring[%i] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    scf.for %s = %c0 to %steps step %c1 {
      // expected-error @below {{'tile.ring_wait': who waits at a ring goes on in the end}}
      // expected-note @below {{expected: a fill for each wait, and `readers` releases for each fill}}
      // expected-note @below {{found: consumer 0 for the copies of iteration 23 waits for ever; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: the same iterations in all roles: loops of the same bounds, and as many `readers` as release}}
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      tile.ring_release %ring[%s] : !Ring2
    }
  }
  tile.return
}

// A fill too many: its copy lands when the CTA has ended.
tile.kernel @more(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      // expected-error @below {{'tile.fill': what is filled is waited for before a CTA ends}}
      // expected-note @below {{expected: a tile.ring_wait for each fill}}
      // expected-note @below {{found: none for iteration 23; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: the same iterations in all roles: loops of the same bounds}}
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %fewer = tile.index %steps - 1
    scf.for %s = %c0 to %fewer step %c1 {
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      tile.ring_release %ring[%s] : !Ring2
    }
  }
  tile.return
}

// Three slots for two consumers: now one's, now the other's, and a barrier tells even from odd alone.
tile.kernel @let_through(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring3
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring3
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    scf.for %s = %group to %steps step %c2 {
      // expected-error @below {{'tile.ring_wait': who waits for an iteration knows that the slot's one before has come}}
      // expected-note @below {{expected: a wait for iteration 1 before}}
      // expected-note @below {{found: iteration 4 waited for by consumer 0, which did not; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: as many slots that each is always the same consumers', or turns}}
      %as = tile.ring_wait %ring[%s] : !Ring3 -> !T
      tile.ring_release %ring[%s] : !Ring3
    }
  }
  tile.return
}

// Both wait, and the first alone releases: the other one comes when the slot has been filled again.
tile.kernel @too_late(%a: !M {tile.dims = ["M", "K"]}) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, 64)
  %ring = tile.alloc_ring readers 1 : !Ring2
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      // expected-error @below {{'tile.fill': a slot is filled again when all who wait for it have come}}
      // expected-note @below {{expected: a release of iteration 0 by consumer 1}}
      // expected-note @below {{found: iteration 2 filled without; in CTA 0 of 1, where K = 1536, M = 1536}}
      // expected-note @below {{try: as many `readers` as consumers that wait, each of which releases}}
      tile.fill %ring[%s] {
      ^slot(%as: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %s], %as signal %full : !M, !T
      } : !Ring2
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %mine = arith.cmpi eq, %group, %c0 : index
    scf.for %s = %c0 to %steps step %c1 {
      %as = tile.ring_wait %ring[%s] : !Ring2 -> !T
      tile.ring_release %ring[%s] if %mine : !Ring2
    }
  }
  tile.return
}

// The step before the last is never released, the one behind it is.
tile.kernel @out_of_order(%a: !M2) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.alloc_ring readers 1 : !Ring1
  tile.specialize producer registers 40 {
    tile.fill %ring[%c0] {
    ^slot(%as: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %as signal %full : !M2, !T
    } : !Ring1
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %as = tile.ring_wait %ring[%c0] : !Ring1 -> !T
    // expected-error @below {{'tile.ring_release': a slot's iterations are released one after the other}}
    // expected-note @below {{expected: iteration 0 first}}
    // expected-note @below {{found: iteration 1, by consumer 0; in CTA 0 of 1}}
    // expected-note @below {{try: a release of each iteration that is waited for, behind its wait}}
    tile.ring_release %ring[%c1] : !Ring1
  }
  tile.return
}

// Turns that end before the tiles do.
tile.kernel @turns() grid 1 threads 384 {
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    tile.take_turn %turns : !tile.turns<2>
    // expected-error @below {{'tile.take_turn': who waits at a ring goes on in the end}}
    // expected-note @below {{expected: a fill for each wait, and `readers` releases for each fill}}
    // expected-note @below {{found: consumer 0 for its turn, consumer 1 for its turn wait for ever; in CTA 0 of 1}}
    // expected-note @below {{try: the same iterations in all roles: loops of the same bounds, and as many `readers` as release}}
    tile.take_turn %turns : !tile.turns<2>
    tile.pass_turn %turns : !tile.turns<2>
  }
  tile.return
}

// The second consumer passes on what it never took.
tile.kernel @passed_twice() grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %first = arith.cmpi eq, %group, %c0 : index
    scf.if %first {
      tile.take_turn %turns : !tile.turns<2>
    }
    tile.pass_turn %turns : !tile.turns<2>
    // expected-error @below {{'tile.pass_turn': a turn is passed to a consumer that has taken the one before}}
    // expected-note @below {{expected: a tile.take_turn by consumer 1 before}}
    // expected-note @below {{found: a second turn, passed by consumer 0; in CTA 0 of 1}}
    // expected-note @below {{try: a tile.take_turn before each tile.pass_turn}}
    tile.pass_turn %turns : !tile.turns<2>
  }
  tile.return
}

// Less than 0, over a number of CTAs: one that has no tile counts very many.
tile.kernel @underflow(%a: !M {tile.dims = ["M", "K"]}) grid "sms" threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.cta_id
  %ctas = tile.cta_count
  %m = tile.extent "M"
  %tiles = tile.index ceildiv(%m, 4096)
  %count = tile.index floordiv(%tiles - 1 - %first, %ctas)
  // expected-error @below {{'scf.for': a loop ends}}
  // expected-note @below {{expected: fewer than 2^31 turns}}
  // expected-note @below {{in CTA 22 of 23, where K = 1536, M = 1536, sms = 23}}
  // expected-note @below {{try: bounds that do not become less than 0: floordiv and ceildiv take them for large}}
  scf.for %i = %c0 to %count step %c1 {
    tile.barrier
  }
  tile.return
}

tile.kernel @no_step() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tile.cta_id
  // expected-error @below {{'scf.for': a loop ends}}
  // expected-note @below {{expected: a step of at least 1}}
  // expected-note @below {{found: a step of 0; in CTA 0 of 1}}
  // expected-note @below {{try: `step` of a positive constant, or of tile.cta_count}}
  scf.for %i = %c0 to %c1 step %none {
    tile.barrier
  }
  tile.return
}

tile.kernel @never_released(%a: !tile.global<64x64xbf16>, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.alloc_ring': who fills a ring waits for who releases it, and the other way round}}
  // expected-note @below {{expected: tile.fill, tile.ring_wait and tile.ring_release}}
  // expected-note @below {{found: only tile.fill, tile.ring_wait}}
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %r[%i] {
    ^slot(%t: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    } : !tile.ring<2 x !T>
    %t = tile.ring_wait %r[%i] : !tile.ring<2 x !T> -> !T
  }
  tile.return
}

tile.kernel @never_passed() grid 1 threads 384 {
  // expected-error @below {{'tile.alloc_turns': a turn that is taken is passed on}}
  // expected-note @below {{expected: tile.take_turn and tile.pass_turn}}
  // expected-note @below {{found: only tile.take_turn}}
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    tile.take_turn %turns : !tile.turns<2>
  }
  tile.return
}
