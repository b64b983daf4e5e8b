#include "study/metrics.h"

#include <gtest/gtest.h>

using namespace deepperf;
using namespace deepperf::study;

namespace {

TEST(Metrics, OneLabelEach) {
  const std::vector<LabelSet> truth = {{0}, {0}, {0}, {1}, {1}, {2}};
  const std::vector<LabelSet> predicted = {{0}, {0}, {1}, {1}, {0}, {}};
  const Scores scores = score(truth, predicted, 3);
  EXPECT_DOUBLE_EQ(scores.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(scores.classes[0].precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.classes[0].recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.classes[1].f1, 0.5);
  EXPECT_DOUBLE_EQ(scores.classes[2].f1, 0);
  EXPECT_DOUBLE_EQ(scores.macro_f1, (2.0 / 3 + 0.5 + 0) / 3);
  EXPECT_DOUBLE_EQ(scores.micro_precision, 0.6);
  EXPECT_DOUBLE_EQ(scores.micro_recall, 0.5);
  EXPECT_EQ(scores.classes[0].support, 3U);
  // Every wrong prediction counts, however many there are of one kind.
  EXPECT_EQ(confusion(truth, predicted, 3), (std::vector<std::vector<u64>>{{2, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}}));
}

TEST(Metrics, SeveralLabels) {
  const Scores scores = score(std::vector<LabelSet>{{0, 1}, {1}}, std::vector<LabelSet>{{0}, {1}}, 3);
  EXPECT_DOUBLE_EQ(scores.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(scores.micro_precision, 1);
  EXPECT_DOUBLE_EQ(scores.micro_recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.macro_recall, 0.75); // the third class does not occur
}

TEST(Metrics, Nothing) { EXPECT_DOUBLE_EQ(score({}, {}, 2).accuracy, 0); }

} // namespace
