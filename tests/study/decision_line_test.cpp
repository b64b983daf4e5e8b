#include "study/decision_line.h"

#include <gtest/gtest.h>

using namespace deepperf::study;

namespace {

TEST(DecisionLine, LiesBetweenTheClasses) {
  std::vector<ScoredItem> items;
  for (int i = 0; i < 40; ++i) {
    items.push_back({-3.0 + 0.01 * i, false});
  }
  for (int i = 0; i < 20; ++i) {
    items.push_back({-1.0 + 0.01 * i, true});
  }
  const double offset = best_offset(items);
  EXPECT_NEAR(offset, (2.61 + 1.0) / 2, 1e-9);
}

TEST(DecisionLine, OneThatIsGoodByChanceIsNotTaken) {
  // One of the first class stands above all of the second.
  std::vector<ScoredItem> items = {{9, false}};
  for (int i = 1; i <= 30; ++i) {
    items.push_back({0.1 * i, true});
    items.push_back({-0.1 * i, false});
  }
  const double offset = best_offset(items);
  EXPECT_LT(offset, 0.1);
  EXPECT_GT(offset, -0.1);
}

TEST(DecisionLine, NothingToChooseFrom) {
  EXPECT_EQ(best_offset({}), 0);
  EXPECT_EQ(best_offset({{1, true}}), 0);
  EXPECT_EQ(best_offset({{1, true}, {2, true}}), 0);
  EXPECT_EQ(best_offset({{1, false}, {2, false}}), 0);
}

} // namespace
