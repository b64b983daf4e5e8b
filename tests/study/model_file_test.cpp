#include "study/model_file.h"

#include "made_up_posts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

Model trained(bool keywords, bool several = false) {
  const Samples samples =
      read_samples(made_up_posts(), "title,body", several ? "topics" : "topic", several ? ';' : '\0');
  return train_model(samples, keywords, FeatureOptions(), KeywordModelOptions(), 1);
}

Document titled_document(const char *title) {
  Document document;
  document.title = title;
  return document;
}

std::string model_error(std::string_view bytes) {
  try {
    read_model(bytes, "x.model");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(ModelFile, ReadsWhatWasWritten) {
  for (const bool keywords : {false, true}) {
    for (const bool several : {false, true}) {
      const Model model = trained(keywords, several);
      const std::string bytes = write_model(model);
      const Model again = read_model(bytes, "x.model");
      EXPECT_EQ(again.classes, model.classes);
      EXPECT_EQ(again.source, "made-up.csv");
      EXPECT_EQ(again.rows, 96U);
      EXPECT_EQ(again.text_columns, (std::vector<std::string>{"title", "body"}));
      const Document document = titled_document("Which oven for bread dough");
      const std::vector<double> before = predict(model, document);
      const std::vector<double> after = predict(again, document);
      ASSERT_EQ(before.size(), after.size());
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(before[i], after[i], 0.002);
      }
      EXPECT_EQ(model.classes[static_cast<std::size_t>(std::max_element(after.begin(), after.end()) - after.begin())],
                "baking");
      EXPECT_TRUE(write_model(again) == bytes);
    }
  }
}

TEST(ModelFile, ProbabilitiesAreSome) {
  const std::vector<double> found = predict(trained(false), titled_document("nothing of this was ever seen"));
  double sum = 0;
  for (const double probability : found) {
    EXPECT_GE(probability, 0);
    sum += probability;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(ModelFile, DecisionsBelowTheThresholdAreNone) {
  EXPECT_EQ(decide(std::vector<double>{0.2, 0.5, 0.3}, false, 0), LabelSet{1});
  EXPECT_EQ(decide(std::vector<double>{0.2, 0.5, 0.3}, false, 0.6), LabelSet());
  EXPECT_EQ(decide(std::vector<double>{0.7, 0.1, 0.6}, true, 0), (LabelSet{0, 2}));
  EXPECT_EQ(decide(std::vector<double>{0.2, 0.1, 0.3}, true, 0), LabelSet{2}); // at least one
}

TEST(ModelFile, StrongestWords) {
  const auto words = strongest(trained(true), 0, 3);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_GE(words[0].second, words[2].second);
}

TEST(ModelFile, DamagedFiles) {
  EXPECT_EQ(model_error(""), "x.model is not a model from `deepperf study train`");
  EXPECT_EQ(model_error("SQLite format 3"), "x.model is not a model from `deepperf study train`");
  EXPECT_EQ(model_error("deepperf study model 1\n"), "x.model is a damaged model: its description cannot be read");
  EXPECT_EQ(model_error("deepperf study model 1\n[]\n"), "x.model is a damaged model: its description cannot be read");
  EXPECT_TRUE(model_error("deepperf study model 1\n{}\n").starts_with("x.model is a damaged model: "));
  const std::string bytes = write_model(trained(false));
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 50) {
    EXPECT_NE(model_error(std::string_view(bytes).substr(0, size)), "") << size;
  }
  // A flipped byte anywhere: an error, or what was flipped did not matter; never a crash.
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    model_error(damaged);
  }
}

} // namespace
