// What keeps `check` to findings that are news: a baseline of known ones, and the lines changed since a revision.
#pragma once

#include "check/baseline.h"
#include "check/filter.h"
#include "cli/check_arguments.h"
#include "project/changed_lines.h"

#include <memory>
#include <optional>
#include <string>

namespace deepperf::cli {

class KnownFindings {
public:
  // Reads the baseline and asks git. Throws UsageError if that is not possible.
  explicit KnownFindings(const CheckArguments &arguments);

  // True if filter() needs everything that was found, to know which entries of the baseline match nothing any more.
  [[nodiscard]] bool needs_everything() const { return baseline_.has_value(); }
  // True if entries may be about test code.
  [[nodiscard]] bool needs_tests() const { return baseline_ && baseline_->with_tests; }

  // Takes out what was not asked for, what comments silence and what is known.
  void filter(check::Result &result, const check::FilterOptions &options);

  // What became of the baseline in the last filter(); null if there is none.
  [[nodiscard]] const check::BaselineMatch *match() const { return match_.get(); }

private:
  void ask_git();

  const CheckArguments &arguments_;
  std::optional<check::Baseline> baseline_;
  std::optional<check::BaselinePaths> paths_;
  std::unique_ptr<check::BaselineMatch> match_;
  std::optional<project::ChangedLines> changed_;
  bool is_asked_ = false; // git, for the next filter()
};

// Removes stale entries from the baseline, or says on standard error that there are some. False: it cannot be written.
bool finish_baseline(const CheckArguments &arguments, const KnownFindings &known);

// Exit status of `--write-baseline` and of `--report-stale-baseline`, which report nothing else.
int write_baseline(const CheckArguments &arguments, const check::Result &result);
int report_stale_baseline(const CheckArguments &arguments, const KnownFindings &known);

} // namespace deepperf::cli
