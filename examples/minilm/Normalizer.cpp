#include "examples/minilm/Normalizer.h"

#include <stdexcept>
#include <string>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

using namespace minilm;

namespace {

/// Longest run of characters without white space that is normalized as one piece; ICU counts in int32.
constexpr int32_t maxRunLength = 1 << 28;

void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw std::runtime_error(std::string("ICU cannot provide its Unicode data: ") + u_errorName(status));
}

/// The set that `pattern` describes in ICU's notation.
icu::UnicodeSet parseSet(const char *pattern) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
  check(status);
  set.freeze();
  return set;
}

const icu::Normalizer2 &nfdInstance() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2 *nfd = icu::Normalizer2::getNFDInstance(status);
  check(status);
  return *nfd;
}

} // namespace

/// The character classes of the reference. [:Age=8.0:] holds all characters up to Unicode 8; the six whose category
/// changed since then are named one by one: U+166D and U+111C9 were punctuation, U+1734 was a nonspacing mark, and
/// U+1885, U+1886 and U+A9BD were not.
struct Normalizer::Tables {
  icu::UnicodeSet dropped = parseSet("[[[[:Cc:][:Cf:][:Co:]]&[:Age=8.0:]]-[\\t\\n\\r]\\uFFFD]");
  icu::UnicodeSet space = parseSet("[:White_Space:]");
  icu::UnicodeSet cjk = parseSet("[\\u4E00-\\u9FFF\\u3400-\\u4DBF\\uF900-\\uFAFF\\U00020000-\\U0002A6DF"
                                 "\\U0002A700-\\U0002B81F\\U0002B920-\\U0002CEAF\\U0002F800-\\U0002FA1F]");
  icu::UnicodeSet mark = parseSet("[[[:Mn:]&[:Age=8.0:]]-[\\u1885\\u1886\\uA9BD\\U000111C9]\\u1734]");
  icu::UnicodeSet punctuation = parseSet("[[[:P:]&[:Age=8.0:]][!-/\\:-@\\[-`\\{-~]\\u166D\\U000111C9]");
  const icu::Normalizer2 &nfd = nfdInstance();

  bool emitRun(const icu::UnicodeString &run, const WordSink &sink) const;
};

Normalizer::Normalizer() : tables(std::make_unique<Tables>()) {}
Normalizer::~Normalizer() = default;
Normalizer::Normalizer(Normalizer &&) noexcept = default;
Normalizer &Normalizer::operator=(Normalizer &&) noexcept = default;

/// Strips accents from `run` (cleaned, without white space), lower-cases it and gives its words to `sink`. Returns
/// whether the sink wants more.
bool Normalizer::Tables::emitRun(const icu::UnicodeString &run, const WordSink &sink) const {
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString characters = nfd.normalize(run, status);
  check(status);

  std::string word;
  auto flush = [&] {
    const bool more = word.empty() || sink(word);
    word.clear();
    return more;
  };
  for (int32_t i = 0; i < characters.length(); i = characters.moveIndex32(i, 1)) {
    UChar32 c = characters.char32At(i);
    if (mark.contains(c)) continue;
    // One character at a time, as the reference does: a final sigma needs no context.
    c = u_tolower(c);
    const bool isolated = punctuation.contains(c);
    if (isolated && !flush()) return false;
    icu::UnicodeString(c).toUTF8String(word);
    if (isolated && !flush()) return false;
  }
  return flush();
}

void Normalizer::forEachWord(std::string_view text, const WordSink &sink) const {
  icu::UnicodeString run;
  auto flush = [&] {
    const bool more = run.isEmpty() || tables->emitRun(run, sink);
    run.remove();
    return more;
  };
  // ICU's macro counts in the type of `i`.
  const size_t length = text.size();
  for (size_t i = 0; i < length;) {
    UChar32 c;
    U8_NEXT_OR_FFFD(text.data(), i, length, c); // NOLINT(bugprone-inc-dec-in-conditions)
    if (tables->dropped.contains(c)) continue;
    if (tables->space.contains(c)) {
      if (!flush()) return;
      continue;
    }
    const bool isolated = tables->cjk.contains(c);
    if (isolated && !flush()) return;
    if (run.length() >= maxRunLength) throw std::length_error("a word of more than 2^28 characters");
    run.append(c);
    if (isolated && !flush()) return;
  }
  flush();
}
