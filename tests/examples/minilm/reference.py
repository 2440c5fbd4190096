#!/usr/bin/env python3
"""all-MiniLM-L6-v2 in numpy and f64, straight from the formulas of examples/minilm/README.md.

    tests/examples/minilm/reference.py [--cache FOLDER]

Computes the embeddings of ids.npy and compares them with embeddings.npy, once per sentence without padding and once
for the first sentences with all 128 places and the mask. Exit status: 0 all within TOLERANCE, 1 not, 2 wrong usage or
missing files.
"""

import argparse
import json
import math
import pathlib
import struct
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LAYERS, HEADS, EPSILON = 6, 12, 1e-12
TOLERANCE = 1e-6
PADDED_SENTENCES = 2

erf = np.vectorize(math.erf, otypes=[np.float64])


def load_safetensors(path):
    """All float32 tensors of a safetensors file, by name, as f64."""
    data = path.read_bytes()
    (header_bytes,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + header_bytes])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + header_bytes + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).astype(np.float64)
    return tensors


def linear(w, name, x):
    """x @ W^T + b; the file keeps weights as [out, in]."""
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def layer_norm(w, name, x):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPSILON) * w[name + ".weight"] + w[name + ".bias"]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def attention(w, layer, x, mask):
    """Self-attention of x [S, D] without the residual."""
    def heads(name):
        y = linear(w, f"{layer}.attention.self.{name}", x)
        return y.reshape(len(x), HEADS, -1).transpose(1, 0, 2)

    q, k, v = heads("query"), heads("key"), heads("value")
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
    probabilities = softmax(np.where(mask[None, None, :] != 0, scores, -np.inf))
    return linear(w, f"{layer}.attention.output.dense", (probabilities @ v).transpose(1, 0, 2).reshape(x.shape))


def embed(w, ids, mask):
    """The unit-norm embedding [D] of one sentence: ids [S], mask [S]."""
    e = "embeddings."
    x = (w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:len(ids)]
         + w[e + "token_type_embeddings.weight"][0])
    x = layer_norm(w, e + "LayerNorm", x)
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        x = layer_norm(w, layer + ".attention.output.LayerNorm", x + attention(w, layer, x, mask))
        hidden = gelu(linear(w, layer + ".intermediate.dense", x))
        x = layer_norm(w, layer + ".output.LayerNorm", x + linear(w, layer + ".output.dense", hidden))
    pooled = (x * mask[:, None]).sum(0) / mask.sum()
    return pooled / np.sqrt((pooled ** 2).sum())


def main():
    parser = argparse.ArgumentParser(description="Compare the numpy model with the recorded embeddings.")
    parser.add_argument("--cache", type=pathlib.Path, default=HERE.parents[2] / ".cache" / "minilm")
    args = parser.parse_args()
    weights_path = args.cache / "model.safetensors"
    if not weights_path.is_file():
        print(f"{weights_path} is missing; examples/minilm/fetch_weights.py gets it.", file=sys.stderr)
        return 2
    w = load_safetensors(weights_path)
    ids, mask, recorded = (np.load(HERE / f"{name}.npy") for name in ("ids", "mask", "embeddings"))

    lengths = mask.sum(1)
    short = np.stack([embed(w, ids[i, :n], mask[i, :n]) for i, n in enumerate(lengths)])
    padded = np.stack([embed(w, ids[i], mask[i]) for i in range(PADDED_SENTENCES)])
    errors = {
        f"{len(ids)} sentences, no padding, against the recording": np.abs(short - recorded).max(),
        f"{PADDED_SENTENCES} sentences, padded and masked, against the recording":
            np.abs(padded - recorded[:PADDED_SENTENCES]).max(),
        "padded against no padding": np.abs(padded - short[:PADDED_SENTENCES]).max(),
    }
    for what, error in errors.items():
        print(f"{error:.3e}  largest difference, {what}")
    return 0 if max(errors.values()) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
