/// all-MiniLM-L6-v2 as a Kiln graph: token ids and mask in, one embedding of length 1 per sentence out. README.md
/// beside this file has the same model as formulas.

#pragma once

#include <kiln/Graph.h>

namespace minilm {

/// The extents of the model. The defaults are those of the published weights.
struct Config {
  int64_t sentences = 1;      ///< the batch
  int64_t length = 128;       ///< tokens per sentence, padding included; at most `positions`
  int64_t layers = 6;         ///<
  int64_t width = 384;        ///< of a token's vector
  int64_t heads = 12;         ///< divides `width`
  int64_t hidden = 1536;      ///< of the feed-forward layers
  int64_t vocabulary = 30522; ///<
  int64_t positions = 512;    ///< rows of the table of positions
};

/// Writes the model into `g`: inputs "ids" and "mask", i32 [sentences, length] (mask 1 for a token, 0 for padding, at
/// least one token per sentence); parameters by their names in the weights file; output "embeddings", f32 [sentences,
/// width], each row of length 1.
void build(kiln::Graph &g, const Config &config);

} // namespace minilm
