#include "study/porter_stemmer.h"

#include "shared_data.h"
#include "study/csv.h"

#include <gtest/gtest.h>

using namespace deepperf::study;

namespace {

TEST(PorterStemmer, Words) {
  EXPECT_EQ(porter_stem("slowly"), "slowli");
  EXPECT_EQ(porter_stem("Efficiency"), "effici");
  EXPECT_EQ(porter_stem("memory"), "memori");
  EXPECT_EQ(porter_stem("utilization"), "util");
  EXPECT_EQ(porter_stem("OOM"), "oom");
  EXPECT_EQ(porter_stem("hangs"), "hang");
  EXPECT_EQ(porter_stem("very"), "veri");
  EXPECT_EQ(porter_stem("stopping"), "stop");
  EXPECT_EQ(porter_stem("agreed"), "agre");
}

TEST(PorterStemmer, WhatNltkDoesDifferently) {
  EXPECT_EQ(porter_stem("dying"), "die");          // looked up
  EXPECT_EQ(porter_stem("dies"), "die");           // four letters
  EXPECT_EQ(porter_stem("flies"), "fli");          // more
  EXPECT_EQ(porter_stem("enjoy"), "enjoy");        // y behind a vowel stays
  EXPECT_EQ(porter_stem("geology"), "geolog");     // -logi
  EXPECT_EQ(porter_stem("hopefully"), "hope");     // -fulli
  EXPECT_EQ(porter_stem("additionally"), "addit"); // -alli hides -ional
  EXPECT_EQ(porter_stem("is"), "is");
}

TEST(PorterStemmer, StrangeWords) {
  EXPECT_EQ(porter_stem(""), "");
  EXPECT_EQ(porter_stem("_"), "_");
  EXPECT_EQ(porter_stem("naïvely"), "naïv");
  EXPECT_EQ(porter_stem(std::string(200'000, 'y')).size(), 200'000U);
  EXPECT_EQ(porter_stem("yyyies"), "yyyi");
}

TEST(PorterStemmer, AllWordsOfTheFixture) {
  NEEDS_SHARED_DATA(data);
  const CsvTable fixture = read_csv(data + "/stemmer/stemmer_fixture.tsv", '\t');
  ASSERT_GT(fixture.rows.size(), 6000U);
  const std::size_t nltk = fixture.column("nltk_default").value();
  for (const CsvRow &row : fixture.rows) {
    EXPECT_EQ(porter_stem(row[0]), row[nltk]) << row[0];
  }
}

} // namespace
