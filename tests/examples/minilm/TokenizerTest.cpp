// The WordPiece tokenizer against recorded ids of the reference (needs the fetched vocabulary), and its rules one by
// one with a small vocabulary (always).

#include "examples/minilm/Tokenizer.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using minilm::Tokenizer;

namespace {

using Ids = std::vector<int32_t>;

const std::string fixtures = KILN_SOURCE_DIR "/tests/examples/minilm/";
const std::string vocabulary = KILN_MINILM_CACHE "/vocab.txt";

#define SKIP_WITHOUT_VOCABULARY()                                                                                      \
  if (!std::filesystem::exists(vocabulary))                                                                            \
  GTEST_SKIP() << vocabulary << " is absent; examples/minilm/fetch_weights.py gets it"

/// The bytes that `hex` spells, two digits each.
std::string fromHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// The values of a version 1 .npy file of little-endian int32, which the fixtures are.
Ids readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8))) << path;
  if (bytes.size() < 10) return {};
  const size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
  EXPECT_NE(bytes.substr(0, header).find("'<i4'"), std::string::npos) << path;
  Ids values((bytes.size() - header) / sizeof(int32_t));
  std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(int32_t));
  return values;
}

/// A vocabulary of a few tokens; the id of a token is its place here.
enum Small : int32_t {
  PAD,
  UNK,
  CLS,
  SEP,
  MASK,
  UN,
  AFF,
  ABLE,
  AFFABLE_TAIL,
  THE,
  CAFE,
  ZHONG,
  WEN,
  BANG,
  OPEN,
  SIGMA,
  A,
  A_TAIL,
  E_TAIL
};

const Tokenizer &small() {
  static const Tokenizer tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able", "##affable",
                                    "the", "cafe", "中", "文", "!", "[", "σσ", "a", "##a", "##é"});
  return tokenizer;
}

/// The ids of `text` without the frame of [CLS] and [SEP].
Ids plain(std::string_view text) {
  const Ids ids = small().encode(text, 512);
  EXPECT_GE(ids.size(), 2u);
  EXPECT_EQ(ids.front(), CLS);
  EXPECT_EQ(ids.back(), SEP);
  return Ids(ids.begin() + 1, ids.end() - 1);
}

/// What the constructor says about `tokens`, or "" when it accepts them.
std::string complaint(const std::vector<std::string> &tokens) {
  try {
    Tokenizer tokenizer(tokens, "small.txt");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(MiniLMTokenizer, IdsEqualTheReference) {
  SKIP_WITHOUT_VOCABULARY();
  const Tokenizer tokenizer = Tokenizer::fromVocab(vocabulary);
  EXPECT_EQ(tokenizer.size(), 30522u);
  std::ifstream file(fixtures + "token_ids.jsonl");
  ASSERT_TRUE(file);
  size_t lines = 0, truncated = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const auto entry = nlohmann::json::parse(line);
    const std::string text = entry.contains("hex") ? fromHex(entry["hex"]) : entry["text"].get<std::string>();
    const auto expected = entry["ids"].get<Ids>();
    const auto limit = entry["max"].get<size_t>();
    truncated += expected.size() == 512;
    EXPECT_EQ(tokenizer.encode(text, limit), expected) << "line " << lines + 1 << ": " << line.substr(0, 200);
  }
  EXPECT_GE(lines, 300u);
  EXPECT_GE(truncated, 5u);
}

TEST(MiniLMTokenizer, ShippedSentencesEqualTheReference) {
  SKIP_WITHOUT_VOCABULARY();
  const Tokenizer tokenizer = Tokenizer::fromVocab(vocabulary);
  const Ids expectedIds = readNpy(fixtures + "ids.npy"), expectedMask = readNpy(fixtures + "mask.npy");
  std::ifstream file(KILN_SOURCE_DIR "/examples/minilm/sentences.txt");
  ASSERT_TRUE(file);
  Ids ids, mask;
  for (std::string line; std::getline(file, line);) {
    const auto tokens = tokenizer.encodePadded(line, 128);
    ids.insert(ids.end(), tokens.ids.begin(), tokens.ids.end());
    mask.insert(mask.end(), tokens.mask.begin(), tokens.mask.end());
  }
  EXPECT_EQ(ids.size() % 128, 0u);
  EXPECT_GE(ids.size() / 128, 32u);
  EXPECT_EQ(ids, expectedIds);
  EXPECT_EQ(mask, expectedMask);
}

TEST(MiniLMTokenizer, TakesTheLongestPiece) {
  EXPECT_EQ(plain("unaffable"), (Ids{UN, AFFABLE_TAIL}));
  EXPECT_EQ(plain("unaffaffable"), (Ids{UN, AFF, AFFABLE_TAIL}));
  EXPECT_EQ(plain("unable the"), (Ids{UN, ABLE, THE}));
}

TEST(MiniLMTokenizer, OnePieceMissingMakesTheWholeWordUnknown) {
  EXPECT_EQ(plain("unafx"), (Ids{UNK}));
  EXPECT_EQ(plain("the x the"), (Ids{THE, UNK, THE}));
  EXPECT_EQ(plain("able"), (Ids{UNK})) << "a continuation does not start a word";
}

TEST(MiniLMTokenizer, CleansLowersAndStripsAccents) {
  EXPECT_EQ(plain("THE CAFÉ cafe\u0301"), (Ids{THE, CAFE, CAFE}));
  EXPECT_EQ(plain("t\u00adh\u200be"), (Ids{THE})) << "format characters vanish";
  EXPECT_EQ(plain(std::string_view("t\0he\a", 5)), (Ids{THE}));
  EXPECT_EQ(plain("the\u00a0the\u3000the\tthe\u2028the"), (Ids{THE, THE, THE, THE, THE}));
  EXPECT_EQ(plain("ΣΣ σσ"), (Ids{SIGMA, SIGMA})) << "no final sigma";
}

TEST(MiniLMTokenizer, IsolatesCjkAndPunctuation) {
  EXPECT_EQ(plain("the中文the"), (Ids{THE, ZHONG, WEN, THE}));
  EXPECT_EQ(plain("the!!the"), (Ids{THE, BANG, BANG, THE}));
  EXPECT_EQ(plain("!"), (Ids{BANG}));
}

TEST(MiniLMTokenizer, KeepsSpecialTokensOfTheText) {
  EXPECT_EQ(plain("the[MASK]the"), (Ids{THE, MASK, THE}));
  EXPECT_EQ(plain("[[MASK]"), (Ids{OPEN, MASK}));
  EXPECT_EQ(plain("[mask]"), (Ids{OPEN, UNK, UNK}));
}

TEST(MiniLMTokenizer, AWordOfOver100CharactersIsUnknown) {
  auto repeat = [](std::string_view text, size_t count) {
    std::string all;
    while (count-- > 0) all += text;
    return all;
  };
  EXPECT_EQ(plain(repeat("a", 100)).size(), 100u);
  EXPECT_EQ(plain(repeat("a", 101)), (Ids{UNK}));
  EXPECT_EQ(plain(repeat("á", 100)).size(), 100u) << "characters count, after accents are stripped";
}

TEST(MiniLMTokenizer, Truncates) {
  EXPECT_EQ(small().encode("the the the", 5), (Ids{CLS, THE, THE, THE, SEP}));
  EXPECT_EQ(small().encode("the the the", 4), (Ids{CLS, THE, THE, SEP}));
  EXPECT_EQ(small().encode("unaffaffable", 4), (Ids{CLS, UN, AFF, SEP})) << "inside a word too";
  EXPECT_EQ(small().encode("the[MASK][MASK]", 3), (Ids{CLS, THE, SEP}));
  EXPECT_EQ(small().encode("the", 2), (Ids{CLS, SEP}));
  EXPECT_EQ(small().encode("", 512), (Ids{CLS, SEP}));
  EXPECT_THROW(small().encode("the", 1), std::invalid_argument);
  EXPECT_THROW(small().encodePadded("the", 0), std::invalid_argument);
}

TEST(MiniLMTokenizer, Pads) {
  const auto tokens = small().encodePadded("the the", 6);
  EXPECT_EQ(tokens.ids, (Ids{CLS, THE, THE, SEP, PAD, PAD}));
  EXPECT_EQ(tokens.mask, (Ids{1, 1, 1, 1, 0, 0}));
  const auto full = small().encodePadded("the the", 3);
  EXPECT_EQ(full.ids, (Ids{CLS, THE, SEP}));
  EXPECT_EQ(full.mask, (Ids{1, 1, 1}));
}

TEST(MiniLMTokenizer, BadBytesAreDropped) {
  EXPECT_EQ(plain("t\xffh\xc3"
                  "e"),
            (Ids{THE}));
  EXPECT_EQ(plain("the\xe4\xb8"), (Ids{THE})) << "cut in the middle of a character";
  EXPECT_EQ(plain("\xed\xa0\x80the\xf4\x90\x80\x80"), (Ids{THE})) << "surrogate, beyond U+10FFFF";
}

TEST(MiniLMTokenizer, AnyBytesGiveIdsInRange) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 200, '\0');
    for (char &byte : text) byte = static_cast<char>(random());
    for (const int32_t id : small().encode(text, 64)) {
      ASSERT_GE(id, 0);
      ASSERT_LT(static_cast<size_t>(id), small().size());
    }
  }
}

TEST(MiniLMTokenizer, LongTextsOfBracketsTakeLinearTime) {
  EXPECT_EQ(small().encode(std::string(1 << 20, '['), 512).size(), 512u);
  EXPECT_EQ(plain(std::string(1 << 20, 'a')), (Ids{UNK}));
}

TEST(MiniLMTokenizer, RefusesBadVocabularies) {
  EXPECT_EQ(complaint({}), "small.txt: not a BERT vocabulary, it lacks [PAD]");
  EXPECT_EQ(complaint({"[PAD]", "[UNK]", "[CLS]", "the"}), "small.txt: not a BERT vocabulary, it lacks [SEP]");
  EXPECT_EQ(complaint({"[PAD]", "[UNK]", "[CLS]", "[SEP]"}), "");
  EXPECT_EQ(complaint({"[PAD]", "", "[UNK]"}), "small.txt:2: empty token");
  EXPECT_EQ(complaint({"[PAD]", "the", "the"}), "small.txt:3: token appears a second time");
  EXPECT_EQ(complaint({"[PAD]", "\xff"}), "small.txt:2: token is not UTF-8");
}

TEST(MiniLMTokenizer, ReadsVocabularyFiles) {
  const std::string path = testing::TempDir() + "minilm-vocab.txt";
  std::ofstream(path, std::ios::binary) << "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\nthe\r\n";
  const Tokenizer tokenizer = Tokenizer::fromVocab(path);
  EXPECT_EQ(tokenizer.size(), 5u);
  EXPECT_EQ(tokenizer.encode("the", 8), (Ids{2, 4, 3}));
  std::filesystem::remove(path);
  EXPECT_THROW(Tokenizer::fromVocab(path), std::runtime_error);
  EXPECT_THROW(Tokenizer::fromVocab(testing::TempDir()), std::runtime_error);
}

} // namespace
