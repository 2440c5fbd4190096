#!/usr/bin/env python3
"""MiniLM with random weights on this machine's GPU: `minilm.py LIBKILN MODEL.mlir [--out FILE]`.

Prints what compiling costs, how far the numbers are from the cpu's, what giving a run to the stream costs the host, and
the time of a replay beside torch.compile's of the same model (by transformers, if that is there). Ends 1 if a number is
wrong or a bar is missed."""

import argparse
import json
import pathlib
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kiln  # noqa: E402
import race  # noqa: E402

VOCABULARY = 30522
COMPILE_SECONDS, HOST_MICROSECONDS, DIFFERENCE = 1.5, 5.0, 1e-4
MET = 1.02  # of a bar


def random_parameters(graph, generator):
    """Weights as a trained model might have them, by name."""
    values = {}
    for info in graph.parameters:
        if info.name.endswith("LayerNorm.weight"):
            values[info.name] = torch.ones(info.shape)
        elif info.name.endswith("bias"):
            values[info.name] = torch.zeros(info.shape)
        else:
            values[info.name] = torch.randn(info.shape, generator=generator) * 0.05
    return values


def random_sentences(graph, generator):
    """ids and mask of sentences of different lengths, in the graph's order."""
    shape = next(t.shape for t in graph.inputs if t.name == "ids")
    ids = torch.randint(0, VOCABULARY, shape, generator=generator, dtype=torch.int32)
    lengths = torch.randint(5, shape[1] + 1, (shape[0], 1), generator=generator)
    mask = (torch.arange(shape[1])[None, :] < lengths).to(torch.int32)
    values = {"ids": ids, "mask": mask}
    return [values[t.name] for t in graph.inputs]


def bind(graph, values):
    for name, value in values.items():
        graph.bind(name, value)


def torch_model(values):
    """The same in torch: a function of ids and mask; None without transformers."""
    try:
        from transformers import BertConfig, BertModel
    except ImportError:
        return None
    config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
                        layer_norm_eps=1e-12, hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(values, strict=False)
    model = model.eval().cuda()

    def embed(ids, mask):
        x = model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask[:, :, None].float()
        return torch.nn.functional.normalize((x * weights).sum(1) / weights.sum(1), dim=-1)

    return embed


def compile_seconds(library, text):
    """Of the distinct kernels, on two threads; the best of three, as the first pays for LLVM's tables."""
    seconds = []
    for _ in range(3):
        graph = library.compile(text, device="cuda", threads=2)
        seconds.append(json.loads(graph.report)["seconds"]["kernels"])
        graph.close()
    return min(seconds)


def cpu_difference(library, text, graph, values, sentences):
    """The largest difference of an element between the devices, and whether all bits are equal."""
    on_cpu = library.compile(text, device="cpu")
    bind(on_cpu, values)
    expected, got = (torch.empty(graph.outputs[0].shape) for _ in range(2))
    on_cpu.run_host(sentences, [expected])
    graph.run_host(sentences, [got])
    on_cpu.close()
    return float((expected - got).abs().max()), bool(torch.equal(expected, got))


def host_seconds(run):
    """What one call costs the host when the device is idle."""
    samples = []
    for _ in range(30):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        samples.append(time.perf_counter() - start)
    torch.cuda.synchronize()
    return statistics.median(samples)


def replays(graph, values, inputs, output, stream):
    """{name: function}: Kiln's replay, torch.compile's with CUDA graphs, eager torch; and the largest difference."""
    replay = graph.capture(inputs, [output])
    works = {"kiln": lambda: replay.run(stream)}
    works["kiln"]()
    embed = torch_model(values)
    if embed is None:
        return works, 0.0
    compiled = torch.compile(embed, mode="reduce-overhead")
    wide = [t.long() for t in inputs]
    works["torch.compile"] = lambda: compiled(*wide)
    works["torch"] = lambda: embed(*wide)
    for _ in range(3):
        expected = works["torch.compile"]()
    torch.cuda.synchronize()
    return works, float((expected - output).abs().max())


class Lines:
    """What has been printed so far, and how much of it was bad."""

    def __init__(self):
        self.cases = self.failed = 0

    def add(self, name, text, good):
        self.cases += 1
        self.failed += not good
        print(f"{name:28} {text}{'' if good else '  MISSED'}", flush=True)


def measure(library, text, lines):
    generator = torch.Generator().manual_seed(1)
    graph = library.compile(text, device="cuda")
    report = json.loads(graph.report)
    values, sentences = random_parameters(graph, generator), random_sentences(graph, generator)
    bind(graph, values)
    inputs, output = [t.cuda() for t in sentences], torch.empty(graph.outputs[0].shape, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    kernels, launches = len(report["kernels"]), len(report["launches"])

    seconds = compile_seconds(library, text)
    lines.add("MiniLM compile", f"{seconds:.2f} s for {kernels} kernels on 2 threads (<= {COMPILE_SECONDS})",
              seconds <= COMPILE_SECONDS * MET)
    difference, equal = cpu_difference(library, text, graph, values, sentences)
    lines.add("MiniLM against the cpu", f"largest difference {difference:.1e}, bits {'equal' if equal else 'differ'} "
              f"(<= {DIFFERENCE})", difference <= DIFFERENCE)
    host = host_seconds(graph.runner(inputs, [output], stream)) / launches
    lines.add("MiniLM host time", f"{host * 1e6:.2f} us a launch, {launches} launches (<= {HOST_MICROSECONDS})",
              host * 1e6 <= HOST_MICROSECONDS * MET)
    with torch.inference_mode():
        works, from_torch = replays(graph, values, inputs, output, stream)
        times = race.race(works)
    medians = race.medians(times)
    lines.add("MiniLM replay", ", ".join(f"{who} {s * 1e3:.3f} ms" for who, s in medians.items()) +
              f"; {launches} launches; largest difference from torch {from_torch:.1e}", from_torch < 1e-3)
    return {"compile_seconds": seconds, "kernels": kernels, "launches": launches, "cpu_difference": difference,
            "cpu_bits_equal": equal, "host_seconds_per_launch": host, "replay_seconds": medians,
            "torch_difference": from_torch, "sm_clock_mhz": race.sm_clock_mhz()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libkiln.so")
    parser.add_argument("model", help="the graph as .mlir text")
    parser.add_argument("--out", help="a JSON file to write")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU")
        return 3
    lines = Lines()
    try:
        record = measure(kiln.Library(arguments.library), pathlib.Path(arguments.model).read_text(), lines)
        if arguments.out:
            pathlib.Path(arguments.out).write_text(json.dumps(record, indent=1) + "\n")
    except kiln.Error as error:
        lines.add("MiniLM", str(error), False)
    print(f"{lines.cases} cases, {lines.failed} wrong or below the bar")
    return 1 if lines.failed else 0


if __name__ == "__main__":
    sys.exit(main())
