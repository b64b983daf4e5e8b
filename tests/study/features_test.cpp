#include "study/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace deepperf;
using namespace deepperf::study;

namespace {

Document titled(std::string title) {
  Document document;
  document.title = std::move(title);
  return document;
}

std::set<std::string> grams(const Document &document, Block block, FeatureOptions options = {}) {
  GramTable table(std::move(options));
  std::set<std::string> found;
  for (const GramCount &entry : table.count(document)) {
    if (table.block(entry.gram) == block) {
      found.emplace(table.text(entry.gram));
    }
  }
  return found;
}

using Set = std::set<std::string>;

TEST(Features, WordsOfTheTitle) {
  EXPECT_EQ(grams(titled("Saving models fast"), Block::TitleWords),
            (Set{"save", "model", "fast", "save model", "model fast", "save model fast"}));
}

TEST(Features, CharactersStayWithinWords) {
  FeatureOptions options;
  options.char_most = 3;
  EXPECT_EQ(grams(titled("ab c"), Block::TitleChars, options),
            (Set{" a", "ab", "b ", " ab", "ab ", " c", "c ", " c "}));
}

TEST(Features, PartsOfIdentifiers) {
  const Set parts = grams(titled("tf.nn.conv2d_transpose DataLoader"), Block::TitleParts);
  EXPECT_TRUE(parts.contains("conv"));
  EXPECT_TRUE(parts.contains("transpos"));
  EXPECT_TRUE(parts.contains("loader"));
  EXPECT_TRUE(parts.contains("dataload"));
}

TEST(Features, ConceptsInTheirOrder) {
  EXPECT_EQ(grams(titled("plot the accuracy"), Block::Concepts),
            (Set{"show", "metric", "first show", "show > metric"}));
  FeatureOptions without;
  without.concepts = false;
  EXPECT_TRUE(grams(titled("plot the accuracy"), Block::Concepts, without).empty());
}

TEST(Features, DroppedWordsLeaveNothing) {
  FeatureOptions options;
  options.dropped = {"how", "to"};
  EXPECT_EQ(grams(titled("How to bake?"), Block::TitleWords, options), Set{"bake"});
  for (const std::string &gram : grams(titled("How to, bake"), Block::TitleChars, options)) {
    EXPECT_EQ(gram.find("ow"), std::string::npos) << gram;
  }
}

TEST(Features, CodeAndErrorsAreTheirOwn) {
  Document document = titled("x");
  document.code = "model.fit(epochs=3)";
  document.errors = {"ValueError"};
  document.has_trace = true;
  EXPECT_EQ(grams(document, Block::CodeWords), (Set{"model", "fit", "epochs"}));
  EXPECT_EQ(grams(document, Block::Errors), (Set{"ValueError", "stack trace"}));
  EXPECT_TRUE(grams(document, Block::BodyWords).empty());
}

TEST(Features, EachBlockHasLengthOneTimesItsWeight) {
  GramTable table{FeatureOptions()};
  std::vector<CountedDocument> documents;
  for (const char *title : {"save a model", "save a tensor", "plot a tensor"}) {
    documents.push_back(table.count(titled(title)));
  }
  const Weighting weighting(table, {&documents[0], &documents[1], &documents[2]});
  double squares = 0;
  int previous = 0;
  for (const feature_node &node : weighting.vectorize(table, documents[0])) {
    if (node.index > 0 && node.index <= static_cast<int>(weighting.features())) {
      EXPECT_GT(node.index, previous); // as liblinear wants it
      previous = node.index;
      if (table.block(weighting.gram(static_cast<u32>(node.index) - 1)) == Block::TitleWords) {
        squares += node.value * node.value;
      }
    }
  }
  EXPECT_NEAR(squares, 1, 1e-9);
}

TEST(Features, HugeAndEmptyTexts) {
  EXPECT_TRUE(grams(titled(""), Block::TitleWords).empty());
  EXPECT_TRUE(grams(titled(std::string(5'000'000, 'x')), Block::TitleWords).empty()); // no word is that long
  EXPECT_LT(grams(titled(std::string(5'000'000, '.')), Block::TitleChars).size(), 100U);
}

} // namespace
