#include "examples/minilm/Tokenizer.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <unicode/utf8.h>

using namespace minilm;

namespace {

constexpr std::string_view continuation = "##";
constexpr std::array<std::string_view, 5> specialTokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

bool isUtf8(std::string_view text) {
  const size_t length = text.size();
  for (size_t i = 0; i < length;) {
    UChar32 c;
    U8_NEXT(text.data(), i, length, c); // NOLINT(bugprone-inc-dec-in-conditions)
    if (c < 0) return false;
  }
  return true;
}

/// Whether a character of well-formed UTF-8 starts at this byte.
bool startsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

} // namespace

Tokenizer Tokenizer::fromVocab(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot open the vocabulary");
  std::vector<std::string> tokens;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    tokens.push_back(std::move(line));
  }
  // Opening a folder succeeds; only reading it fails.
  if (file.bad()) throw std::runtime_error(path + ": cannot read the vocabulary");
  return Tokenizer(tokens, path);
}

Tokenizer::Tokenizer(const std::vector<std::string> &tokens, const std::string &source)
    : vocabularySize(tokens.size()) {
  if (tokens.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    throw std::runtime_error(source + ": more tokens than a 32-bit id can name");
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string &token = tokens[i];
    auto fail = [&](const char *what) { throw std::runtime_error(source + ":" + std::to_string(i + 1) + ": " + what); };
    if (token.empty()) fail("empty token");
    if (!isUtf8(token)) fail("token is not UTF-8");
    const auto id = static_cast<int32_t>(i);
    const bool isTail = token.size() > continuation.size() && token.starts_with(continuation);
    const bool isNew =
        isTail ? tails.emplace(token.substr(continuation.size()), id).second : heads.emplace(token, id).second;
    if (!isNew) fail("token appears a second time");
    longestToken = std::max(longestToken, token.size());
    if (std::find(specialTokens.begin(), specialTokens.end(), token) != specialTokens.end())
      specials.emplace(token, id);
  }
  pad = require("[PAD]", source);
  unknown = require("[UNK]", source);
  begin = require("[CLS]", source);
  end = require("[SEP]", source);
}

/// The id of a special token that no vocabulary may lack.
int32_t Tokenizer::require(std::string_view token, const std::string &source) const {
  const auto found = specials.find(token);
  if (found == specials.end())
    throw std::runtime_error(source + ": not a BERT vocabulary, it lacks " + std::string(token));
  return found->second;
}

/// Appends the pieces of `word`: the longest token that fits at each place, or [UNK] for the whole word where none
/// does.
void Tokenizer::encodeWord(std::string_view word, std::vector<int32_t> &ids) const {
  const auto length = static_cast<size_t>(std::count_if(word.begin(), word.end(), startsCharacter));
  if (length > maxWordLength) return ids.push_back(unknown);
  const size_t before = ids.size();
  for (size_t at = 0; at < word.size();) {
    const Ids &pieces = at == 0 ? heads : tails;
    auto found = pieces.end();
    size_t stop = std::min(word.size(), at + longestToken);
    for (; stop > at && found == pieces.end(); --stop)
      if (stop == word.size() || startsCharacter(word[stop])) found = pieces.find(word.substr(at, stop - at));
    if (found == pieces.end()) {
      ids.resize(before);
      return ids.push_back(unknown);
    }
    ids.push_back(found->second);
    at += found->first.size();
  }
}

/// Appends the tokens of `text`, which has no special token, until there are `limit` or more.
void Tokenizer::encodePlain(std::string_view text, size_t limit, std::vector<int32_t> &ids) const {
  normalizer.forEachWord(text, [&](std::string_view word) {
    encodeWord(word, ids);
    return ids.size() < limit;
  });
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, size_t maxTokens) const {
  if (maxTokens < 2) throw std::invalid_argument("maxTokens must be at least 2, for [CLS] and [SEP]");
  const size_t limit = maxTokens - 1;
  std::vector<int32_t> ids = {begin};
  // Special tokens are found in the text as it is, before normalization, and cut it into parts.
  size_t plain = 0;
  for (size_t i = text.find('['); i != text.npos && ids.size() < limit; i = text.find('[', i)) {
    const auto special = std::find_if(specials.begin(), specials.end(),
                                      [&](const auto &entry) { return text.substr(i).starts_with(entry.first); });
    if (special == specials.end()) {
      ++i;
      continue;
    }
    encodePlain(text.substr(plain, i - plain), limit, ids);
    ids.push_back(special->second);
    i += special->first.size();
    plain = i;
  }
  if (ids.size() < limit) encodePlain(text.substr(plain), limit, ids);
  ids.resize(std::min(ids.size(), limit));
  ids.push_back(end);
  return ids;
}

PaddedTokens Tokenizer::encodePadded(std::string_view text, size_t length) const {
  PaddedTokens tokens;
  tokens.ids = encode(text, length);
  tokens.mask.assign(tokens.ids.size(), 1);
  tokens.ids.resize(length, pad);
  tokens.mask.resize(length, 0);
  return tokens;
}
