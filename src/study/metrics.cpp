#include "study/metrics.h"

#include <algorithm>

namespace deepperf::study {

namespace {

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

double harmonic(double a, double b) { return ratio(2 * a * b, a + b); }

struct LabelCounts {
  double right = 0;
  double predicted = 0;
  double true_ones = 0;
};

} // namespace

Scores score(std::span<const LabelSet> truth, std::span<const LabelSet> predicted, u32 classes) {
  std::vector<LabelCounts> counts(classes);
  Scores scores;
  double equal = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    equal += static_cast<double>(truth[i] == predicted[i]);
    for (const u32 label : truth[i]) {
      ++counts[label].true_ones;
      counts[label].right += static_cast<double>(std::binary_search(predicted[i].begin(), predicted[i].end(), label));
    }
    for (const u32 label : predicted[i]) {
      ++counts[label].predicted;
    }
  }
  scores.accuracy = ratio(equal, static_cast<double>(truth.size()));
  LabelCounts all;
  double present = 0;
  for (const LabelCounts &count : counts) {
    ClassScore &of = scores.classes.emplace_back();
    of.precision = ratio(count.right, count.predicted);
    of.recall = ratio(count.right, count.true_ones);
    of.f1 = harmonic(of.precision, of.recall);
    of.support = static_cast<u64>(count.true_ones);
    all.right += count.right;
    all.predicted += count.predicted;
    all.true_ones += count.true_ones;
    if (count.true_ones > 0) {
      ++present;
      scores.macro_precision += of.precision;
      scores.macro_recall += of.recall;
      scores.macro_f1 += of.f1;
      scores.weighted_f1 += of.f1 * count.true_ones;
    }
  }
  scores.macro_precision = ratio(scores.macro_precision, present);
  scores.macro_recall = ratio(scores.macro_recall, present);
  scores.macro_f1 = ratio(scores.macro_f1, present);
  scores.weighted_f1 = ratio(scores.weighted_f1, all.true_ones);
  scores.micro_precision = ratio(all.right, all.predicted);
  scores.micro_recall = ratio(all.right, all.true_ones);
  scores.micro_f1 = harmonic(scores.micro_precision, scores.micro_recall);
  return scores;
}

std::vector<std::vector<u64>> confusion(std::span<const LabelSet> truth, std::span<const LabelSet> predicted,
                                        u32 classes) {
  std::vector<std::vector<u64>> matrix(classes, std::vector<u64>(classes + 1));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i].size() == 1 && predicted[i].size() <= 1) {
      ++matrix[truth[i][0]][predicted[i].empty() ? classes : predicted[i][0]];
    }
  }
  return matrix;
}

} // namespace deepperf::study
