"""Programs of examples/tile with other types: re-tiled, of other elements, or a step short of what makes them fast.

A variant is a program and edits, each (old text, new text). `RETILED` edits the lines of types at the top and nothing
else, but for numbers that stand for a type's where no op can say so: a grid's, a row stride's.
"""

import pathlib
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parents[3] / "examples/tile"

E4M3 = "!Operand = !tile.global<?x?xbf16>", "!Operand = !tile.global<?x?xf8E4M3FN>"
NN = [("!tile.shared<192x64xbf16, swizzle = 128>", "!tile.shared<64x192xbf16, swizzle = 128, panel = 64>"),
      ('["N", "K"]', '["K", "N"]'),
      ("tile.size !B[0]", "tile.size !B[1]"), ("%b[%column, %at]", "%b[%at, %column]"), ("%bs transpose", "%bs")]

F16 = [("bf16", "f16")]
# Rows of 64 bytes are a swizzle of 64; twice the stages keep as much on its way.
BK32_COOPERATIVE = [("128x64xbf16, swizzle = 128", "128x32xbf16, swizzle = 64"),
                    ("!B = !tile.shared<256x64xbf16, swizzle = 128>", "!B = !tile.shared<256x32xbf16, swizzle = 64>"),
                    ("!Mine = !tile.shared<64x64xbf16, swizzle = 128>", "!Mine = !tile.shared<64x32xbf16, swizzle = 64>"),
                    ("<4 x !A", "<8 x !A")]
BK32_PINGPONG = [("128x64xbf16, swizzle = 128", "128x32xbf16, swizzle = 64"),
                 ("192x64xbf16, swizzle = 128", "192x32xbf16, swizzle = 64"), ("<5 x !A", "<10 x !A")]
# 128 elements of a byte are as many bytes as 64 of two; sums and C stay what they were.
E4M3_COOPERATIVE = [E4M3, ("!A = !tile.shared<128x64xbf16", "!A = !tile.shared<128x128xf8E4M3FN"),
                    ("!B = !tile.shared<256x64xbf16", "!B = !tile.shared<256x128xf8E4M3FN"),
                    ("!Mine = !tile.shared<64x64xbf16", "!Mine = !tile.shared<64x128xf8E4M3FN")]
E4M3_PINGPONG = [E4M3, ("128x64xbf16", "128x128xf8E4M3FN"), ("192x64xbf16", "192x128xf8E4M3FN")]
E5M2_COOPERATIVE, E5M2_PINGPONG = ([(old, new.replace("f8E4M3FN", "f8E5M2")) for old, new in edits]
                                   for edits in (E4M3_COOPERATIVE, E4M3_PINGPONG))
# Sums of integers are integers; C's elements are rounded from the f32 next to them.
I8_PINGPONG = [(old, new.replace("f8E4M3FN", "i8")) for old, new in E4M3_PINGPONG] + [
    ("tensor<128x192xf32", "tensor<128x192xi32"), ("!Part = tensor<64x64xf32", "!Part = tensor<64x64xi32"),
    ("!Rounded = ", "!Single = tensor<64x64xf32, #tile.wgmma>\n!Rounded = "),
    ("%rounded = arith.truncf %part : !Part to !Rounded",
     "%single = arith.sitofp %part : !Part to !Single\n%rounded = arith.truncf %single : !Single to !Rounded")]
TF32_PINGPONG = [("!Operand = !tile.global<?x?xbf16>", "!Operand = !tile.global<?x?xf32>"), ("128x64xbf16", "128x32xf32"),
                 ("192x64xbf16", "192x32xf32"), ("signal %full", "signal %full tf32")]

TURN = "tile.{}_turn %turns : !tile.turns<2>\n"
TURNS = [("  tile.specialize", "  %turns = tile.alloc_turns : !tile.turns<2>\n  tile.specialize"),
         *((f"%{name} = tile.wgmma", TURN.format("take") + f"%{name} = tile.wgmma") for name in ("started", "x_started")),
         *((f"%{name} = tile.wgmma_wait", TURN.format("pass") + f"%{name} = tile.wgmma_wait") for name in ("scores", "x"))]

# name: (program, edits)
RETILED = {
    "cooperative 128x128": ("matmul_cooperative.mlir", [("256x64xbf16", "128x64xbf16"), ("64x256", "64x128")]),
    "cooperative 128x64": ("matmul_cooperative.mlir", [("256x64xbf16", "64x64xbf16"), ("64x256", "64x64")]),
    "cooperative BK 32": ("matmul_cooperative.mlir", BK32_COOPERATIVE),
    "cooperative f16": ("matmul_cooperative.mlir", F16),
    "cooperative e4m3": ("matmul_cooperative.mlir", E4M3_COOPERATIVE),
    "pingpong 64x256": ("matmul_pingpong.mlir", [("128x64xbf16", "64x64xbf16"), ("192x64xbf16", "256x64xbf16"),
                                                 ("tensor<128x192", "tensor<64x256")]),
    "pingpong 128x128": ("matmul_pingpong.mlir", [("192x64xbf16", "128x64xbf16"), ("128x192", "128x128"), ("<5 x", "<6 x")]),
    "pingpong BK 32": ("matmul_pingpong.mlir", BK32_PINGPONG),
    "pingpong f16": ("matmul_pingpong.mlir", F16),
    "pingpong e4m3": ("matmul_pingpong.mlir", E4M3_PINGPONG),
    "cooperative e5m2": ("matmul_cooperative.mlir", E5M2_COOPERATIVE),
    "pingpong e5m2": ("matmul_pingpong.mlir", E5M2_PINGPONG),
    "odd 128x128": ("matmul_odd.mlir", [("192x64xbf16", "128x64xbf16"), ("128x192", "128x128"), ("<5 x", "<6 x")]),
    "odd f16": ("matmul_odd.mlir", F16),
    "sm80 128x128": ("matmul_sm80.mlir", [("32x256", "32x128"), ("16x256", "16x128"), ("128x256", "128x128"),
                                          ("264", "136"), ("<256x", "<128x"), ("vec = 8", "vec = 4"),
                                          ("ceildiv(N, 256)", "ceildiv(N, 128)")]),
    "sm80 f16": ("matmul_sm80.mlir", F16),
    "attention f16": ("attention.mlir", F16),
    "attention_causal f16": ("attention_causal.mlir", F16),
    "decode f16": ("decode.mlir", F16),
    "softmax f16": ("softmax.mlir", F16),
    "softmax 8192": ("softmax.mlir", [("4096x", "8192x"), ("512x", "1024x"), ("<15 x", "<9 x")]),
}

# Edits of more than types: another order of B, a step left out, another number of splits.
OTHERS = {
    "pingpong nn": ("matmul_pingpong.mlir", NN),
    "pingpong i8": ("matmul_pingpong.mlir", I8_PINGPONG),
    "pingpong tf32": ("matmul_pingpong.mlir", TF32_PINGPONG),
    "odd nn": ("matmul_odd.mlir", NN),
    "odd, elements": ("steps/odd_1_words.mlir", [("vec = 2", "vec = 1"), ("aligned 2", "aligned 1")]),
    "attention, turns": ("attention.mlir", TURNS),
    "decode, whole": ("decode.mlir", [("2 * B * Hkv\" cluster 2", "B * Hkv\" cluster 1"),
                                      ("%splits = arith.constant 2", "%splits = arith.constant 1")]),
    "decode, 4 splits": ("decode.mlir", [("2 * B * Hkv\" cluster 2", "4 * B * Hkv\" cluster 4"),
                                         ("%splits = arith.constant 2", "%splits = arith.constant 4")]),
}


def edited(text, edits):
    """`text` with each edit made, wherever its old text stands; an edit that changes nothing is an error."""
    for old, new in edits:
        if old not in text:
            raise ValueError(f"'{old}' is not in the program")
        text = text.replace(old, new)
    return text


def variant(name):
    """The text of a variant."""
    program, edits = (RETILED | OTHERS)[name]
    return edited((PROGRAMS / program).read_text(), edits)


def file(name):
    """The path of a file that holds a variant, for tools that read files."""
    path = pathlib.Path(tempfile.gettempdir()) / "kiln-tile-variants" / (name.replace(" ", "_") + ".mlir")
    path.parent.mkdir(exist_ok=True)
    path.write_text(variant(name))
    return path
