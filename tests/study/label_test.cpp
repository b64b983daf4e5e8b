#include "study/label.h"

#include "shared_data.h"
#include "study/liu.h"

#include <gtest/gtest.h>

using namespace deepperf::study;

namespace {

std::string triple(std::string_view title) {
  const HowToLabel label = label_how_to(title);
  return label.verb.value + ", " + label.object.value + ", " + label.phase.value;
}

TEST(Label, HowTo) {
  EXPECT_EQ(triple("How to reshape a tensor in TensorFlow?"), "reshape, Tensor, D");
  EXPECT_EQ(triple("Keras: how to correctly freeze a layer"), "freeze, Layer, M");
  EXPECT_EQ(triple("How to change the learning rate in PyTorch"), "change, Learning rate, T");
  EXPECT_EQ(triple("How to plot the confusion matrix"), "plot, Evaluation, V");
  EXPECT_EQ(triple("How do I predict on one image"), "predict, Model, P");
  EXPECT_EQ(triple("How to limit GPU memory"), "limit, GPU memory, R");
}

TEST(Label, ScoresSayHowSure) {
  EXPECT_GT(label_how_to("How to slice a tensor").phase.score, 0.9);
  EXPECT_LT(label_how_to("How to use a model with an image and a loss").phase.score,
            label_how_to("How to slice a tensor").phase.score);
  EXPECT_LT(label_how_to("What is this?").phase.score, 0.1);
  EXPECT_EQ(label_how_to("").verb.value, "");
  EXPECT_EQ(label_how_to("how to").verb.value, "");
}

TEST(Label, Performance) {
  Document document;
  document.title = "Training gets slower and slower with every epoch";
  EXPECT_EQ(label_performance(document).symptom.value, "Time: increasing time over time");
  EXPECT_EQ(label_performance(document).exposing.value, "training");
  document.title = "What happens here";
  EXPECT_EQ(label_performance(document).symptom.value, "Unknown");
  document.errors = {"ResourceExhaustedError"};
  EXPECT_EQ(label_performance(document).symptom.value, "Memory: out of memory");
}

// The rules alone, without having seen a labelled post: a floor, so that a change that harms is noticed.
TEST(Label, PhasesOfTheStudy) {
  NEEDS_SHARED_DATA(data);
  const std::vector<LiuPost> posts = read_liu(data + "/liu/rawdata.csv");
  double right = 0;
  double sure = 0;
  double sure_right = 0;
  for (const LiuPost &post : posts) {
    const HowToLabel label = label_how_to(post.title);
    const bool same = label.phase.value[0] == post.object->phase;
    right += static_cast<double>(same);
    if (label.phase.score > 0.95) {
      ++sure;
      sure_right += static_cast<double>(same);
    }
  }
  EXPECT_GT(right / static_cast<double>(posts.size()), 0.77);
  EXPECT_GT(sure_right / sure, 0.89);
}

} // namespace
