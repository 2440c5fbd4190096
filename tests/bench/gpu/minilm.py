#!/usr/bin/env python3
"""MiniLM (six layers, 32 sentences of 128 tokens, f32, random weights) on this machine's GPU: `minilm.py LIBKILN
MINILM.mlir`, where `kiln-minilm dump --level source` writes the graph. Holds cuda to cpu, then prints the time of a
replayed graph, its launches, and the host's time per launch, beside torch.compile's CUDA graph of the same model."""

import argparse
import json
import pathlib
import sys
import time

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kiln  # noqa: E402
import race  # noqa: E402

SENTENCES, TOKENS, VOCABULARY = 32, 128, 30522


def random_parameters(graph):
    """Weights of about the size of trained ones; norms near 1."""
    random = np.random.default_rng(1)
    values = {}
    for tensor in graph.parameters:
        value = random.standard_normal(tensor.shape, dtype=np.float32) * np.float32(0.05)
        values[tensor.name] = value + np.float32(1) if tensor.name.endswith("LayerNorm.weight") else value
    return values


def torch_model(values):
    from transformers import BertConfig, BertModel
    config = BertConfig(vocab_size=VOCABULARY, hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                        intermediate_size=1536, max_position_embeddings=512, type_vocab_size=2)
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in values.items()}, strict=False)
    return model.cuda()


class Embedder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(mean, dim=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("graph")
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    library, text = kiln.Library(arguments.library), pathlib.Path(arguments.graph).read_text()
    random = np.random.default_rng(2)
    ids = random.integers(0, VOCABULARY, (SENTENCES, TOKENS), dtype=np.int32)
    lengths = random.integers(8, TOKENS + 1, SENTENCES)
    mask = (np.arange(TOKENS)[None, :] < lengths[:, None]).astype(np.int32)

    started = time.perf_counter()
    cuda = library.compile(text, device="cuda")
    compile_seconds = time.perf_counter() - started
    cpu = library.compile(text, device="cpu")
    values = random_parameters(cuda)
    results = {}
    for name, graph in (("cpu", cpu), ("cuda", cuda)):
        for key, value in values.items():
            graph.bind(key, value)
        results[name] = np.full(graph.outputs[0].shape, np.nan, dtype=np.float32)
        graph.run_host([ids, mask], [results[name]])
    apart = np.abs(results["cpu"] - results["cuda"]).max()
    print(f"cuda and cpu differ by at most {apart:.2e} in elements of unit vectors")

    device_ids, device_mask = torch.from_numpy(ids).cuda(), torch.from_numpy(mask).cuda()
    out = torch.empty(cuda.outputs[0].shape, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    launches = len([s for s in json.loads(cuda.plan)["steps"] if "launch" in s])
    for _ in range(5):
        cuda.run([device_ids, device_mask], [out], stream)
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(20):
        cuda.run([device_ids, device_mask], [out], stream)
    host = (time.perf_counter() - started) / 20
    torch.cuda.synchronize()
    replay = cuda.capture([device_ids, device_mask], [out])
    contestants = {"kiln replay": lambda: replay.run(stream), "kiln run": lambda: cuda.run([device_ids, device_mask], [out], stream)}
    compiled = torch.compile(Embedder(torch_model(values)), mode="reduce-overhead")
    with torch.no_grad():
        long_ids, long_mask = device_ids.long(), device_mask.long()
        reference = compiled(long_ids, long_mask)
        difference = (out - reference).abs().max().item()
        contestants["torch.compile"] = lambda: compiled(long_ids, long_mask)
        times = race.race(contestants, 30)
    for name, seconds in race.medians(times).items():
        print(f"{name:14} {seconds * 1e3:7.3f} ms")
    print(f"{launches} launches, host {host * 1e6 / max(launches, 1):.2f} us each, compiled in {compile_seconds:.2f} s; "
          f"{race.ratio(times, 'kiln replay', 'torch.compile')['median']:.3f} of torch.compile, which differs by at most {difference:.1e}")
    return 0 if apart < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
