// The better classifier: one linear support vector machine per class (liblinear) on n-grams, with probabilities.
#pragma once

#include "base/types.h"
#include "study/features.h"
#include "study/metrics.h"
#include "study/samples.h"

#include <span>
#include <string>
#include <vector>

namespace deepperf::study {

struct LinearOptions {
  double cost = 0.2;  // liblinear's C: large trusts the samples, small prefers small weights
  double balance = 1; // 0: every item counts the same; 1: every class does
};

// All samples of a table, counted: what is not learned but only read off each text.
struct Corpus {
  GramTable table;
  std::vector<CountedDocument> documents;
};
Corpus make_corpus(const std::vector<Document> &documents, const FeatureOptions &options);

// Scores, per class, to probabilities. With one label per item: the softmax of the scores divided by a temperature.
// With several: for each class a logistic curve of its own.
struct Calibration {
  double temperature = 1;
  std::vector<double> slopes;
  std::vector<double> offsets;
};

struct LinearModel {
  Weighting weighting;
  std::vector<float> weights; // of each feature for each class; those of the constant last
  u32 classes = 0;
  bool several = false;
  LinearOptions options;
  Calibration calibration;
  // What was found with the chosen options on the parts of the training data that were held back in turn.
  double inner_accuracy = 0;
  double inner_macro_f1 = 0;
};

struct Trained {
  u32 classes = 0;
  bool several = false;
  const std::vector<LabelSet> *labels = nullptr; // of all documents of the corpus
  u64 seed = 1;
};

// Learns from the documents with these indices. Cost and balance are chosen by five-fold cross-validation inside them;
// the probabilities are fitted on what was held back there.
LinearModel train_linear(const Corpus &corpus, std::span<const u32> indices, const Trained &task);

std::vector<double> probabilities(const LinearModel &model, const GramTable &table, const CountedDocument &document);

// The labels that the probabilities mean: the most probable one or, with several, all above one half, and the most
// probable one in any case. None if it is less probable than `threshold`.
LabelSet decide(std::span<const double> probabilities, bool several, double threshold);

} // namespace deepperf::study
