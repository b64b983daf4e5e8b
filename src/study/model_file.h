// A trained classifier as a file that says what it was trained on.
//
// The file starts with a line that names the format, then a line of JSON that describes the model, then, for linear
// models, the weights in binary form, with two bytes each.
#pragma once

#include "base/types.h"
#include "study/features.h"
#include "study/keyword_model.h"
#include "study/linear_model.h"
#include "study/samples.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct Model {
  bool keywords = false; // Zhang's formula; else the linear model
  std::string source;    // the file that it was trained on, without folders
  std::string label_column;
  std::vector<std::string> text_columns;
  std::vector<std::string> classes;
  std::vector<u64> class_sizes;
  u64 rows = 0;
  u64 seed = 1;
  bool several = false;
  GramTable table{FeatureOptions()};
  LinearModel linear;
  KeywordModel keyword;
};

// Throws std::runtime_error if there are too few samples.
Model train_model(const Samples &samples, bool keywords, const FeatureOptions &features,
                  const KeywordModelOptions &keyword_options, u64 seed);

// Of each class. Formula (1) has no probabilities: there it is the share of the scores.
std::vector<double> predict(const Model &model, const Document &document);

std::string write_model(const Model &model);

// Of the weights: against damage, not against malice.
u64 checksum(std::string_view bytes);

// Throws std::runtime_error that names the file and says what is wrong with it.
Model read_model(std::string_view bytes, const std::string &name);

// The n-grams that speak most for a class, with their weights.
std::vector<std::pair<std::string, double>> strongest(const Model &model, u32 label, std::size_t count);

} // namespace deepperf::study
