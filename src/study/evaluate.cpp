#include "study/evaluate.h"

#include "base/workers.h"
#include "study/linear_model.h"
#include "study/splits.h"
#include "study/statistics.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace deepperf::study {

namespace {

struct Predicted {
  std::vector<LabelSet> labels;
  std::vector<double> confidence; // of the most probable label
  std::string chosen;
};

Predicted with_keywords(const TokenizedSamples &tokenized, const Split &split, const EvaluateOptions &options,
                        const Samples &samples) {
  const KeywordModel model = train_keywords(tokenized, split.train, options.keyword_options, options.seed);
  Predicted result;
  for (const u32 index : split.test) {
    const std::vector<double> scores = keyword_scores(model, tokenized.tokens[index]);
    LabelSet labels = {best_class(model, scores)};
    // A prediction counts as right if it is any of the true labels, as in the study.
    const LabelSet &truth = samples.labels[index];
    if (samples.several && std::binary_search(truth.begin(), truth.end(), labels[0])) {
      labels = truth;
    }
    result.labels.push_back(std::move(labels));
  }
  result.chosen = fmt::format("alpha {:.2f}", model.alpha);
  return result;
}

Predicted with_linear(const Corpus &corpus, const Split &split, const EvaluateOptions &options,
                      const Samples &samples) {
  const Trained task{static_cast<u32>(samples.classes.size()), samples.several, &samples.labels, options.seed};
  const LinearModel model = train_linear(corpus, split.train, task);
  Predicted result;
  for (const u32 index : split.test) {
    const std::vector<double> found = probabilities(model, corpus.table, corpus.documents[index]);
    result.labels.push_back(decide(found, samples.several, options.threshold));
    result.confidence.push_back(*std::max_element(found.begin(), found.end()));
  }
  result.chosen = fmt::format("C {:g}, balance {:g}", model.options.cost, model.options.balance);
  return result;
}

// How far off the probabilities are: answers sorted into ten bins by confidence.
class Reliability {
public:
  void add(double confidence, bool right) {
    const auto bin = std::min<std::size_t>(9, static_cast<std::size_t>(confidence * 10));
    sums_[bin] += confidence;
    rights_[bin] += static_cast<double>(right);
    ++counts_[bin];
  }

  double error() const {
    double error = 0;
    double all = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
      error += std::abs(sums_[bin] - rights_[bin]);
      all += counts_[bin];
    }
    return all == 0 ? 0 : error / all;
  }

private:
  std::array<double, 10> sums_{};
  std::array<double, 10> rights_{};
  std::array<double, 10> counts_{};
};

void run_all(std::size_t count, const std::function<void(std::size_t)> &work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto workers = static_cast<u32>(std::min<std::size_t>(available_cores(), count));
  run_workers(workers, [&](u32 /*worker*/) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
  });
  if (failure) {
    std::rethrow_exception(failure);
  }
}

std::string decimal(double value) { return fmt::format("{:.3f}", value); }

std::vector<double> collect(const Evaluation &result, const std::function<double(const EvaluatedSplit &)> &value) {
  std::vector<double> values;
  for (const EvaluatedSplit &split : result.splits) {
    values.push_back(value(split));
  }
  return values;
}

Grid summary_grid(const Evaluation &result, double ratio) {
  Grid grid;
  grid.title = "Over all splits";
  grid.columns = {"measure", "mean", "deviation", "from", "to"};
  using Split = EvaluatedSplit;
  const auto add = [&](const std::string &name, const std::function<double(const Split &)> &value) {
    const std::vector<double> values = collect(result, value);
    const Interval interval = corrected_interval(values, ratio);
    const double deviation = standard_deviation(values);
    grid.add({name, decimal(interval.mean), std::isnan(deviation) ? "-" : decimal(deviation), decimal(interval.low),
              decimal(interval.high)});
  };
  add("accuracy", [](const Split &split) { return split.scores.accuracy; });
  add("macro precision", [](const Split &split) { return split.scores.macro_precision; });
  add("macro recall", [](const Split &split) { return split.scores.macro_recall; });
  add("macro F1", [](const Split &split) { return split.scores.macro_f1; });
  add("micro F1", [](const Split &split) { return split.scores.micro_f1; });
  add("weighted F1", [](const Split &split) { return split.scores.weighted_f1; });
  grid.notes.emplace_back("from, to: 95% interval of the mean, corrected for splits that overlap");
  return grid;
}

} // namespace

Interval corrected_interval(const std::vector<double> &values, double test_to_train) {
  Interval interval;
  interval.mean = mean(values);
  interval.low = interval.mean;
  interval.high = interval.mean;
  if (values.size() > 1) {
    const auto count = static_cast<double>(values.size());
    const double half =
        student_quantile(0.95, count - 1) * std::sqrt(1 / count + test_to_train) * standard_deviation(values);
    interval.low = std::max(0.0, interval.mean - half);
    interval.high = std::min(1.0, interval.mean + half);
  }
  return interval;
}

Evaluation evaluate(const Samples &samples, const EvaluateOptions &options, std::atomic<u64> &done) {
  const std::vector<u32> strata = samples.strata();
  const std::vector<Split> splits = options.folds > 0
                                        ? stratified_folds(strata, options.folds, options.seed)
                                        : stratified_splits(strata, options.train_share, options.splits, options.seed);
  for (const Split &split : splits) {
    if (split.train.empty() || split.test.empty()) {
      throw std::runtime_error(
          fmt::format("{}: {} labeled rows are too few to split this way", samples.source, samples.labels.size()));
    }
  }
  const auto classes = static_cast<u32>(samples.classes.size());
  Corpus corpus{GramTable(options.features), {}};
  TokenizedSamples tokenized;
  if (options.keywords) {
    tokenized.labels = &samples.labels;
    tokenized.classes = classes;
    for (const Document &document : samples.documents) {
      tokenized.tokens.push_back(keyword_tokens(document));
    }
  } else {
    corpus = make_corpus(samples.documents, options.features);
  }
  Evaluation result;
  result.splits.resize(splits.size());
  result.has_probabilities = !options.keywords;
  std::vector<Predicted> predictions(splits.size());
  run_all(splits.size(), [&](std::size_t i) {
    predictions[i] = options.keywords ? with_keywords(tokenized, splits[i], options, samples)
                                      : with_linear(corpus, splits[i], options, samples);
    ++done;
  });
  Reliability reliability;
  result.confusion.assign(classes, std::vector<u64>(classes + 1));
  for (std::size_t i = 0; i < splits.size(); ++i) {
    std::vector<LabelSet> truth;
    for (const u32 index : splits[i].test) {
      truth.push_back(samples.labels[index]);
    }
    EvaluatedSplit &split = result.splits[i];
    const Predicted &predicted = predictions[i];
    split.trained = splits[i].train.size();
    split.tested = splits[i].test.size();
    split.chosen = predicted.chosen;
    split.scores = score(truth, predicted.labels, classes);
    for (std::size_t j = 0; j < truth.size(); ++j) {
      const bool answered = !predicted.labels[j].empty();
      split.answered += static_cast<u64>(answered);
      split.answered_right += static_cast<u64>(answered && predicted.labels[j] == truth[j]);
      if (result.has_probabilities && !samples.several) {
        // Also where the answer was not given: the probability was there.
        if (answered) {
          reliability.add(predicted.confidence[j], predicted.labels[j] == truth[j]);
        }
      }
    }
    const auto matrix = confusion(truth, predicted.labels, classes);
    for (u32 row = 0; row < classes; ++row) {
      for (u32 column = 0; column <= classes; ++column) {
        result.confusion[row][column] += matrix[row][column];
      }
    }
  }
  result.calibration_error = reliability.error();
  return result;
}

std::vector<Grid> evaluation_grids(const Samples &samples, const EvaluateOptions &options, const Evaluation &result) {
  std::vector<Grid> grids;
  const EvaluatedSplit &first = result.splits.front();
  const double ratio = static_cast<double>(first.tested) / static_cast<double>(first.trained);
  Grid summary = summary_grid(result, ratio);
  summary.title =
      fmt::format("{} of {} posts, {} classes, {} of {} trained on and {} tested, seed {}", samples.label_column,
                  samples.labels.size(), samples.classes.size(),
                  options.folds > 0 ? fmt::format("{} folds", options.folds) : fmt::format("{} splits", options.splits),
                  first.trained, first.tested, options.seed);
  if (samples.unlabelled > 0) {
    summary.notes.push_back(fmt::format("{} rows without a label were skipped", samples.unlabelled));
  }
  if (options.threshold > 0) {
    double answered = 0;
    double right = 0;
    double all = 0;
    for (const EvaluatedSplit &split : result.splits) {
      answered += static_cast<double>(split.answered);
      right += static_cast<double>(split.answered_right);
      all += static_cast<double>(split.tested);
    }
    summary.notes.push_back(
        fmt::format("with a threshold of {:g}, {:.1f}% are answered, and {:.1f}% of these answers are right",
                    options.threshold, 100 * answered / all, answered == 0 ? 0 : 100 * right / answered));
  }
  if (result.has_probabilities && !samples.several) {
    summary.notes.push_back(fmt::format("probabilities are off by {:.3f} on average", result.calibration_error));
  }
  grids.push_back(std::move(summary));

  Grid classes;
  classes.title = "Per class";
  classes.columns = {"class", "precision", "recall", "F1", "F1 from", "to", "posts"};
  for (std::size_t i = 0; i < samples.classes.size(); ++i) {
    const auto of = [&](double ClassScore::*member) {
      return collect(result, [&](const EvaluatedSplit &split) { return split.scores.classes[i].*member; });
    };
    const Interval f1 = corrected_interval(of(&ClassScore::f1), ratio);
    const auto posts = std::count_if(samples.labels.begin(), samples.labels.end(), [&](const LabelSet &labels) {
      return std::binary_search(labels.begin(), labels.end(), static_cast<u32>(i));
    });
    classes.add({shorten(samples.classes[i], 50), decimal(mean(of(&ClassScore::precision))),
                 decimal(mean(of(&ClassScore::recall))), decimal(f1.mean), decimal(f1.low), decimal(f1.high),
                 std::to_string(posts)});
  }
  grids.push_back(std::move(classes));

  if (!samples.several && samples.classes.size() <= 30) {
    Grid matrix;
    matrix.title = "Confusion, all splits together (rows are the truth)";
    matrix.columns = {""};
    for (const std::string &name : samples.classes) {
      matrix.columns.push_back(shorten(name, 16));
    }
    const bool unsure = options.threshold > 0;
    if (unsure) {
      matrix.columns.emplace_back("don't know");
    }
    for (std::size_t row = 0; row < samples.classes.size(); ++row) {
      std::vector<std::string> cells = {shorten(samples.classes[row], 40)};
      for (std::size_t column = 0; column < samples.classes.size() + static_cast<std::size_t>(unsure); ++column) {
        cells.push_back(std::to_string(result.confusion[row][column]));
      }
      matrix.add(std::move(cells));
    }
    grids.push_back(std::move(matrix));
  }

  Grid chosen;
  chosen.title = "Chosen inside the training parts";
  chosen.columns = {"split", "parameters", "accuracy", "macro F1"};
  for (std::size_t i = 0; i < result.splits.size(); ++i) {
    chosen.add({std::to_string(i + 1), result.splits[i].chosen, decimal(result.splits[i].scores.accuracy),
                decimal(result.splits[i].scores.macro_f1)});
  }
  grids.push_back(std::move(chosen));
  return grids;
}

} // namespace deepperf::study
