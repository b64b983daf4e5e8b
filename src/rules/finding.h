// A rule that fired at a place, with the path of reasoning that led to it and, where there is one, the edit that fixes
// it.
#pragma once

#include "base/file_index.h"
#include "python/syntax_error.h"
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::rules {

// One step of the reasoning: "the loop is here", "it calls this".
struct Note {
  FileIndex file;
  python::Span span;
  std::string message;
};

struct Edit {
  u32 start = 0; // byte offsets into the source's text
  u32 end = 0;
  std::string replacement;
};

struct Fix {
  bool safe = true; // the program computes the same
  std::vector<Edit> edits;
};

struct Finding {
  const RuleInfo *rule = nullptr;
  FileIndex file;
  python::Span span;
  Tier tier = Tier::On;                // a rule that is on may still be unsure about a place and make it a hint
  Severity severity = Severity::Error; // at most this; a rule may lower it for a place. Ask severity_of().
  u32 group = 0;                       // those of a rule in a file with the same number become one; 0: it stands alone
  bool is_overridden = false;          // the user's configuration says how severe it is
  std::string message;                 // what is wrong here
  std::string advice;                  // what to write instead
  std::vector<Note> notes;
  std::optional<Fix> fix;
};

// A hint: likely, but not proven.
inline bool is_hint(const Finding &finding) {
  return !finding.is_overridden && (finding.tier == Tier::Hint || finding.rule->tier == Tier::Hint);
}

// What is not proven is advice at most.
inline Severity severity_of(const Finding &finding) {
  if (finding.is_overridden) {
    return finding.severity;
  }
  const Severity most = is_hint(finding) ? Severity::Advice : Severity::Error;
  return std::min({finding.severity, finding.rule->severity, most});
}

} // namespace deepperf::rules
