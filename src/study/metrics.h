// How good predictions are.
#pragma once

#include "base/types.h"

#include <span>
#include <vector>

namespace deepperf::study {

struct ClassScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  u64 support = 0; // items that have the label
};

struct Scores {
  std::vector<ClassScore> classes;
  double accuracy = 0; // of whole items: with several labels, all of them right
  double macro_precision = 0;
  double macro_recall = 0;
  double macro_f1 = 0; // means over the classes
  double micro_precision = 0;
  double micro_recall = 0;
  double micro_f1 = 0; // over all decisions
  double weighted_f1 = 0;
};

// The labels of an item: indices of classes, ascending. One label per item is the usual case; none is "don't know".
using LabelSet = std::vector<u32>;

// Where nothing was predicted, or nothing is true, the ratio counts as 0. Classes that no item has do not count for the
// means.
Scores score(std::span<const LabelSet> truth, std::span<const LabelSet> predicted, u32 classes);

// Rows are the truth, columns the prediction; the last column is "don't know". Items with several labels are left out.
std::vector<std::vector<u64>> confusion(std::span<const LabelSet> truth, std::span<const LabelSet> predicted,
                                        u32 classes);

} // namespace deepperf::study
