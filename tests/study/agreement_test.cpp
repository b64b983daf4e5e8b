#include "study/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace deepperf::study;

namespace {

using Labels = std::vector<std::string_view>;

TEST(Agreement, CohensExample) {
  Labels first;
  Labels second;
  const auto add = [&](int times, std::string_view a, std::string_view b) {
    first.insert(first.end(), static_cast<std::size_t>(times), a);
    second.insert(second.end(), static_cast<std::size_t>(times), b);
  };
  add(20, "yes", "yes");
  add(5, "yes", "no");
  add(10, "no", "yes");
  add(15, "no", "no");
  const Agreement result = agreement(first, second);
  EXPECT_DOUBLE_EQ(result.share, 0.7);
  EXPECT_NEAR(result.kappa, 0.4, 1e-12);
  EXPECT_LT(result.low, 0.4);
  EXPECT_GT(result.high, 0.4);
  EXPECT_EQ(result.disagreements.at({"no", "yes"}), 10U);
  EXPECT_EQ(result.disagreed.size(), 15U);
  EXPECT_EQ(kappa_word(result.kappa), "fair");
  ASSERT_EQ(result.labels.size(), 2U);
  EXPECT_NEAR(result.labels[0].kappa, 0.4, 1e-12); // with two labels it is the same for each
}

TEST(Agreement, MissingLabelsDoNotCount) {
  const Agreement result = agreement({"a", "", "b", ""}, {"a", "b", "", ""});
  EXPECT_EQ(result.items, 1U);
  EXPECT_EQ(result.one_missing, 2U);
  EXPECT_EQ(result.both_missing, 1U);
}

TEST(Agreement, NotDefinedWithoutAChoice) {
  EXPECT_TRUE(std::isnan(agreement({"a", "a"}, {"a", "a"}).kappa));
  EXPECT_TRUE(std::isnan(agreement({}, {}).kappa));
  EXPECT_EQ(kappa_word(agreement({"a"}, {"a"}).kappa), "not defined");
}

} // namespace
