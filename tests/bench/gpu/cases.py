"""What is raced: each case as a graph for Kiln, as a torch function, and as a float64 reference."""

from dataclasses import dataclass, field
from typing import Callable

import torch
import torch.nn.functional as F

BF16 = torch.bfloat16


@dataclass
class Case:
    name: str
    mlir: str  # func.func @main, inputs named as in `inputs`
    inputs: dict[str, torch.Tensor]
    torch_function: Callable  # of the inputs in order
    bytes: int = 0  # each input read once, each output written once
    flops: int = 0
    peers: tuple[str, ...] = ("torch.compile",)
    target: dict[str, float] = field(default_factory=dict)  # peer -> the ratio wanted
    reference_rows: int = 256  # rows of the first dimension that are checked
    cut_all: bool = False  # to check those rows, every input is cut in its first dimension, not the first input alone


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(BF16)


def tensor_type(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xbf16>"


def function(arguments, result, body):
    """func.func @main of named arguments {name: type} with one result y."""
    listed = ", ".join(f'%{name}: {type_} {{graph.name = "{name}"}}' for name, type_ in arguments.items())
    return f'func.func @main({listed}) -> ({result} {{graph.name = "y"}}) {{\n{body}\n  return %y : {result}\n}}\n'


def sin2cos2(elements):
    t = tensor_type(elements)
    body = f"""  %s = math.sin %x : {t}
  %c = math.cos %x : {t}
  %ss = arith.mulf %s, %s : {t}
  %cc = arith.mulf %c, %c : {t}
  %y = arith.addf %ss, %cc : {t}"""
    return Case(f"sin2cos2 {elements}", function({"x": t}, t, body), {"x": normal(elements)},
                lambda x: torch.sin(x) ** 2 + torch.cos(x) ** 2, bytes=4 * elements,
                peers=("torch.compile", "copy"), target={"copy": 0.85}, reference_rows=1 << 20)


def gelu_chain(elements):
    t = tensor_type(elements)
    body = f"""  %two = arith.constant dense<2.0> : {t}
  %half = arith.constant dense<0.5> : {t}
  %a = arith.mulf %x, %two : {t}
  %b = arith.addf %a, %half : {t}
  %g = graph.gelu <exact> %b : {t}
  %y = arith.addf %g, %x : {t}"""
    return Case(f"gelu chain {elements}", function({"x": t}, t, body), {"x": normal(elements)},
                lambda x: F.gelu(x * 2.0 + 0.5) + x, bytes=4 * elements,
                peers=("torch.compile", "copy"), target={"copy": 0.85}, reference_rows=1 << 20)


def softmax(rows, columns, want=0.7):
    t = tensor_type(rows, columns)
    return Case(f"softmax {rows}x{columns}", function({"x": t}, t, f"  %y = graph.softmax %x axis 1 : {t}"),
                {"x": normal(rows, columns)}, lambda x: torch.softmax(x, dim=1), bytes=4 * rows * columns,
                peers=("torch.compile", "copy"), target={"copy": want})


def layer_norm(rows, columns):
    t, v = tensor_type(rows, columns), tensor_type(columns)
    body = f"  %y = graph.layer_norm %x scale %w bias %b eps 1.0e-5 : ({t}, {v}, {v}) -> {t}"
    return Case(f"layer norm {rows}x{columns}", function({"x": t, "w": v, "b": v}, t, body),
                {"x": normal(rows, columns), "w": normal(columns), "b": normal(columns)},
                lambda x, w, b: F.layer_norm(x, (columns,), w, b, 1e-5), bytes=4 * rows * columns,
                peers=("torch.compile", "copy"), target={"copy": 0.7})


def window_chain(rows, columns):
    """max(a[1:, 1:] * b + c[1:, 1:], b): rows of an odd length, windows that start anywhere, no two at one alignment."""
    outer, t = tensor_type(rows + 1, columns + 1), tensor_type(rows, columns)
    window = f"from [1, 1] to [{rows + 1}, {columns + 1}] step [1, 1] : {outer} -> {t}"
    body = f"""  %u = graph.slice %a {window}
  %v = graph.slice %c {window}
  %p = arith.mulf %u, %b : {t}
  %s = arith.addf %p, %v : {t}
  %y = arith.maximumf %s, %b : {t}"""
    return Case(f"window chain {rows}x{columns}", function({"a": outer, "b": t, "c": outer}, t, body),
                {"a": normal(rows + 1, columns + 1), "b": normal(rows, columns), "c": normal(rows + 1, columns + 1)},
                lambda a, b, c: torch.maximum(a[1:, 1:] * b + c[1:, 1:], b), bytes=8 * rows * columns,
                peers=("torch.compile", "copy"), target={"copy": 0.75}, cut_all=True)


def matmul(m, n, k, want):
    a, b, y = tensor_type(m, k), tensor_type(k, n), tensor_type(m, n)
    body = f"  %y = graph.matmul %a, %b : ({a}, {b}) -> {y}"
    return Case(f"matmul {m}x{n}x{k}", function({"a": a, "b": b}, y, body), {"a": normal(m, k), "b": normal(k, n)},
                lambda a, b: a @ b, bytes=2 * (m * k + k * n + m * n), flops=2 * m * n * k, peers=("cuBLAS",),
                target={"cuBLAS": want})


def all_cases():
    """Made one by one: their tensors are large."""
    yield lambda: sin2cos2(1 << 28)
    yield lambda: gelu_chain(1 << 28)
    for rows, columns in ((65536, 1024), (16384, 4096)):
        yield lambda rows=rows, columns=columns: softmax(rows, columns)
        yield lambda rows=rows, columns=columns: layer_norm(rows, columns)
    yield lambda: softmax(65536, 1023)
    yield lambda: window_chain(8191, 1023)
    yield lambda: window_chain(65535, 1023)
    yield lambda: matmul(4096, 4096, 4096, 0.5)
    yield lambda: matmul(1793, 1793, 1793, 1.8)
