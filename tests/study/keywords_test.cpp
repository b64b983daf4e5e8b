#include "study/keywords.h"

#include "shared_data.h"
#include "study/table.h"
#include "study/text.h"

#include <gtest/gtest.h>

#include <set>

using namespace deepperf::study;

namespace {

std::vector<std::string> found(const KeywordFilter &filter, std::string_view text) {
  std::vector<std::string> names;
  for (const std::size_t index : filter.matches(text)) {
    names.push_back(filter.keywords()[index]);
  }
  return names;
}

TEST(Keywords, WordsAndPairsOfStems) {
  const KeywordFilter filter(published_keywords());
  EXPECT_EQ(found(filter, "Training takes longer on the GPU and runs slowly; runs slowly!"),
            (std::vector<std::string>{"slowli", "take longer"}));
  EXPECT_EQ(found(filter, "OOM: memory leaks"), (std::vector<std::string>{"oom", "memori leak"}));
  EXPECT_TRUE(found(filter, "a slow run").empty());
  EXPECT_TRUE(found(filter, "").empty());
}

TEST(Keywords, TwoOfThePublishedOnesNeverMatch) {
  EXPECT_EQ(impossible_keywords(published_keywords()), (std::vector<std::string>{"hangs", "very slow"}));
  EXPECT_TRUE(impossible_keywords(corrected_keywords()).empty());
  EXPECT_TRUE(found(KeywordFilter(published_keywords()), "it hangs and is very slow").empty());
  EXPECT_EQ(found(KeywordFilter(corrected_keywords()), "it hangs and is very slow"),
            (std::vector<std::string>{"hang", "veri slow"}));
}

TEST(Keywords, TheListIsThePublishedOne) {
  NEEDS_SHARED_DATA(data);
  EXPECT_EQ(read_keywords(data + "/dlperf/keywords_set.txt"), published_keywords());
}

// expected/dlperf_keyword_filter.json: 70 of the 210 posts, 75 of the 224 rows.
TEST(Keywords, TitlesOfTheStudy) {
  NEEDS_SHARED_DATA(data);
  const Table table = read_table(data + "/dlperf/empirical_study.csv");
  const std::size_t id = table.need("id");
  const std::size_t title = table.need("title");
  const KeywordFilter filter(published_keywords());
  std::set<std::string_view> posts;
  int rows = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!filter.matches(decode_entities(table.cell(row, title))).empty()) {
      ++rows;
      posts.insert(table.cell(row, id).substr(0, table.cell(row, id).find('_')));
    }
  }
  EXPECT_EQ(rows, 75);
  EXPECT_EQ(posts.size(), 70U);
}

// expected/perf_vs_implementation_baseline.json: 70 true and 29 false positives.
TEST(Keywords, AsAClassifier) {
  NEEDS_SHARED_DATA(data);
  const Table table = read_table(data + "/dlperf/perf_vs_implementation_titles.tsv");
  const KeywordFilter filter(published_keywords());
  int right = 0;
  int wrong = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!filter.matches(decode_entities(table.cell(row, 2))).empty()) {
      ++(table.cell(row, 1) == "1" ? right : wrong);
    }
  }
  EXPECT_EQ(right, 70);
  EXPECT_EQ(wrong, 29);
}

} // namespace
