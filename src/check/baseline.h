// Findings that are known and are to be dealt with later: a file lists them, and only others are shown.
//
// An entry is a path, a rule, a fingerprint of the code (check/fingerprint.h) and how many such findings there are.
// There are no lines, messages or evidence in it: edits elsewhere, and better rules, leave it valid.
#pragma once

#include "check/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace deepperf::check {

struct BaselineEntry {
  std::string path; // relative to the baseline's folder, with `/`
  std::string rule; // its code
  u64 fingerprint = 0;

  friend auto operator<=>(const BaselineEntry &,
                          const BaselineEntry &) = default; // NOLINT(modernize-use-nullptr): it means <=>
};

struct Baseline {
  bool with_tests = false; // it was written by a check that also analyzed test code
  std::map<BaselineEntry, u64> counts;
};

// The baseline, or why the text is none.
std::variant<Baseline, std::string> parse_baseline(std::string_view text);
// One entry a line, sorted, so that diffs are small and merges easy.
std::string baseline_text(const Baseline &baseline);

// Paths as a baseline has them, which is in the folder that `baseline_path` names.
class BaselinePaths {
public:
  explicit BaselinePaths(const std::string &baseline_path);
  [[nodiscard]] std::string entry_path(const std::string &path);
  // True if there is no such file.
  [[nodiscard]] bool is_gone(const std::string &entry_path) const;

private:
  std::string folder_;
  std::map<std::string, std::string> folders_; // of checked files, as they really are
};

// The findings of a result as a baseline.
Baseline make_baseline(const Result &result, BaselinePaths &paths);

// What became of a baseline's entries in a check.
class BaselineMatch {
public:
  // `all` are the findings before anything was filtered out, `rules` what was run; nothing: all rules.
  BaselineMatch(const Baseline &baseline, const Result &all, BaselinePaths &paths,
                const std::optional<std::vector<const rules::RuleInfo *>> &rules);

  // Takes known findings out of the (filtered) result, and counts them.
  void hide(Result &result);

  // Entries that match nothing any more, and how many of each; of files that were checked or are gone.
  [[nodiscard]] const std::map<BaselineEntry, u64> &stale() const { return stale_; }
  // The baseline without them, and with the new paths of files that were moved.
  [[nodiscard]] Baseline pruned() const;

private:
  // One by one, findings use up entries.
  class Supply {
  public:
    Supply(const Baseline &baseline, const BaselinePaths &paths);
    // The entry that the finding uses up: its own, or that of a file that is gone. Null if there is none.
    const BaselineEntry *take(const BaselineEntry &wanted);
    [[nodiscard]] const std::map<BaselineEntry, u64> &left() const { return left_; }

  private:
    std::map<BaselineEntry, u64> left_;
    std::multimap<std::pair<std::string, u64>, const BaselineEntry *> gone_;
  };

  const Baseline &baseline_;
  BaselinePaths &paths_;
  Supply shown_;
  std::map<BaselineEntry, u64> stale_;
  std::map<std::pair<BaselineEntry, std::string>, u64> moved_; // entries to their new paths
};

} // namespace deepperf::check
