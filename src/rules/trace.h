// What rules ask the engine and what they are told: for counting, and for `deepperf debug why`.
#pragma once

#include "base/file_index.h"
#include "base/types.h"
#include "python/syntax_error.h"
#include "rules/rule.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::rules {

struct Site;

// Questions that another question leads to are deeper.
struct Question {
  u32 depth = 0;
  std::string text;
  std::string answer;
};

// A rule was called with a node.
struct Attempt {
  const Rule *rule = nullptr;
  const python::Node *node = nullptr; // null: with the module as a whole
  std::vector<Question> questions;
  std::size_t findings = 0; // that the rule made of it
};

struct Trace {
  u64 queries = 0;
  u64 visits = 0;
  // Questions are written down where rules look at this part of this file.
  FileIndex file;
  python::Span place;
  const RuleInfo *rule = nullptr; // only of this one, and then also where it looks at something larger around the place
  bool is_wanted = false;         // else it only counts
  std::vector<Attempt> attempts;

  bool writes = false; // the rule that is running is one of those
  u32 depth = 0;
};

// A question of a rule, from when it is asked to when it is answered.
class Asking {
public:
  Asking(const Site &site, std::string_view question, const python::Node *about = nullptr);
  Asking(const Asking &) = delete;
  Asking &operator=(const Asking &) = delete;
  ~Asking() {
    if (trace_ != nullptr) [[unlikely]] {
      --trace_->depth;
    }
  }

  // `describe` returns the answer as text. It is called only if somebody wants to know.
  template <class Describe> void answer(Describe describe) const {
    if (trace_ != nullptr) [[unlikely]] {
      trace_->attempts.back().questions[index_].answer = describe();
    }
  }

private:
  void begin(const Site &site, std::string_view question, const python::Node *about);

  Trace *trace_ = nullptr; // null: nobody wants to know
  std::size_t index_ = 0;
};

} // namespace deepperf::rules
