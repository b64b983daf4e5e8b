#include "study/linear_model.h"

#include "study/decision_line.h"
#include "study/splits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

namespace deepperf::study {

namespace {

using Nodes = std::vector<feature_node>;

constexpr std::array<double, 4> kCosts = {0.1, 0.2, 0.4, 0.8};
constexpr std::array<double, 2> kBalances = {0.5, 1};
constexpr u32 kInnerFolds = 5;

struct FreeModel {
  void operator()(model *trained) const { free_and_destroy_model(&trained); }
};

void be_silent() {
  static const bool once = [] {
    set_print_string_function([](const char *) {});
    return true;
  }();
  static_cast<void>(once);
}

struct TrainingSet {
  std::vector<Nodes> nodes;
  std::vector<const LabelSet *> labels;
  u32 features = 0; // with the constant
};

TrainingSet training_set(const Corpus &corpus, const Weighting &weighting, const std::vector<u32> &indices,
                         const std::vector<LabelSet> &labels) {
  TrainingSet set;
  set.features = weighting.features() + 1;
  for (const u32 index : indices) {
    set.nodes.push_back(weighting.vectorize(corpus.table, corpus.documents[index]));
    set.labels.push_back(&labels[index]);
  }
  return set;
}

// One class against the others.
void train_class(TrainingSet &set, u32 label, bool one_of_many, const LinearOptions &options, u32 classes,
                 std::vector<float> &weights) {
  std::vector<double> y;
  double positive = 0;
  for (const LabelSet *labels : set.labels) {
    const bool has = std::binary_search(labels->begin(), labels->end(), label);
    positive += static_cast<double>(has);
    y.push_back(has ? 1 : -1);
  }
  const auto all = static_cast<double>(y.size());
  if (positive == 0 || positive == all) { // nothing to tell apart: always or never
    weights[static_cast<std::size_t>(set.features - 1) * classes + label] = positive == 0 ? -1.0F : 1.0F;
    return;
  }
  std::vector<feature_node *> rows;
  for (Nodes &nodes : set.nodes) {
    rows.push_back(nodes.data());
  }
  problem task{};
  task.l = static_cast<int>(y.size());
  task.n = static_cast<int>(set.features);
  task.y = y.data();
  task.x = rows.data();
  task.bias = -1; // the constant is a feature already
  std::array<int, 2> names = {1, -1};
  // Where one of many classes is told from all others, weighing these too would only change the cost.
  std::array<double, 2> factors = {std::pow(all / (one_of_many ? classes * positive : 2 * positive), options.balance),
                                   one_of_many ? 1 : std::pow(all / (2 * (all - positive)), options.balance)};
  parameter settings{};
  settings.solver_type = L2R_L2LOSS_SVC; // this solver uses no random numbers: the same result each time, on any thread
  settings.eps = 0.01;
  settings.C = options.cost;
  settings.nr_weight = 2;
  settings.weight_label = names.data();
  settings.weight = factors.data();
  const std::unique_ptr<model, FreeModel> trained(train(&task, &settings));
  if (trained == nullptr) {
    throw std::runtime_error("liblinear could not train");
  }
  const double sign = trained->label[0] == 1 ? 1 : -1;
  for (u32 feature = 0; feature < set.features; ++feature) {
    weights[static_cast<std::size_t>(feature) * classes + label] = static_cast<float>(sign * trained->w[feature]);
  }
}

std::vector<float> train_all(TrainingSet &set, const Trained &task, const LinearOptions &options) {
  be_silent();
  std::vector<float> weights(static_cast<std::size_t>(set.features) * task.classes);
  for (u32 label = 0; label < task.classes; ++label) {
    train_class(set, label, !task.several && task.classes > 2, options, task.classes, weights);
  }
  return weights;
}

std::vector<double> scores_of(const std::vector<float> &weights, u32 classes, const Nodes &nodes) {
  std::vector<double> scores(classes);
  for (const feature_node &node : nodes) {
    if (node.index < 0) {
      break;
    }
    const float *row = &weights[static_cast<std::size_t>(node.index - 1) * classes];
    for (u32 label = 0; label < classes; ++label) {
      scores[label] += static_cast<double>(row[label]) * node.value;
    }
  }
  return scores;
}

// The smallest value of a function with one valley.
template <class Function> double minimum(double low, double high, Function function) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int step = 0; step < 40; ++step) {
    const double a = high - golden * (high - low);
    const double b = low + golden * (high - low);
    if (function(a) < function(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return (low + high) / 2;
}

std::vector<double> softmax(const std::vector<double> &scores, double temperature) {
  const double top = *std::max_element(scores.begin(), scores.end());
  std::vector<double> result;
  double sum = 0;
  for (const double value : scores) {
    result.push_back(std::exp((value - top) / temperature));
    sum += result.back();
  }
  for (double &value : result) {
    value /= sum;
  }
  return result;
}

double logistic(double value) { return 1 / (1 + std::exp(-value)); }

// Platt's curve by Newton's method on slope and offset, held towards slope 1 so that it exists in every case.
void fit_curve(const std::vector<double> &scores, const std::vector<bool> &truth, double &slope, double &offset) {
  slope = 1;
  offset = 0;
  for (int step = 0; step < 50; ++step) {
    double g0 = 0.01 * (slope - 1);
    double g1 = 0;
    double h00 = 0.01;
    double h01 = 0;
    double h11 = 1e-6;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = logistic(slope * scores[i] + offset);
      const double error = p - static_cast<double>(truth[i]);
      const double curve = p * (1 - p);
      g0 += error * scores[i];
      g1 += error;
      h00 += curve * scores[i] * scores[i];
      h01 += curve * scores[i];
      h11 += curve;
    }
    const double determinant = h00 * h11 - h01 * h01;
    if (!(determinant > 1e-12)) {
      return;
    }
    const double step0 = std::clamp((g0 * h11 - g1 * h01) / determinant, -2.0, 2.0);
    const double step1 = std::clamp((g1 * h00 - g0 * h01) / determinant, -2.0, 2.0);
    slope -= step0;
    offset -= step1;
    if (std::abs(step0) + std::abs(step1) < 1e-9) {
      return;
    }
  }
}

Calibration calibrate(const std::vector<std::vector<double>> &held_back, const std::vector<const LabelSet *> &labels,
                      const Trained &task) {
  Calibration result;
  if (!task.several) {
    // The temperature under which the labels are most probable; its logarithm is easier to search. Not below a tenth:
    // where the samples are told apart without a single error, they would make it sure of everything.
    const double best = minimum(std::log(0.1), std::log(20.0), [&](double logarithm) {
      double loss = 0;
      for (std::size_t i = 0; i < held_back.size(); ++i) {
        loss -= std::log(std::max(1e-12, softmax(held_back[i], std::exp(logarithm))[(*labels[i])[0]]));
      }
      return loss;
    });
    result.temperature = std::exp(best);
    return result;
  }
  for (u32 label = 0; label < task.classes; ++label) {
    std::vector<double> scores;
    std::vector<bool> truth;
    for (std::size_t i = 0; i < held_back.size(); ++i) {
      scores.push_back(held_back[i][label]);
      truth.push_back(std::binary_search(labels[i]->begin(), labels[i]->end(), label));
    }
    double slope = 1;
    double offset = 0;
    fit_curve(scores, truth, slope, offset);
    result.slopes.push_back(slope);
    result.offsets.push_back(offset);
  }
  return result;
}

std::vector<double> calibrated(const Calibration &calibration, bool several, const std::vector<double> &scores) {
  if (!several) {
    return softmax(scores, calibration.temperature);
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    result.push_back(logistic(calibration.slopes[i] * scores[i] + calibration.offsets[i]));
  }
  return result;
}

// Where there are only two classes, moves the line between them to where it lies best. Gives back what was added to the
// scores of the second.
double move_line(std::vector<std::vector<double>> &held_back, const std::vector<const LabelSet *> &labels) {
  std::vector<ScoredItem> items;
  for (std::size_t i = 0; i < held_back.size(); ++i) {
    items.push_back({held_back[i][1] - held_back[i][0], labels[i]->front() == 1});
  }
  const double offset = best_offset(std::move(items));
  for (std::vector<double> &scores : held_back) {
    scores[1] += offset;
  }
  return offset;
}

} // namespace

Corpus make_corpus(const std::vector<Document> &documents, const FeatureOptions &options) {
  Corpus corpus{GramTable(options), {}};
  for (const Document &document : documents) {
    corpus.documents.push_back(corpus.table.count(document));
  }
  return corpus;
}

LabelSet decide(std::span<const double> probabilities, bool several, double threshold) {
  LabelSet labels;
  const auto best =
      static_cast<u32>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
  if (probabilities.empty() || probabilities[best] < threshold) {
    return labels;
  }
  for (u32 label = 0; label < probabilities.size(); ++label) {
    if (label == best || (several && probabilities[label] >= std::max(0.5, threshold))) {
      labels.push_back(label);
    }
  }
  return labels;
}

std::vector<double> probabilities(const LinearModel &model, const GramTable &table, const CountedDocument &document) {
  return calibrated(model.calibration, model.several,
                    scores_of(model.weights, model.classes, model.weighting.vectorize(table, document)));
}

LinearModel train_linear(const Corpus &corpus, std::span<const u32> indices, const Trained &task) {
  const std::vector<LabelSet> &labels = *task.labels;
  std::vector<u32> strata;
  std::vector<const LabelSet *> truth;
  std::vector<LabelSet> truth_sets;
  for (const u32 index : indices) {
    strata.push_back(labels[index][0]);
    truth.push_back(&labels[index]);
    truth_sets.push_back(labels[index]);
  }
  LinearModel result;
  result.classes = task.classes;
  result.several = task.several;

  // Scores of each item by a model that has not seen it, for each choice of options.
  struct Choice {
    LinearOptions options;
    std::vector<std::vector<double>> held_back;
    double offset = 0; // of the second of two classes
  };
  std::vector<Choice> choices;
  for (const double balance : kBalances) {
    for (const double cost : kCosts) {
      choices.push_back(
          {{cost, balance}, std::vector<std::vector<double>>(indices.size(), std::vector<double>(task.classes))});
    }
  }
  const u32 folds = std::min<u32>(kInnerFolds, static_cast<u32>(indices.size()));
  for (const Split &fold : stratified_folds(strata, folds, task.seed)) {
    std::vector<u32> seen;
    std::vector<const CountedDocument *> documents;
    for (const u32 position : fold.train) {
      seen.push_back(indices[position]);
      documents.push_back(&corpus.documents[indices[position]]);
    }
    if (seen.empty()) {
      continue;
    }
    const Weighting weighting(corpus.table, documents);
    TrainingSet set = training_set(corpus, weighting, seen, labels);
    std::vector<Nodes> unseen;
    for (const u32 position : fold.test) {
      unseen.push_back(weighting.vectorize(corpus.table, corpus.documents[indices[position]]));
    }
    for (Choice &choice : choices) {
      const std::vector<float> weights = train_all(set, task, choice.options);
      for (std::size_t i = 0; i < unseen.size(); ++i) {
        choice.held_back[fold.test[i]] = scores_of(weights, task.classes, unseen[i]);
      }
    }
  }
  double best = -1;
  const Choice *chosen = nullptr;
  for (Choice &choice : choices) {
    if (task.classes == 2 && !task.several) {
      choice.offset = move_line(choice.held_back, truth);
    }
    // A temperature changes no decision, so it is only looked for where the choice has fallen.
    Calibration calibration = task.several ? calibrate(choice.held_back, truth, task) : Calibration();
    std::vector<LabelSet> predicted;
    for (const std::vector<double> &scores : choice.held_back) {
      predicted.push_back(decide(calibrated(calibration, task.several, scores), task.several, 0));
    }
    const Scores found = score(truth_sets, predicted, task.classes);
    // Both matter: accuracy alone would give up rare classes, and macro F1 alone would follow their noise.
    const double quality = (found.accuracy + found.macro_f1) / 2;
    if (quality > best) {
      best = quality;
      result.options = choice.options;
      result.calibration = std::move(calibration);
      result.inner_accuracy = found.accuracy;
      result.inner_macro_f1 = found.macro_f1;
      chosen = &choice;
    }
  }
  if (!task.several) {
    result.calibration = calibrate(chosen->held_back, truth, task);
  }
  std::vector<const CountedDocument *> documents;
  for (const u32 index : indices) {
    documents.push_back(&corpus.documents[index]);
  }
  result.weighting = Weighting(corpus.table, documents);
  TrainingSet set = training_set(corpus, result.weighting, {indices.begin(), indices.end()}, labels);
  result.weights = train_all(set, task, result.options);
  result.weights.back() += static_cast<float>(chosen->offset); // the constant's, for the last class
  return result;
}

} // namespace deepperf::study
