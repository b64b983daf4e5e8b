#include "study/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

using namespace deepperf::study;

namespace {

Table posts() {
  Table table;
  table.source = "posts.csv";
  table.csv.header = {"id", "tags", "created", "accepted", "score", "views", "kind"};
  table.csv.rows = {{"1", "|python|pytorch|", "2019-01-01T00:00:00.000", "2019-01-02T00:00:00.000", "3", "100", "a"},
                    {"2", "<keras><tensorflow>", "2019-05-01T00:00:00.000", "", "1", "50", "b; a"},
                    {"3", "|cooking|", "2020-01-01T00:00:00.000", "2020-01-01T12:00:00.000", "-2", "x", ""}};
  return table;
}

TEST(Summary, Facts) {
  const Facts facts = read_facts(posts());
  ASSERT_EQ(facts.posts.size(), 3U);
  EXPECT_DOUBLE_EQ(*facts.posts[0].days, 1);
  EXPECT_FALSE(facts.posts[1].accepted);
  EXPECT_FALSE(facts.posts[2].views.has_value());
  EXPECT_EQ(facts.unreadable, 1U);
}

TEST(Summary, Groups) {
  using Groups = std::vector<std::vector<std::string>>;
  EXPECT_EQ(groups_of(posts(), "framework", '\0'), (Groups{{"PyTorch"}, {"TensorFlow"}, {"other"}}));
  EXPECT_EQ(groups_of(posts(), "year", '\0'), (Groups{{"2019"}, {"2019"}, {"2020"}}));
  EXPECT_EQ(groups_of(posts(), "kind", ';'), (Groups{{"a"}, {"b", "a"}, {"(none)"}}));
  EXPECT_THROW(groups_of(posts(), "colour", '\0'), std::runtime_error);
}

TEST(Summary, GroupTable) {
  const Grid grid = group_grid(read_facts(posts()), groups_of(posts(), "year", '\0'), "By year");
  ASSERT_EQ(grid.rows.size(), 3U); // years in their order, then all
  EXPECT_EQ(grid.rows[0][0], "2019");
  EXPECT_EQ(grid.rows[0][1], "2");
  EXPECT_EQ(grid.rows[0][3], "50.0%");
  EXPECT_EQ(grid.rows[2][0], "all");
  EXPECT_EQ(grid.rows[2][5], "0.75"); // median days
}

TEST(Summary, Cross) {
  const CrossTable table = cross({{"x"}, {"x"}, {"y"}, {"y"}}, {{"1"}, {"1"}, {"2"}, {"2"}});
  EXPECT_EQ(table.counts, (std::vector<std::vector<deepperf::u64>>{{2, 0}, {0, 2}}));
  EXPECT_DOUBLE_EQ(table.chi_square, 4);
  EXPECT_DOUBLE_EQ(table.cramers_v, 1);
  EXPECT_NEAR(table.p, 0.0455, 1e-4);
  EXPECT_TRUE(std::isnan(cross({{"x"}}, {{"1"}}).cramers_v));
}

} // namespace
