// Comments by which people say that they know better: `# deepperf: ignore[DP101] -- reason`, `# noqa`,
// `# deepperf: ignore-file`.
#pragma once

#include "python/source.h"
#include "rules/finding.h"

#include <string_view>
#include <vector>

namespace deepperf::check {

// The texts point into the source.
struct Suppression {
  u32 line = 0; // counted over the whole text, from 1; 0: the whole file
  bool everything = true;
  std::vector<std::string_view> selectors; // of the rules it is about, unless `everything`
  python::Span span;                       // from its `#` to its end
  u32 bracket = 0;                         // where its `]` is; 0 if it has none
  std::string_view reason;
  bool is_ours = false;     // `deepperf:`, not `noqa`
  bool is_too_late = false; // `ignore-file` further down than it counts; it silences nothing
};

// False if the comment's text certainly silences nothing.
bool may_silence(std::string_view comment);

// In source order.
std::vector<Suppression> find_suppressions(const python::Source &source, const std::vector<python::Span> &comments);

// A word in one of our own comments that should be a rule, and is none.
struct UnknownRule {
  std::string_view word;
  python::Span span;
};
std::vector<UnknownRule> find_unknown_rules(const python::Source &source, const std::vector<python::Span> &comments);

// Lines, counted over the whole text.
struct LineRange {
  u32 first = 0;
  u32 last = 0;
};
LineRange lines_of(const rules::Finding &finding, const python::Source &source);

// True if the comment stands on one of the lines, or is about the whole file.
bool covers(const Suppression &suppression, LineRange lines);
bool is_about(const Suppression &suppression, const rules::RuleInfo &rule);

// Decides for one file after the other which findings are silenced: by a comment on any of their lines or, where a
// backslash or a string makes a comment impossible there, on the line on which that ends.
class Silencer {
public:
  // Both must stay. Null if there is no text.
  Silencer(const python::Source *source, const std::vector<python::Span> *comments);

  [[nodiscard]] const std::vector<Suppression> &suppressions() const { return suppressions_; }
  // Calls `use(index)` for every comment that silences the finding.
  template <class Use> void each_silencing(const rules::Finding &finding, Use use) {
    for (const std::size_t index : silencing(finding)) {
      use(index);
    }
  }
  bool is_silenced(const rules::Finding &finding) { return !silencing(finding).empty(); }

private:
  std::vector<std::size_t> silencing(const rules::Finding &finding);
  u32 end_of_joined(u32 line);

  const python::Source *source_;
  std::vector<Suppression> suppressions_;
  bool knows_joined_ = false;
  std::vector<LineRange> joined_;
};

} // namespace deepperf::check
