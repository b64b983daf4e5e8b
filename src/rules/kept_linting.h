// What rules found in a project that stays in memory, module by module, and what they read for it (model/reads.h): when
// a file has changed, only what read something that is different now is done again.
//
// A rule that read nothing but the module it looked at says the same again as long as that module's tree and facts are
// the same. One that read others does so as long as these are the same, too. So a rule's findings in a module are kept
// or created again as a whole: rules may remember what they reported there.
#pragma once

#include "base/reads.h"
#include "model/project.h"
#include "rules/finding.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::rules {

struct KeptModule {
  std::vector<Finding> findings;                       // as the rules gave them
  std::vector<std::pair<const Rule *, ReadSet>> reads; // of rules that read more than the module
  ReadSet shown;                                       // what was read to tell which rules want to see a place
  bool sees_findings = false;                          // some rule asked what others had found: all or none
};

// What rules asked of all files together. A question is a unit of its own: as long as the answer is the same, so is
// what follows from it.
class ProjectQuestions {
public:
  // Do these words occur in any file? Which unit it is, or none if there are too many. From any thread.
  std::optional<u32> note_words(u64 hash, std::span<const std::string_view> words, bool in_any_case, bool answer);
  // The answer for the project as it is now, if that was asked before.
  std::optional<bool> known_answer(u64 hash);

  // A fact that is gathered from all files, as a hash of what it says about the project as a whole, and one for each
  // module of what it says about things that stand there: who asks about such a thing has read that module.
  struct Fact {
    u64 whole = 0;
    std::vector<u64> of_modules;
  };
  using FindFact = Fact (*)(const model::Project &project);
  std::optional<u32> note_fact(FindFact find, const model::Project &project);

  // Asks all of them again, and tells which answers are different.
  std::vector<bool> ask_again(const model::Project &project, const std::vector<bool> &is_parsed_anew);
  void forget();

private:
  struct Question {
    std::vector<std::string> words;
    bool in_any_case = false;
    bool answer = false;
    std::vector<bool> has;   // by module; empty: not asked for each of them yet
    FindFact find = nullptr; // null: it is about words
    Fact fact;
  };
  static bool ask_words(Question &question, const model::Project &project, const std::vector<bool> &is_parsed_anew);
  static bool ask_fact(Question &question, const model::Project &project, const std::vector<bool> &is_parsed_anew);

  std::mutex mutex_;
  std::vector<Question> questions_;
  std::unordered_map<u64, u32> places_;        // of those about words, by the hash
  std::unordered_map<FindFact, u32> of_facts_; // of the others
};

// The fact was asked for: its answer is what was read, and not all that it was gathered from (see ReadsLeftOut).
void note_fact_read(const model::Project &project, ProjectQuestions::FindFact find);

class KeptLinting {
public:
  // Compares the project with what it was when it was last judged. `is_parsed_anew` is by module.
  void begin(const model::Project &project, const std::vector<bool> &is_parsed_anew, u32 threads);
  // All has been judged, and nothing went wrong. Otherwise nothing is kept.
  void end() { holds_ = true; }
  void forget();

  // Is something kept that can be used?
  [[nodiscard]] bool is_update() const { return is_update_; }
  // The rules that have to look at the module again.
  struct Again {
    bool all = false;
    std::vector<const Rule *> rules; // otherwise
  };
  [[nodiscard]] Again again(const model::Module &module) const;

  ProjectQuestions &questions() { return *questions_; }
  KeptModule &of(const model::Module &module) { return modules_[module.index]; }

private:
  [[nodiscard]] bool is_different(const ReadSet &reads) const;

  std::unique_ptr<ProjectQuestions> questions_ = std::make_unique<ProjectQuestions>();
  std::vector<KeptModule> modules_;
  std::vector<u64> fingerprints_; // of all units
  std::vector<bool> is_changed_;  // since they were judged
  bool anything_changed_ = true;
  bool holds_ = false;
  bool is_update_ = false;
};

} // namespace deepperf::rules
