#include "study/porter_stemmer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace deepperf::study {

namespace {

bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

bool is_consonant(std::string_view word, std::size_t index) {
  // A y is a consonant at the start and after a vowel, so a run of them alternates.
  std::size_t first_y = index;
  while (first_y > 0 && word[first_y] == 'y' && word[first_y - 1] == 'y') {
    --first_y;
  }
  if (word[first_y] != 'y') {
    return !is_vowel(word[first_y]);
  }
  const bool first = first_y == 0 || is_vowel(word[first_y - 1]);
  return first == ((index - first_y) % 2 == 0);
}

// How often a consonant follows a vowel: Porter's m. Whether a letter is a consonant depends on the one before it, so
// this keeps that instead of asking for each: a word of ten thousand y is not slow.
template <class Visit> void for_each_letter(std::string_view stem, Visit visit) {
  bool consonant = false;
  for (const char c : stem) {
    consonant = c == 'y' ? !consonant : !is_vowel(c);
    visit(consonant);
  }
}

int measure(std::string_view stem) {
  int count = 0;
  bool after_vowel = false;
  for_each_letter(stem, [&](bool consonant) {
    count += static_cast<int>(consonant && after_vowel);
    after_vowel = !consonant;
  });
  return count;
}

bool contains_vowel(std::string_view stem) {
  bool found = false;
  for_each_letter(stem, [&](bool consonant) { found = found || !consonant; });
  return found;
}

bool ends_double_consonant(std::string_view word) {
  const std::size_t size = word.size();
  return size >= 2 && word[size - 1] == word[size - 2] && is_consonant(word, size - 1);
}

bool ends_cvc(std::string_view word) {
  const std::size_t size = word.size();
  if (size >= 3) {
    const char last = word.back();
    return is_consonant(word, size - 3) && !is_consonant(word, size - 2) && is_consonant(word, size - 1) &&
           last != 'w' && last != 'x' && last != 'y';
  }
  return size == 2 && !is_consonant(word, 0) && is_consonant(word, 1); // NLTK's addition
}

// Drops `suffix` from the end.
std::string_view without(std::string_view word, std::string_view suffix) {
  return word.substr(0, word.size() - suffix.size());
}

struct Rule {
  std::string_view suffix;
  std::string_view replacement;
};

// Only the first rule whose suffix fits is tried: the stem must have more than `least` consonants after vowels.
void apply_first(std::string &word, std::span<const Rule> rules, int least) {
  for (const Rule &rule : rules) {
    if (word.ends_with(rule.suffix)) {
      const std::string_view stem = without(word, rule.suffix);
      // Two rules look at more than the stem.
      bool holds = false;
      if (rule.suffix == "logi") {
        holds = measure(without(word, "ogi")) > 0;
      } else {
        holds = measure(stem) > least;
      }
      if (rule.suffix == "ion") {
        holds = holds && !stem.empty() && (stem.back() == 's' || stem.back() == 't');
      }
      if (holds) {
        word.resize(stem.size());
        word += rule.replacement;
      }
      return;
    }
  }
}

void step_1a(std::string &word) {
  if (word.ends_with("ies")) {
    word.resize(word.size() - (word.size() == 4 ? 1 : 2));
  } else if (word.ends_with("sses")) {
    word.resize(word.size() - 2);
  } else if (word.ends_with('s') && !word.ends_with("ss")) {
    word.pop_back();
  }
}

void step_1b(std::string &word) {
  if (word.ends_with("ied")) {
    word.resize(word.size() - (word.size() == 4 ? 1 : 2));
    return;
  }
  if (word.ends_with("eed")) {
    if (measure(without(word, "eed")) > 0) {
      word.pop_back();
    }
    return;
  }
  const std::string_view suffix = word.ends_with("ed") ? "ed" : word.ends_with("ing") ? "ing" : "";
  if (suffix.empty() || !contains_vowel(without(word, suffix))) {
    return;
  }
  word.resize(word.size() - suffix.size());
  const bool is_cut = word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz");
  if (!is_cut && ends_double_consonant(word)) {
    const char last = word.back();
    if (last != 'l' && last != 's' && last != 'z') {
      word.pop_back();
    }
  } else if (is_cut || (measure(word) == 1 && ends_cvc(word))) {
    word += 'e';
  }
}

void step_1c(std::string &word) {
  if (word.size() > 2 && word.back() == 'y' && is_consonant(word, word.size() - 2)) {
    word.back() = 'i';
  }
}

constexpr std::array kStep2 = std::to_array<Rule>({
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
    {"fulli", "ful"},   {"logi", "log"},
});

constexpr std::array kStep3 = std::to_array<Rule>(
    {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}});

constexpr std::array kStep4 = std::to_array<Rule>({
    {"al", ""},  {"ance", ""},  {"ence", ""}, {"er", ""},  {"ic", ""},  {"able", ""}, {"ible", ""},
    {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""},   {"ism", ""},
    {"ate", ""}, {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
});

void step_2(std::string &word) {
  // NLTK's addition: -ally may hide another suffix.
  while (word.ends_with("alli") && measure(without(word, "alli")) > 0) {
    word.resize(word.size() - 2);
  }
  apply_first(word, kStep2, 0);
}

void step_5(std::string &word) {
  if (word.ends_with('e')) {
    const std::string_view stem = without(word, "e");
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_cvc(stem))) {
      word.pop_back();
    }
  }
  if (word.ends_with("ll") && measure(without(word, "l")) > 1) {
    word.pop_back();
  }
}

// Words that NLTK looks up instead of working them out.
constexpr std::array kIrregular = std::to_array<Rule>({
    {"sky", "sky"},
    {"skies", "sky"},
    {"dying", "die"},
    {"lying", "lie"},
    {"tying", "tie"},
    {"news", "news"},
    {"innings", "inning"},
    {"inning", "inning"},
    {"outings", "outing"},
    {"outing", "outing"},
    {"cannings", "canning"},
    {"canning", "canning"},
    {"howe", "howe"},
    {"proceed", "proceed"},
    {"exceed", "exceed"},
    {"succeed", "succeed"},
});

} // namespace

std::string porter_stem(std::string_view word) {
  std::string stem(word);
  for (char &c : stem) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto *irregular =
      std::find_if(kIrregular.begin(), kIrregular.end(), [&](const Rule &rule) { return rule.suffix == stem; });
  if (irregular != kIrregular.end()) {
    return std::string(irregular->replacement);
  }
  if (stem.size() <= 2) {
    return stem;
  }
  step_1a(stem);
  step_1b(stem);
  step_1c(stem);
  step_2(stem);
  apply_first(stem, kStep3, 0);
  apply_first(stem, kStep4, 1);
  step_5(stem);
  return stem;
}

} // namespace deepperf::study
