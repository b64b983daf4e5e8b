#include "study/evaluate.h"

#include "made_up_posts.h"
#include "shared_data.h"
#include "study/liu.h"
#include "study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

Evaluation run(const Samples &samples, const EvaluateOptions &options) {
  std::atomic<u64> done = 0;
  Evaluation result = evaluate(samples, options, done);
  EXPECT_EQ(done, result.splits.size());
  return result;
}

double mean_of(const Evaluation &result, double Scores::*member) {
  std::vector<double> values;
  for (const EvaluatedSplit &split : result.splits) {
    values.push_back(split.scores.*member);
  }
  return mean(values);
}

TEST(Evaluate, LearnsWhatCanBeLearned) {
  const Samples samples = read_samples(made_up_posts(), "title,body", "topic", '\0');
  EvaluateOptions options;
  options.splits = 3;
  EXPECT_GT(mean_of(run(samples, options), &Scores::accuracy), 0.95);
  options.keywords = true;
  EXPECT_GT(mean_of(run(samples, options), &Scores::accuracy), 0.9);
  options.keywords = false;
  options.folds = 4;
  EXPECT_EQ(run(samples, options).splits.size(), 4U);
}

TEST(Evaluate, SeveralLabels) {
  const Samples samples = read_samples(made_up_posts(), "title", "topics", ';');
  EvaluateOptions options;
  options.splits = 2;
  const Evaluation result = run(samples, options);
  EXPECT_GT(mean_of(result, &Scores::micro_f1), 0.9);
  EXPECT_FALSE(evaluation_grids(samples, options, result).empty());
}

TEST(Evaluate, ASeedGivesTheSameNumbers) {
  const Samples samples = read_samples(made_up_posts(), "title", "topic", '\0');
  EvaluateOptions options;
  options.splits = 4;
  options.threshold = 0.6;
  std::vector<std::string> texts;
  for (int round = 0; round < 2; ++round) {
    std::string &text = texts.emplace_back();
    write_grids(evaluation_grids(samples, options, run(samples, options)), GridFormat::Text, text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Evaluate, DontKnow) {
  Table table = made_up_posts();
  for (std::size_t row = 0; row < table.size(); row += 3) { // nobody can be sure of these
    table.csv.rows[row][3] = "noise";
  }
  const Samples samples = read_samples(table, "title", "topic", '\0');
  EvaluateOptions options;
  options.splits = 1;
  options.threshold = 0.9;
  const Evaluation result = run(samples, options);
  EXPECT_LT(result.splits[0].answered, result.splits[0].tested);
}

TEST(Evaluate, TooFew) {
  Table table = made_up_posts(1);
  table.csv.rows.resize(1);
  table.csv.rows.push_back(made_up_posts(1).csv.rows[3]);
  EXPECT_THROW(run(read_samples(table, "title", "topic", '\0'), {}), std::runtime_error);
}

TEST(Evaluate, IntervalsAreWiderThanTheDeviationSaysAlone) {
  const Interval interval = corrected_interval({0.8, 0.82, 0.84}, 0.5);
  EXPECT_NEAR(interval.mean, 0.82, 1e-12);
  EXPECT_NEAR(interval.high - interval.mean, 4.302653 * 0.02 * std::sqrt(1.0 / 3 + 0.5), 1e-5);
}

Samples liu_samples(const std::string &data) {
  Table table;
  table.source = "liu";
  table.csv.header = {"title", "phase"};
  for (const LiuPost &post : read_liu(data + "/liu/rawdata.csv")) {
    table.csv.rows.push_back({post.title, std::string(1, post.object->phase)});
  }
  return read_samples(table, "title", "phase", '\0');
}

// A linear SVM with parameters chosen inside training reaches 0.821 and 0.766 (expected/liu_phase_baselines.json), and
// 0.608 in the task below. Here with four of the ten splits, to save time, and without the list of terms, which was
// written by somebody who had read the titles; the figures for all are in docs/study.md.
TEST(Evaluate, PhasesFromTitles) {
  NEEDS_SHARED_DATA(data);
  EvaluateOptions options;
  options.splits = 4;
  options.features.concepts = false;
  const Evaluation result = run(liu_samples(data), options);
  EXPECT_EQ(result.splits[0].trained, 1440U);
  EXPECT_GT(mean_of(result, &Scores::accuracy), 0.83);
  EXPECT_GT(mean_of(result, &Scores::macro_f1), 0.775);
}

TEST(Evaluate, PerformanceFromTitles) {
  NEEDS_SHARED_DATA(data);
  const Table table = read_table(data + "/dlperf/perf_vs_implementation_titles.tsv");
  EvaluateOptions options;
  options.splits = 4;
  options.features.concepts = false;
  options.features.dropped = {"how", "to", "do", "can", "i", "why", "does", "is"};
  const Evaluation result = run(read_samples(table, "title", "label", '\0'), options);
  double f1 = 0;
  for (const EvaluatedSplit &split : result.splits) {
    f1 += split.scores.classes[1].f1 / static_cast<double>(result.splits.size());
  }
  EXPECT_GT(f1, 0.6);
}

// Formula (1) without keywords: 0.682 with the sum below, 0.702 with the root, over other splits of the same sizes.
TEST(Evaluate, FormulaOne) {
  NEEDS_SHARED_DATA(data);
  const Samples samples = liu_samples(data);
  EvaluateOptions options;
  options.keywords = true;
  EXPECT_NEAR(mean_of(run(samples, options), &Scores::accuracy), 0.682, 0.02);
  options.keyword_options.euclidean = true;
  EXPECT_NEAR(mean_of(run(samples, options), &Scores::accuracy), 0.702, 0.02);
}

} // namespace
