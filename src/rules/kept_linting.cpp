#include "rules/kept_linting.h"

#include "model/code_text.h"
#include "model/fingerprint.h"
#include "model/reads.h"
#include "rules/reach.h"

#include <algorithm>

namespace deepperf::rules {

namespace {

constexpr std::size_t kMostQuestions = 4096;

} // namespace

std::optional<u32> ProjectQuestions::note_words(u64 hash, std::span<const std::string_view> words, bool in_any_case,
                                                bool answer) {
  const std::scoped_lock lock(mutex_);
  const auto known = places_.find(hash);
  if (known != places_.end()) {
    return known->second;
  }
  if (questions_.size() == kMostQuestions) {
    return std::nullopt;
  }
  const auto place = static_cast<u32>(questions_.size());
  Question &question = questions_.emplace_back();
  question.words.assign(words.begin(), words.end());
  question.in_any_case = in_any_case;
  question.answer = answer;
  places_.emplace(hash, place);
  return place;
}

std::optional<bool> ProjectQuestions::known_answer(u64 hash) {
  const std::scoped_lock lock(mutex_);
  const auto known = places_.find(hash);
  return known != places_.end() ? std::optional(questions_[known->second].answer) : std::nullopt;
}

std::optional<u32> ProjectQuestions::note_fact(FindFact find, const model::Project &project) {
  const std::scoped_lock lock(mutex_);
  const auto known = of_facts_.find(find);
  if (known != of_facts_.end()) {
    return known->second;
  }
  if (questions_.size() == kMostQuestions) {
    return std::nullopt;
  }
  Fact fact = find(project);
  const auto place = static_cast<u32>(questions_.size());
  Question &question = questions_.emplace_back();
  question.find = find;
  question.fact = std::move(fact);
  of_facts_.emplace(find, place);
  return place;
}

// True: the answer is another one.
bool ProjectQuestions::ask_words(Question &question, const model::Project &project,
                                 const std::vector<bool> &is_parsed_anew) {
  const std::vector<std::string_view> words(question.words.begin(), question.words.end());
  const auto has = [&](const model::Module &module) {
    const std::string_view code = model::code_of(module);
    return question.in_any_case ? has_word_in_any_case(code, words) : has_word(code, words);
  };
  const bool is_first = question.has.empty();
  question.has.resize(project.modules.size());
  for (const model::Module &module : project.modules) {
    if (is_first || is_parsed_anew[module.index]) {
      question.has[module.index] = has(module);
    }
  }
  const bool answer = std::ranges::find(question.has, true) != question.has.end();
  return answer != std::exchange(question.answer, answer);
}

// A module that was parsed anew is another one in any case.
bool ProjectQuestions::ask_fact(Question &question, const model::Project &project,
                                const std::vector<bool> &is_parsed_anew) {
  const Fact before = std::exchange(question.fact, question.find(project));
  bool is_different = before.whole != question.fact.whole;
  for (std::size_t i = 0; i < project.modules.size() && !is_different; ++i) {
    is_different = !is_parsed_anew[i] && before.of_modules[i] != question.fact.of_modules[i];
  }
  return is_different;
}

std::vector<bool> ProjectQuestions::ask_again(const model::Project &project, const std::vector<bool> &is_parsed_anew) {
  forget_searches(); // of other texts, which may have stood in the same place
  std::vector<bool> is_different;
  for (Question &question : questions_) {
    is_different.push_back(question.find != nullptr ? ask_fact(question, project, is_parsed_anew)
                                                    : ask_words(question, project, is_parsed_anew));
  }
  return is_different;
}

void ProjectQuestions::forget() {
  questions_.clear();
  places_.clear();
  of_facts_.clear();
}

void note_fact_read(const model::Project &project, ProjectQuestions::FindFact find) {
  if (reads_now == nullptr) [[likely]] {
    return;
  }
  const auto question = static_cast<ProjectQuestions *>(reads_now->questions)->note_fact(find, project);
  if (question) {
    reads_now->set.add(static_cast<u32>(project.modules.size()) + model::kNameUnits + *question);
  } else {
    note_read_everything();
  }
}

void KeptLinting::forget() { *this = {}; }

void KeptLinting::begin(const model::Project &project, const std::vector<bool> &is_parsed_anew, u32 threads) {
  std::vector<u64> now = model::fingerprints_of(project, threads);
  is_update_ = holds_ && now.size() == fingerprints_.size();
  holds_ = false; // until the end
  is_changed_.assign(now.size(), !is_update_);
  for (std::size_t i = 0; i < now.size() && is_update_; ++i) {
    is_changed_[i] = now[i] != fingerprints_[i] || (i < is_parsed_anew.size() && is_parsed_anew[i]);
  }
  if (is_update_) {
    const std::vector<bool> answers = questions_->ask_again(project, is_parsed_anew);
    is_changed_.insert(is_changed_.end(), answers.begin(), answers.end());
  } else {
    questions_->forget();
  }
  anything_changed_ = std::ranges::find(is_changed_, true) != is_changed_.end();
  fingerprints_ = std::move(now);
  if (!is_update_) {
    modules_.clear();
  }
  modules_.resize(project.modules.size());
}

bool KeptLinting::is_different(const ReadSet &reads) const {
  return (reads.everything && anything_changed_) ||
         std::ranges::any_of(reads.units, [this](u32 unit) { return is_changed_[unit]; });
}

KeptLinting::Again KeptLinting::again(const model::Module &module) const {
  Again result;
  const KeptModule &kept = modules_[module.index];
  result.all = !is_update_ || is_changed_[module.index] || is_different(kept.shown);
  for (std::size_t i = 0; i < kept.reads.size() && !result.all; ++i) {
    if (is_different(kept.reads[i].second)) {
      result.rules.push_back(kept.reads[i].first);
    }
  }
  result.all = result.all || (kept.sees_findings && !result.rules.empty());
  return result;
}

} // namespace deepperf::rules
