/// The WordPiece tokenizer of the uncased BERT models, all-MiniLM-L6-v2 among them: text to token ids that equal the
/// ids of the reference implementation. Normalization is in Normalizer.h; here are the vocabulary, the greedy longest
/// match, the special tokens, truncation and padding.

#pragma once

#include "examples/minilm/Normalizer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minilm {

/// One text as a model reads it: `ids` and `mask` have the same length, `mask` is 1 for a token and 0 for padding.
struct PaddedTokens {
  std::vector<int32_t> ids;
  std::vector<int32_t> mask;
};

/// Turns text into token ids. Immutable; one object may be used by many threads.
class Tokenizer {
public:
  /// A longer word (in characters, after normalization) becomes [UNK] as a whole.
  static constexpr size_t maxWordLength = 100;

  /// Reads a vocabulary: UTF-8 text, one token a line, the line number (from 0) is the id. Throws std::runtime_error
  /// that names the file and the line when it cannot be read, has an empty or a repeated line or one that is not
  /// UTF-8, or lacks one of [PAD], [UNK], [CLS], [SEP].
  static Tokenizer fromVocab(const std::string &path);

  /// The same from tokens in memory: `tokens[i]` has the id i. `source` names them in error messages.
  explicit Tokenizer(const std::vector<std::string> &tokens, const std::string &source = "vocabulary");

  /// The ids of `text` between [CLS] and [SEP], at most `maxTokens` with both; what is over is cut at the end of the
  /// text. A special token written out in the text, such as "[SEP]", is that token, as in the reference. `text` may
  /// be any bytes, see Normalizer::forEachWord. Throws std::invalid_argument when `maxTokens` is less than 2.
  std::vector<int32_t> encode(std::string_view text, size_t maxTokens) const;

  /// encode(text, length), filled up with [PAD] to exactly `length` ids.
  PaddedTokens encodePadded(std::string_view text, size_t length) const;

  /// Number of tokens in the vocabulary.
  size_t size() const { return vocabularySize; }

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Ids = std::unordered_map<std::string, int32_t, Hash, std::equal_to<>>;

  int32_t require(std::string_view token, const std::string &source) const;
  void encodeWord(std::string_view word, std::vector<int32_t> &ids) const;
  void encodePlain(std::string_view text, size_t limit, std::vector<int32_t> &ids) const;

  Normalizer normalizer;
  Ids heads;    ///< tokens that start a word
  Ids tails;    ///< tokens that continue one, without their "##"
  Ids specials; ///< those of [PAD], [UNK], [CLS], [SEP], [MASK] that the vocabulary has
  size_t vocabularySize = 0;
  size_t longestToken = 0; ///< bytes
  int32_t pad = 0, unknown = 0, begin = 0, end = 0;
};

} // namespace minilm
