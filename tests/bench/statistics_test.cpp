#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace deepperf::bench {
namespace {

TEST(Statistics, MedianIsInTheMiddleOrBetweenTheTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, WithoutNoiseTheIntervalIsAPoint) {
  const std::vector<double> slow(7, 6.0);
  const std::vector<double> fast(7, 2.0);
  const Interval interval = ratio_of_medians(slow, fast);
  EXPECT_DOUBLE_EQ(interval.value, 3);
  EXPECT_DOUBLE_EQ(interval.low, 3);
  EXPECT_DOUBLE_EQ(interval.high, 3);
}

TEST(Statistics, TheIntervalHoldsTheRatioAndIsTheSameEachTime) {
  const std::vector<double> slow{6.1, 5.8, 6.6, 6.0, 9.0, 5.9, 6.2};
  const std::vector<double> fast{2.0, 2.1, 1.9, 2.2, 2.0, 2.05, 1.95};
  const Interval interval = ratio_of_medians(slow, fast);
  EXPECT_NEAR(interval.value, 6.1 / 2.0, 1e-12);
  EXPECT_LT(interval.low, interval.value);
  EXPECT_GT(interval.high, interval.value);
  EXPECT_GT(interval.low, 2.5);
  EXPECT_LT(interval.high, 4.7);
  const Interval again = ratio_of_medians(slow, fast);
  EXPECT_EQ(interval.low, again.low);
  EXPECT_EQ(interval.high, again.high);
}

TEST(Statistics, OneOutlierDoesNotMakeAnEffect) {
  const std::vector<double> same{1, 1.01, 0.99, 1, 50, 1.02, 0.98};
  const std::vector<double> other{1, 1.02, 1.01, 0.99, 1, 0.98, 1};
  EXPECT_LT(ratio_of_medians(same, other).low, 1.2);
}

TEST(Statistics, RoundsAreDrawnWithBothOfTheirMeasurements) {
  // The load changes from round to round and hits both programs alike: the ratio is known exactly all the same.
  std::vector<double> slow;
  std::vector<double> fast;
  for (const double load : {1.0, 3.0, 10.0, 2.0, 5.0, 1.5, 7.0}) {
    slow.push_back(4 * load);
    fast.push_back(load);
  }
  const Interval interval = ratio_of_medians(slow, fast);
  EXPECT_DOUBLE_EQ(interval.low, 4);
  EXPECT_DOUBLE_EQ(interval.high, 4);
}

TEST(Statistics, GrowthComparesFactors) {
  const Growing quadratic{{1, 1, 1}, {16, 16, 16}};
  const Growing linear{{2, 2, 2}, {8, 8, 8}};
  EXPECT_DOUBLE_EQ(growth_factor(quadratic), 16);
  EXPECT_DOUBLE_EQ(growth_factor(linear), 4);
  EXPECT_DOUBLE_EQ(ratio_of_growth(quadratic, linear).value, 4);
  EXPECT_DOUBLE_EQ(ratio_of_growth(linear, linear).low, 1);
}

TEST(Statistics, NothingMeasuredIsNotANumber) { EXPECT_TRUE(std::isnan(ratio_of_medians({}, {}).value)); }

} // namespace
} // namespace deepperf::bench
