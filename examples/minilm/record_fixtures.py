#!/usr/bin/env python3
"""Record what the reference Python implementation makes of the shipped texts, for the tests to hold Kiln to.

    python3 -m venv VENV && VENV/bin/pip install numpy tokenizers transformers torch
    examples/minilm/fetch_weights.py && VENV/bin/python examples/minilm/record_fixtures.py

Writes into tests/examples/minilm/ (or --output):

    token_ids.jsonl   one JSON object a line: {"text": ..., "ids": [...], "max": N}, or "hex" (bytes that are not
                      UTF-8, in hexadecimal) in place of "text"; ids have at most N tokens and no padding
    ids.npy           int32 [sentences, 128]: sentences.txt as ids, padded with 0
    mask.npy          int32 [sentences, 128]: 1 for a token, 0 for padding
    embeddings.npy    float32 [sentences, 384]: mean over the mask, divided by its L2 norm

Recorded with the versions that VERSIONS.txt there names; float32, no dropout, one thread, exact gelu.
"""

import argparse
import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import tokenizers
import torch
import transformers

import fixture_lines

ROOT = pathlib.Path(__file__).resolve().parents[2]
LENGTH = 128


def load_tokenizer(cache):
    """The reference tokenizer, without the padding that its file asks for."""
    tokenizer = tokenizers.Tokenizer.from_file(str(cache / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer


def encode(tokenizer, text, limit):
    tokenizer.enable_truncation(limit)
    return tokenizer.encode(text).ids


def record_ids(tokenizer, path):
    """Write the ids of all fixture lines to `path`; return how many there are."""
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for source, limit in fixture_lines.lines():
            if isinstance(source, bytes):
                entry = {"hex": source.hex()}
                text = source.decode("utf-8", errors="replace")
            else:
                entry = {"text": source}
                text = source
            entry |= {"ids": encode(tokenizer, text, limit), "max": limit}
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")
            count += 1
    return count


def embed(cache, ids, mask):
    """The unit-norm sentence embeddings of the reference model: float32 [sentences, 384]."""
    torch.set_num_threads(1)
    config = transformers.BertConfig.from_pretrained(cache)
    model = transformers.BertModel.from_pretrained(
        cache, config=config, attn_implementation="eager", dtype=torch.float32).eval()
    assert config.hidden_act == "gelu" and config.layer_norm_eps == 1e-12
    with torch.no_grad():
        ids, mask = torch.from_numpy(ids).long(), torch.from_numpy(mask).long()
        hidden = model(input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids)).last_hidden_state
        weight = mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(pooled, p=2, dim=1).numpy()


def main():
    parser = argparse.ArgumentParser(description="Record the reference's token ids and embeddings.")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / ".cache" / "minilm")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "tests" / "examples" / "minilm")
    args = parser.parse_args()

    tokenizer = load_tokenizer(args.cache)
    lines = record_ids(tokenizer, args.output / "token_ids.jsonl")

    sentences = (ROOT / "examples" / "minilm" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    ids = np.zeros((len(sentences), LENGTH), np.int32)
    mask = np.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        tokens = encode(tokenizer, sentence, LENGTH)
        ids[row, :len(tokens)] = tokens
        mask[row, :len(tokens)] = 1
    embeddings = embed(args.cache, ids, mask)
    for name, array in (("ids", ids), ("mask", mask), ("embeddings", embeddings)):
        np.save(args.output / f"{name}.npy", array)

    versions = {"python": sys.version.split()[0], "numpy": np.__version__, "tokenizers": tokenizers.__version__,
                "transformers": transformers.__version__, "torch": torch.__version__}
    (args.output / "VERSIONS.txt").write_text("".join(f"{name} {version}\n" for name, version in versions.items()))
    print(f"{lines} lines of ids, embeddings {embeddings.shape} of {len(sentences)} sentences in {args.output}")


if __name__ == "__main__":
    main()
