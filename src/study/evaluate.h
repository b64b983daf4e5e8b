// How well a classifier does on posts that it has not seen.
#pragma once

#include "base/types.h"
#include "study/features.h"
#include "study/grid.h"
#include "study/keyword_model.h"
#include "study/metrics.h"
#include "study/samples.h"

#include <atomic>
#include <string>
#include <vector>

namespace deepperf::study {

struct EvaluateOptions {
  bool keywords = false; // Zhang's formula instead of the linear model
  u32 splits = 10;
  double train_share = 0.6;
  u32 folds = 0; // instead of splits, if not 0
  u64 seed = 1;
  double threshold = 0; // below it the answer is "don't know"
  FeatureOptions features;
  KeywordModelOptions keyword_options;
};

struct EvaluatedSplit {
  u64 trained = 0;
  u64 tested = 0;
  Scores scores;
  std::string chosen; // the parameters, in words
  u64 answered = 0;   // not "don't know"
  u64 answered_right = 0;
};

struct Evaluation {
  std::vector<EvaluatedSplit> splits;
  std::vector<std::vector<u64>> confusion; // over all splits
  double calibration_error = 0;            // mean distance of probability and share of right answers, ten bins
  bool has_probabilities = false;
};

// `done` counts splits, for a progress bar. All splits are done on all cores; the result does not depend on how many.
Evaluation evaluate(const Samples &samples, const EvaluateOptions &options, std::atomic<u64> &done);

std::vector<Grid> evaluation_grids(const Samples &samples, const EvaluateOptions &options, const Evaluation &result);

// The 95% interval of the mean over splits whose test parts overlap (Nadeau and Bengio's correction): as they are not
// independent, the usual interval would be far too narrow.
struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};
Interval corrected_interval(const std::vector<double> &values, double test_to_train);

} // namespace deepperf::study
