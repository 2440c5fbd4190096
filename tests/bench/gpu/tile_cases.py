"""What tile.py races and checks: the programs of examples/tile, at sizes that matter and at odd ones.

`CASES` is a list of dicts, as `tile.py --help` describes them. Programs that compute the same race in one case; a case
without peers is only checked. References are float64 and whole.
"""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "examples/tile")]
import cases  # noqa: E402
import variants  # noqa: E402

TILE = "examples/tile/"


def programs(*names):
    """{contestant: path}: files of examples/tile, or names of variants."""
    known = variants.RETILED | variants.OTHERS
    return {name: variants.file(name) if name in known else f"{TILE}{name}.mlir" for name in names}


def peer(function, *names):
    """A peer that computes `function` of those inputs."""
    return lambda inputs, outputs: lambda: function(*(inputs[name] for name in names))


def cudnn(q, k, v, **options):
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v, **options)


#--- Products -------------------------------------------------------------------------------------------------------


def product(size, layout, *names, bar=None, tolerance=None):
    """C = A·Bᵀ ("nt") or A·B ("nn"); `bar`: (hot, iso) of cuBLAS, or None to check it only."""
    m, n, k = size
    nt = layout == "nt"
    case = {"name": f"matmul {layout} {m}x{n}x{k}", "programs": programs(*names), "bind": {"M": m, "N": n, "K": k},
            "reference": lambda t: [t["a"].double() @ (t["b"].double().T if nt else t["b"].double())],
            "flops": 2 * m * n * k}
    if bar:
        case["peers"] = {"cublas": peer((lambda a, b: a @ b.T) if nt else (lambda a, b: a @ b), "a", "b")}
        case["bars"] = {"hot": {"cublas": bar[0]}, "iso": {"cublas": bar[1]}}
    if tolerance: case["tolerance"] = tolerance
    return case


LEVEL, AHEAD = (0.98, 0.98), (1.08, 1.05)
NT = "matmul_cooperative", "matmul_pingpong"
NN = "matmul_cooperative_nn", "pingpong nn"
STEPS = "steps/matmul_1_plain", "steps/matmul_2_ring", "steps/matmul_3_roles"
SM80 = "matmul_sm80", "steps/sm80_1_plain", "steps/sm80_2_ring", "steps/sm80_3_ahead"


def odd_beside_even():
    """Rows of C that start at odd elements, beside the nearest shape whose rows do not: cuBLAS is no measure here."""
    case = product((8192, 50257, 768), "nt", "matmul_odd", "steps/odd_1_words", "odd, elements")
    even = "ping-pong at 50304"
    return case | {"peers": {"cublas": peer(lambda a, b: a @ b.T, "a", "b")},
                   "beside": {even: {"program": TILE + "matmul_pingpong.mlir", "bind": {"M": 8192, "N": 50304, "K": 768}}},
                   "bars": {kind: {even: 0.97} for kind in ("hot", "iso")}}


def sm80_beside_generated(m, n, k):
    """By hand without the tensor memory accelerator, beside what Kiln makes of the same product without it."""
    case = product((m, n, k), "nn", *SM80)
    a, b, y = (cases.tensor_type(*shape) for shape in ((m, k), (k, n), (m, n)))
    graph = cases.function({"a": a, "b": b}, y, f"  %y = graph.matmul %a, %b : ({a}, {b}) -> {y}")
    return case | {"name": f"{case['name']} sm_80", "graphs": {"generated": graph},
                   "peers": {"cublas": peer(lambda a, b: a @ b, "a", "b")},
                   "bars": {kind: {"generated": 1.0} for kind in ("hot", "iso")}}


def products():
    yield product((8192, 8192, 8192), "nt", *NT, *STEPS, bar=LEVEL)
    yield product((16384, 3072, 768), "nt", *NT, *STEPS, bar=AHEAD)
    for size, bar in [((4096,) * 3, LEVEL), ((2048,) * 3, LEVEL), ((8192, 50304, 768), AHEAD)]:
        yield product(size, "nt", *NT, "pingpong 128x128", bar=bar)
    yield product((4096,) * 3, "nn", *NN, bar=LEVEL)
    yield sm80_beside_generated(4096, 4096, 4096)
    yield sm80_beside_generated(4104, 4104, 4104)  # in which no tile is whole
    for size, bar in [((8192,) * 3, LEVEL), ((2048,) * 3, LEVEL), ((8192, 50304, 768), AHEAD),
                      ((16384, 3072, 768), AHEAD)]:
        yield product(size, "nn", *NN, bar=bar)
    yield odd_beside_even()
    # Edges: less than a tile, one more than a tile, extents that are multiples of 8 alone.
    for size in [(8, 8, 8), (1, 8, 8), (129, 264, 72), (1000, 1048, 776), (300, 72, 2048), (4104, 4104, 136)]:
        yield product(size, "nt", *NT, *STEPS)
        yield product(size, "nn", *NN, *SM80)
    for size in [(1, 1, 8), (129, 193, 72), (777, 1001, 512), (200, 191, 64), (65, 3, 2048), (1025, 391, 72)]:
        yield product(size, "nt", "matmul_odd", "odd, elements", "odd 128x128")
    yield product((129, 200, 72), "nn", "odd nn")
    tiles = [name for name in variants.RETILED if name.startswith(("cooperative", "pingpong"))]
    of = {kind: [name for name in tiles if name.endswith(kind)] for kind in ("f16", "e4m3", "e5m2")}
    yield product((1000, 1040, 784), "nt", *(name for name in tiles if name not in sum(of.values(), [])))
    yield product((1000, 1040, 784), "nt", *of["f16"], "odd f16", tolerance=1e-3)
    yield product((1000, 1040, 784), "nt", *of["e4m3"])
    yield product((1000, 1040, 784), "nt", *of["e5m2"])
    yield product((1000, 1040, 784), "nt", "pingpong i8")
    yield product((1000, 1040, 784), "nt", "pingpong tf32")
    yield product((1000, 1040, 784), "nn", "sm80 128x128")
    yield product((1000, 1040, 784), "nn", "sm80 f16", tolerance=1e-3)


#--- Attention ------------------------------------------------------------------------------------------------------


def attended(q, k, v, causal=False):
    """Attention in float64, head by head; q, k, v: [heads, rows, 128]."""
    result = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    for head in range(q.shape[0]):
        scores = q[head].double() @ k[head].double().T / 128**0.5
        if causal: scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
        result[head] = torch.softmax(scores, -1) @ v[head].double()
    return result


def attention(b, h, s, causal, *names, bar=None):
    shape = (b, h, s, 128)
    flat = lambda t: t.reshape(b * h, s, 128)
    case = {"name": f"attention {'causal' if causal else 'full'} B{b} H{h} S{s}", "programs": programs(*names),
            "bind": {"B": b, "H": h, "S": s},
            "reference": lambda t: [attended(flat(t["q"]), flat(t["k"]), flat(t["v"]), causal).reshape(shape)],
            "flops": 4 * b * h * s * s * 128 // (2 if causal else 1)}
    if bar:
        case["peers"] = {"cudnn": peer(lambda q, k, v: cudnn(q, k, v, is_causal=causal), "q", "k", "v")}
        case["bars"] = {"hot": {"cudnn": bar}, "iso": {"cudnn": bar}}
    return case


FULL = "attention", "attention, turns", "steps/attention_1_plain"


def attentions():
    yield attention(4, 16, 4096, False, *FULL, bar=1.04)
    yield attention(4, 16, 4096, True, "attention_causal", bar=1.10)
    for s in (4000, 1, 127, 128, 129, 257):
        yield attention(2, 3, s, False, *FULL)
        yield attention(2, 3, s, True, "attention_causal")
    yield attention(2, 3, 1000, False, "attention f16")
    yield attention(2, 3, 1000, True, "attention_causal f16")


def decode(b, hq, hkv, s, *names, bar=None):
    group = hq // hkv

    def reference(t):
        q = t["q"].reshape(b * hkv, group, 128)
        k, v = (t[name].reshape(b * hkv, s, 128) for name in ("k", "v"))
        return [attended(q, k, v).reshape(b, hq, 128)]

    case = {"name": f"decode B{b} Hq{hq} Hkv{hkv} S{s}", "programs": programs(*names),
            "bind": {"B": b, "Hq": hq, "Hkv": hkv, "S": s}, "reference": reference,
            "bytes": 2 * 128 * (2 * b * hkv * s + 2 * b * hq)}
    if bar is not None:
        one = lambda q, k, v: cudnn(q.view(b, hq, 1, 128), k, v, enable_gqa=True)
        case["peers"] = {"cudnn": peer(one, "q", "k", "v")}
        case["bars"] = {"hot": {"cudnn": bar}, "iso": {"cudnn": bar}}
    return case


def decodes():
    splits = "decode", "decode, whole", "decode, 4 splits"
    yield decode(16, 32, 8, 8192, *splits, bar=0.97)
    for b, hq, hkv, s in [(1, 8, 8, 1), (2, 8, 2, 63), (3, 12, 4, 65), (1, 64, 1, 1000), (2, 16, 2, 4001)]:
        yield decode(b, hq, hkv, s, *splits)
    yield decode(3, 12, 4, 999, "decode f16")


#--- Softmax --------------------------------------------------------------------------------------------------------


def softmax(rows, columns, *names, bar=None):
    case = {"name": f"softmax {rows}x{columns}", "programs": programs(*names), "bind": {"R": rows, "N": columns},
            "reference": lambda t: [torch.softmax(t["x"].double(), -1)], "bytes": 4 * rows * columns}
    if bar is not None:
        case["peers"] = {"copy": True, "torch": peer(lambda x: torch.softmax(x, -1), "x")}
        case["bars"] = {"hot": {"copy": bar}, "iso": {"copy": bar}}
    return case


def softmaxes():
    both = "softmax", "steps/softmax_1_plain"
    yield softmax(16384, 4096, *both, bar=0.85)
    for rows, columns in [(1, 8), (7, 4096), (1000, 1000), (397, 4088), (133, 3000)]:
        yield softmax(rows, columns, *both)
    yield softmax(500, 2048, "softmax f16")
    yield softmax(300, 8192, "softmax 8192")


CASES = [*products(), *attentions(), *decodes(), *softmaxes()]
