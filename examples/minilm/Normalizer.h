/// Text to words as the uncased BERT models do it: the part of tokenization that knows about Unicode and nothing
/// about the vocabulary. Follows the normalizer "BertNormalizer" (clean text, space out CJK, strip accents, lower
/// case) and the pre-tokenizer "BertPreTokenizer" (split at white space, isolate punctuation) of the reference
/// implementation, whose character tables are those of Unicode 8: a character assigned later is to it neither a
/// control character, nor a mark, nor punctuation.

#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace minilm {

/// Splits text into normalized words. Immutable; one object may be used by many threads.
class Normalizer {
public:
  /// Builds the character sets. Throws std::runtime_error when ICU has no data.
  Normalizer();
  ~Normalizer();
  Normalizer(Normalizer &&) noexcept;
  Normalizer &operator=(Normalizer &&) noexcept;

  /// Takes one word as UTF-8 and returns whether it wants more. The view is valid during the call only.
  using WordSink = std::function<bool(std::string_view word)>;

  /// Calls `sink` with each word of `text` in order until it returns false. `text` is UTF-8; every maximal
  /// ill-formed subsequence reads as one U+FFFD, which cleaning then drops, so any bytes at all are accepted.
  /// A word is one punctuation or CJK character, or a run of others; it is never empty and always well-formed
  /// UTF-8. Throws std::length_error for a run without white space of more than 2^28 characters.
  void forEachWord(std::string_view text, const WordSink &sink) const;

private:
  struct Tables;
  std::unique_ptr<const Tables> tables;
};

} // namespace minilm
