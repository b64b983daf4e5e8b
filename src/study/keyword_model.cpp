#include "study/keyword_model.h"

#include "study/porter_stemmer.h"
#include "study/splits.h"
#include "study/table.h"
#include "study/text.h"
#include "study/vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace deepperf::study {

namespace {

constexpr double kAlphaStep = 0.02;
constexpr int kAlphaSteps = 15;

void add_tokens(std::string_view text, std::vector<std::string> &tokens) {
  for (const std::string_view word : words(text)) {
    std::string lower = lower_ascii(word);
    const bool number = std::all_of(lower.begin(), lower.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (lower.size() <= 60 && !is_function_word(lower)) {
      tokens.push_back(number ? "<digit>" : porter_stem(lower));
    }
  }
}

// The words of one class with their term frequencies, the `top` most frequent ones. Equal ones in alphabetical order.
std::vector<std::pair<std::string, double>> top_words(const std::map<std::string, double> &frequencies, u32 top) {
  std::vector<std::pair<std::string, double>> list(frequencies.begin(), frequencies.end());
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  list.resize(std::min<std::size_t>(list.size(), top));
  return list;
}

KeywordModel learn(const TokenizedSamples &samples, std::span<const u32> indices, const KeywordModelOptions &options) {
  std::map<std::string, u32> documents;
  for (const u32 index : indices) {
    for (const std::string &token : std::set<std::string>(samples.tokens[index].begin(), samples.tokens[index].end())) {
      ++documents[token];
    }
  }
  std::vector<std::map<std::string, double>> frequencies(samples.classes);
  KeywordModel model;
  model.frequencies.resize(samples.classes);
  for (const u32 index : indices) {
    for (const u32 label : (*samples.labels)[index]) {
      ++model.frequencies[label];
      for (const std::string &token : samples.tokens[index]) {
        const u32 with = documents[token];
        if (with >= options.least_documents && with <= options.most_documents * static_cast<double>(indices.size())) {
          ++frequencies[label][token];
        }
      }
    }
  }
  model.weights.resize(samples.classes);
  for (u32 label = 0; label < samples.classes; ++label) {
    const auto top = top_words(frequencies[label], options.top);
    double norm = 0;
    for (const auto &[word, frequency] : top) {
      norm += options.euclidean ? frequency * frequency : frequency;
    }
    norm = options.euclidean ? std::sqrt(norm) : norm;
    for (const auto &[word, frequency] : top) {
      const bool chosen = label < options.chosen.size() && options.chosen[label].contains(word);
      model.weights[label][word] = {frequency / norm, chosen};
    }
  }
  return model;
}

double accuracy(const KeywordModel &model, const TokenizedSamples &samples, std::span<const u32> indices) {
  double right = 0;
  for (const u32 index : indices) {
    const LabelSet &labels = (*samples.labels)[index];
    const u32 best = best_class(model, keyword_scores(model, samples.tokens[index]));
    right += static_cast<double>(std::binary_search(labels.begin(), labels.end(), best));
  }
  return indices.empty() ? 0 : right / static_cast<double>(indices.size());
}

} // namespace

std::vector<std::string> keyword_tokens(const Document &document) {
  std::vector<std::string> tokens;
  add_tokens(document.title, tokens);
  add_tokens(document.prose, tokens);
  add_tokens(document.code, tokens);
  return tokens;
}

std::vector<double> keyword_scores(const KeywordModel &model, const std::vector<std::string> &tokens) {
  std::vector<double> scores;
  for (const auto &weights : model.weights) {
    double sum = 0;
    for (const std::string &token : tokens) { // one by one, so that a word that occurs twice counts twice
      if (const auto found = weights.find(token); found != weights.end()) {
        sum += found->second.theta + (found->second.chosen ? model.alpha : 0);
      }
    }
    scores.push_back(sum);
  }
  return scores;
}

u32 best_class(const KeywordModel &model, const std::vector<double> &scores) {
  u32 best = 0;
  for (u32 label = 1; label < scores.size(); ++label) {
    if (scores[label] > scores[best] ||
        (scores[label] == scores[best] && model.frequencies[label] > model.frequencies[best])) {
      best = label;
    }
  }
  return best;
}

KeywordModel train_keywords(const TokenizedSamples &samples, std::span<const u32> indices,
                            const KeywordModelOptions &options, u64 seed) {
  KeywordModel model = learn(samples, indices, options);
  const bool any =
      std::any_of(options.chosen.begin(), options.chosen.end(), [](const auto &set) { return !set.empty(); });
  model.alpha = any ? std::max(options.alpha, 0.0) : 0;
  if (!any || options.alpha >= 0) {
    return model;
  }
  std::vector<u32> strata;
  for (const u32 index : indices) {
    strata.push_back((*samples.labels)[index][0]);
  }
  std::vector<double> found(kAlphaSteps + 1);
  for (const Split &fold : stratified_folds(strata, 5, seed)) {
    std::vector<u32> seen;
    std::vector<u32> unseen;
    for (const u32 position : fold.train) {
      seen.push_back(indices[position]);
    }
    for (const u32 position : fold.test) {
      unseen.push_back(indices[position]);
    }
    KeywordModel inner = learn(samples, seen, options);
    for (std::size_t step = 0; step < found.size(); ++step) {
      inner.alpha = kAlphaStep * static_cast<double>(step);
      found[step] += accuracy(inner, samples, unseen);
    }
  }
  model.alpha = kAlphaStep * static_cast<double>(std::max_element(found.begin(), found.end()) - found.begin());
  return model;
}

std::vector<std::set<std::string>> read_chosen_keywords(const std::string &path,
                                                        const std::vector<std::string> &classes) {
  const Table table = read_table(path);
  const std::size_t class_column = table.need("class");
  const std::size_t keyword_column = table.need("keyword");
  std::vector<std::set<std::string>> chosen(classes.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string_view name = trim(table.cell(row, class_column));
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      throw std::runtime_error(
          fmt::format("{}: no sample has the class '{}'; there are: {}", path, name, fmt::join(classes, ", ")));
    }
    for (const std::string_view word : words(table.cell(row, keyword_column))) {
      chosen[static_cast<std::size_t>(found - classes.begin())].insert(porter_stem(word));
    }
  }
  return chosen;
}

} // namespace deepperf::study
