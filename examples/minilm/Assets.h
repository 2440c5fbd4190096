/// What the example reads: the text, its tokens, the weights. Where the published files are absent, stand-ins made from
/// a seed and from the text itself keep the program running; it says so.

#pragma once

#include "examples/minilm/Model.h"

#include <kiln/Executable.h>

#include <string>
#include <vector>

namespace minilm {

/// Whether `folder` holds the published weights and vocabulary, as fetch_weights.py leaves them.
bool hasPublishedFiles(const std::string &folder);

/// The lines of a text file that are not empty, at least two of them. Throws kiln::Error (invalid input).
std::vector<std::string> readSentences(const std::string &path);

/// The sentences' token ids and mask, i32 [sentences, length], by the vocabulary in `folder`; if that is empty, by one
/// made of the sentences' own words.
kiln::NamedTensors tokenize(const std::vector<std::string> &sentences, int64_t length, const std::string &folder);

/// Gives every parameter the published value in `folder`; if that is empty, random ones as such a model starts its
/// training with: normal of deviation 0.02, norms the identity.
void bindWeights(kiln::Executable &executable, const kiln::Graph &graph, const std::string &folder);

} // namespace minilm
