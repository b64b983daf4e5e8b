#include "study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace deepperf::study;

namespace {

using Values = std::vector<double>;

TEST(Statistics, Quantiles) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, MeanAndDeviation) {
  EXPECT_DOUBLE_EQ(mean(Values{1, 2, 3, 4}), 2.5);
  EXPECT_NEAR(standard_deviation(Values{1, 2, 3, 4}), 1.2909944487, 1e-9);
  EXPECT_TRUE(std::isnan(standard_deviation(Values{1})));
}

// Against values that SciPy gives.
TEST(Statistics, Correlations) {
  const Values x = {1, 2, 3, 4, 5, 6};
  const Values y = {2, 1, 4, 3, 7, 8};
  EXPECT_NEAR(pearson(x, y).r, 0.9014600868, 1e-9);
  EXPECT_NEAR(pearson(x, y).p, 0.0140867548, 1e-9);
  EXPECT_NEAR(spearman(x, y).r, 0.8857142857, 1e-9);
  EXPECT_NEAR(spearman(x, y).p, 0.0188454810, 1e-9);
  EXPECT_NEAR(spearman(Values{1, 1, 2, 2}, Values{1, 2, 3, 4}).r, 0.8944271910, 1e-9);
  EXPECT_DOUBLE_EQ(pearson(x, x).r, 1);
  EXPECT_DOUBLE_EQ(pearson(x, x).p, 0);
}

TEST(Statistics, CorrelationsThatAreNone) {
  EXPECT_TRUE(std::isnan(pearson(Values{1, 1, 1}, Values{1, 2, 3}).r));
  EXPECT_TRUE(std::isnan(pearson(Values{}, Values{}).r));
  EXPECT_DOUBLE_EQ(pearson(Values{1, 2}, Values{1, 3}).p, 1); // two points always lie on a line
}

TEST(Statistics, Distributions) {
  EXPECT_NEAR(student_two_sided(2.262157, 9), 0.05, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 9), 2.262157, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 1e6), 1.959966, 1e-4);
  EXPECT_NEAR(chi_square_tail(3.841459, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_tail(5, 10), 0.8911780189, 1e-9);
  EXPECT_DOUBLE_EQ(chi_square_tail(0, 3), 1);
}

} // namespace
