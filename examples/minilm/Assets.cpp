#include "examples/minilm/Assets.h"

#include "examples/minilm/Tokenizer.h"

#include <kiln/Error.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace minilm {
namespace {

constexpr const char *weightsFile = "/model.safetensors";
constexpr const char *vocabularyFile = "/vocab.txt";

/// The special tokens and every run of ASCII letters and digits in the text, in lower case.
Tokenizer vocabularyOfText(const std::vector<std::string> &sentences) {
  std::set<std::string> words;
  for (const std::string &sentence : sentences) {
    std::string word;
    for (unsigned char c : sentence + " ") {
      if (c < 0x80 && std::isalnum(c)) {
        word += static_cast<char>(std::tolower(c));
      } else if (!word.empty()) {
        words.insert(std::exchange(word, {}));
      }
    }
  }
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  tokens.insert(tokens.end(), words.begin(), words.end());
  return Tokenizer(tokens, "the text's own words");
}

kiln::HostTensor randomParameter(const kiln::TensorInfo &info, uint64_t seed) {
  if (info.name.ends_with("LayerNorm.weight")) return kiln::HostTensor::full(info.shape, info.dtype, 1);
  if (info.name.ends_with("LayerNorm.bias")) return kiln::HostTensor(info.shape, info.dtype);
  kiln::HostTensor value = kiln::HostTensor::randomNormal(info.shape, info.dtype, seed);
  float *elements = value.data<float>();
  for (int64_t i = 0; i < value.size(); ++i) elements[i] *= 0.02F;
  return value;
}

} // namespace

bool hasPublishedFiles(const std::string &folder) {
  return std::filesystem::exists(folder + weightsFile) && std::filesystem::exists(folder + vocabularyFile);
}

std::vector<std::string> readSentences(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> sentences;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) sentences.push_back(line);
  if (sentences.size() < 2)
    throw kiln::Error({.code = kiln::ErrorCode::InvalidInput,
                       .op = path,
                       .rule = "the text must have at least two lines that are not empty",
                       .found = std::to_string(sentences.size()),
                       .hint = std::filesystem::exists(path) ? "" : "there is no such file"});
  return sentences;
}

kiln::NamedTensors tokenize(const std::vector<std::string> &sentences, int64_t length, const std::string &folder) {
  const Tokenizer tokenizer =
      folder.empty() ? vocabularyOfText(sentences) : Tokenizer::fromVocab(folder + vocabularyFile);
  const auto rows = static_cast<int64_t>(sentences.size());
  kiln::HostTensor ids({rows, length}, kiln::i32), mask({rows, length}, kiln::i32);
  for (int64_t row = 0; row < rows; ++row) {
    PaddedTokens tokens = tokenizer.encodePadded(sentences[row], length);
    std::ranges::copy(tokens.ids, ids.data<int32_t>() + row * length);
    std::ranges::copy(tokens.mask, mask.data<int32_t>() + row * length);
  }
  return {{"ids", ids}, {"mask", mask}};
}

void bindWeights(kiln::Executable &executable, const kiln::Graph &graph, const std::string &folder) {
  if (!folder.empty()) return executable.bindParameters(folder + weightsFile);
  uint64_t seed = 0;
  for (const kiln::TensorInfo &info : graph.inputs())
    if (info.parameter) executable.bind(info.name, randomParameter(info, ++seed));
}

} // namespace minilm
