// What the programs of examples/tile compute, in f64, and how far a result of bf16 may be from it.
#pragma once

#include "tests/numeric/HandPrograms.h"

namespace kiln::numeric {

/// A result in f64, and how far from each element a program's may be: half a unit of its last place, and what operands
/// that are rounded on the way add.
struct Exact {
  std::vector<double> values, bounds;
};
using Reference = Exact (*)(std::span<const HostTensor> inputs);

/// C = A·Bᵀ, A·B.
Exact matmulNT(std::span<const HostTensor> inputs);
Exact matmulNN(std::span<const HostTensor> inputs);
/// softmax(Q·Kᵀ/√D)·V of [B, H, S, D]; causal; of one query [B, Hq, D] on keys and values [B, Hkv, S, D].
Exact attention(std::span<const HostTensor> inputs);
Exact attentionCausal(std::span<const HostTensor> inputs);
Exact decode(std::span<const HostTensor> inputs);
/// Of each row.
Exact softmaxRows(std::span<const HostTensor> inputs);

/// The first element that is further from the reference than it may be; empty if none is.
std::string firstFarFrom(const Exact &reference, const HostTensor &found);

/// The text of a program of examples/tile ("steps/matmul_1_plain") or of the folder programs beside this file, and the
/// target it is for.
std::string readProgram(const std::string &name);
std::string targetOfProgram(const std::string &name);

} // namespace kiln::numeric
