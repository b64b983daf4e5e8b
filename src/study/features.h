// Texts as vectors of numbers.
//
// A document is first counted: which n-grams it has, in several blocks (words of the title, characters of the title,
// words of the body, …). That depends on the document alone and is done once. Weights are then learned from the
// documents that are trained on, and only from those: how rare an n-gram is, and which are too rare to count.
#pragma once

#include "base/types.h"
#include "study/samples.h"

#include <linear.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::study {

enum class Block : u8 {
  TitleWords, // stems, one to three in a row
  TitleChars, // two to five characters within a word and its borders
  TitleParts, // of identifiers: conv2d_transpose, DataLoader
  Concepts,   // what kinds of things the title is about, and in which order
  BodyWords,  // stems, one or two in a row
  CodeWords,  // identifiers in code
  Errors,     // exceptions, and whether there is a stack trace
};
inline constexpr std::size_t kBlocks = 7;

struct FeatureOptions {
  u32 word_grams = 3;
  u32 char_least = 2;
  u32 char_most = 5;
  bool concepts = true;
  std::vector<std::string> dropped; // words that are not to be learned from, in lower case
  u32 least_documents = 2;          // an n-gram that fewer have does not count
  std::array<double, kBlocks> weights = {1, 1, 0.5, 0.3, 1, 0.5, 0.5};
};

struct GramCount {
  u32 gram = 0;
  u32 count = 0;
};
using CountedDocument = std::vector<GramCount>; // sorted by gram

// The n-grams that were ever counted, as numbers.
class GramTable {
public:
  explicit GramTable(FeatureOptions options) : options_(std::move(options)) {}

  CountedDocument count(const Document &document);

  // Like `count`, but n-grams that are new are left out: for texts that are only classified.
  CountedDocument look_up(const Document &document) const;

  u32 add(Block block, std::string_view text); // the number of that n-gram
  std::size_t size() const { return texts_.size(); }
  Block block(u32 gram) const { return static_cast<Block>(texts_[gram][0] - '0'); }
  std::string_view text(u32 gram) const { return std::string_view(texts_[gram]).substr(1); }
  const FeatureOptions &options() const { return options_; }

private:
  FeatureOptions options_;
  std::unordered_map<std::string, u32> numbers_; // of the block's digit and the text
  std::vector<std::string> texts_;
};

// How much each n-gram counts: tf-idf with logarithmic counts, each block of length one, times the block's weight.
class Weighting {
public:
  Weighting() = default;
  Weighting(const GramTable &table, const std::vector<const CountedDocument *> &documents);

  // Features are numbered from 1 as liblinear has them; the last node has index -1. The one before it is the constant.
  std::vector<feature_node> vectorize(const GramTable &table, const CountedDocument &document) const;

  u32 features() const { return static_cast<u32>(grams_.size()); } // without the constant
  u32 gram(u32 feature) const { return grams_[feature]; }          // features from 0 here
  float rarity(u32 feature) const { return rarities_[feature]; }

  // From a file: grams in the order of features.
  void set(std::vector<u32> grams, std::vector<float> rarities, std::size_t table_size);

private:
  std::vector<u32> grams_;
  std::vector<float> rarities_;
  std::vector<u32> features_; // of each gram of the table: from 1; 0 is none
};

} // namespace deepperf::study
