// What `study train`, `classify` and `evaluate` have in common.
#pragma once

#include "study/evaluate.h"
#include "study/samples.h"

#include <CLI/CLI.hpp>

#include <string>

namespace deepperf::cli {

struct LearningArguments {
  std::string input;
  std::string label;
  std::string text;
  std::string method = "linear";
  std::string separator;
  std::string dropped;
  bool no_concepts = false;
  std::string keywords;
  double alpha = -1;
  u32 top = 200;
  std::string norm = "sum";
  u64 seed = 1;
};

void add_learning(CLI::App &command, LearningArguments &arguments);

study::Samples read_labelled(const LearningArguments &arguments);
study::FeatureOptions feature_options(const LearningArguments &arguments);
study::KeywordModelOptions keyword_options(const LearningArguments &arguments, const study::Samples &samples);

} // namespace deepperf::cli
