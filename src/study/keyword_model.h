// The classifier of Zhang et al., "An Empirical Study of Common Challenges in Developing Deep Learning Applications"
// (ISSRE 2019), formula (1): a class is the sum of the weights of its frequent words, and words that somebody has
// chosen count more.
#pragma once

#include "base/types.h"
#include "study/samples.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace deepperf::study {

struct KeywordModelOptions {
  u32 top = 200;             // words per class
  bool euclidean = false;    // divide by the root of the sum of squares, as the authors' code does, not by the sum
  u32 least_documents = 1;   // a word that fewer posts have does not count
  double most_documents = 1; // nor one that a larger share of them has
  double alpha = -1;         // what a chosen word counts more; below 0: found inside the training part
  std::vector<std::set<std::string>> chosen; // per class, as words; may be empty
};

struct KeywordModel {
  double alpha = 0;
  // Of each class, theta and whether somebody chose the word.
  struct Weight {
    double theta = 0;
    bool chosen = false;
  };
  std::vector<std::unordered_map<std::string, Weight>> weights;
  std::vector<u64> frequencies; // of the classes: the more frequent one wins where scores are equal
};

// The words that count: in lower case, stemmed, without function words. Zhang et al. reduce verbs to their base form
// with WordNet, which is what stemming stands for here.
std::vector<std::string> keyword_tokens(const Document &document);

struct TokenizedSamples {
  std::vector<std::vector<std::string>> tokens;
  const std::vector<LabelSet> *labels = nullptr;
  u32 classes = 0;
};

KeywordModel train_keywords(const TokenizedSamples &samples, std::span<const u32> indices,
                            const KeywordModelOptions &options, u64 seed);

// Each class's score. All zero: the post has none of the words.
std::vector<double> keyword_scores(const KeywordModel &model, const std::vector<std::string> &tokens);

// The class with the highest score.
u32 best_class(const KeywordModel &model, const std::vector<double> &scores);

// A CSV file with the columns class and keyword. Classes are those of the samples; throws on others.
std::vector<std::set<std::string>> read_chosen_keywords(const std::string &path,
                                                        const std::vector<std::string> &classes);

} // namespace deepperf::study
