#include "cli/known_findings.h"

#include "base/printable.h"
#include "base/write.h"
#include "check/since.h"
#include "cli/output.h"
#include "cli/usage_error.h"
#include "fix/files.h"
#include "fix/notebook.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>
#include <system_error>

namespace deepperf::cli {

namespace {

check::Baseline read_baseline(const std::string &path) {
  errno = 0;
  const std::optional<std::string> text = fix::read_bytes(path);
  if (!text) {
    throw UsageError(fmt::format("cannot read the baseline {}: {}", path, std::generic_category().message(errno)));
  }
  std::variant<check::Baseline, std::string> baseline = check::parse_baseline(*text);
  if (const auto *problem = std::get_if<std::string>(&baseline)) {
    throw UsageError(fmt::format("{}: {}", path, *problem));
  }
  return std::move(std::get<check::Baseline>(baseline));
}

u64 count_entries(const std::map<check::BaselineEntry, u64> &entries) {
  u64 count = 0;
  for (const auto &[entry, number] : entries) {
    count += number;
  }
  return count;
}

// Lines of notebooks in the JSON, which is read once.
class NotebookReader {
public:
  std::optional<check::DiskLines> operator()(const check::CheckedFile &file, python::Span span) {
    const auto [found, is_new] = bytes_.try_emplace(file.path);
    if (is_new) {
      found->second = fix::read_bytes(file.path);
    }
    if (!found->second) {
      return std::nullopt;
    }
    const std::optional<fix::JsonLines> lines = fix::lines_in_json(*found->second, *file.source, span);
    return lines ? std::optional(check::DiskLines{lines->first, lines->last}) : std::nullopt;
  }

private:
  std::map<std::string, std::optional<std::string>> bytes_;
};

} // namespace

KnownFindings::KnownFindings(const CheckArguments &arguments) : arguments_(arguments) {
  if (!arguments.baseline.empty()) {
    baseline_ = read_baseline(arguments.baseline);
    paths_.emplace(arguments.baseline);
  }
  if (!arguments.since.empty()) {
    ask_git();
  }
}

void KnownFindings::ask_git() {
  changed_.emplace();
  for (const std::string &path : arguments_.options.paths) {
    if (const std::optional<std::string> failure = changed_->add_repository(path, arguments_.since)) {
      throw UsageError("--since: " + *failure);
    }
  }
  is_asked_ = true;
}

void KnownFindings::filter(check::Result &result, const check::FilterOptions &options) {
  if (baseline_) {
    match_ = std::make_unique<check::BaselineMatch>(*baseline_, result, *paths_, arguments_.options.rules);
  }
  check::filter(result, options);
  if (match_ != nullptr) {
    match_->hide(result);
  }
  if (changed_) {
    if (!is_asked_) {
      ask_git(); // the files have changed since
    }
    check::keep_changed(result, *changed_, NotebookReader());
    is_asked_ = false;
  }
}

bool finish_baseline(const CheckArguments &arguments, const KnownFindings &known) {
  if (known.match() == nullptr) {
    return true;
  }
  const u64 stale = count_entries(known.match()->stale());
  const std::string entries = report::counted(stale, "entry", "entries");
  const std::string path = printable(arguments.baseline);
  if (arguments.prune_baseline) {
    const std::string text = check::baseline_text(known.match()->pruned());
    if (fix::read_bytes(arguments.baseline) != text && !write_output(arguments.baseline, text, stdout)) {
      return false;
    }
    std::fprintf(stderr, "deepperf: removed %s from %s\n", entries.c_str(), path.c_str());
  } else if (stale != 0 && !arguments.quiet) {
    std::fprintf(stderr, "deepperf: %s of %s %s nothing any more; --prune-baseline removes %s\n", entries.c_str(),
                 path.c_str(), stale == 1 ? "matches" : "match", stale == 1 ? "it" : "them");
  }
  return true;
}

int write_baseline(const CheckArguments &arguments, const check::Result &result) {
  check::BaselinePaths paths(arguments.write_baseline);
  check::Baseline baseline = check::make_baseline(result, paths);
  baseline.with_tests = arguments.options.with_tests;
  if (!write_output(arguments.write_baseline, check::baseline_text(baseline), stdout)) {
    return kTrouble;
  }
  std::set<std::string> files;
  for (const auto &[entry, count] : baseline.counts) {
    files.insert(entry.path);
  }
  std::fprintf(stderr, "deepperf: wrote %s in %s to %s\n",
               report::counted(result.findings.size(), "finding", "findings").c_str(),
               report::counted(files.size(), "file", "files").c_str(), printable(arguments.write_baseline).c_str());
  return kClean;
}

int report_stale_baseline(const CheckArguments &arguments, const KnownFindings &known) {
  std::string text;
  const std::map<check::BaselineEntry, u64> &stale = known.match()->stale();
  for (const auto &[entry, count] : stale) {
    write(text, "{}: {} {:016x}: {} nothing any more\n", printable(entry.path), printable(entry.rule),
          entry.fingerprint, count == 1 ? "matches" : fmt::format("{} entries match", count));
  }
  const u64 count = count_entries(stale);
  write(text, "{} in {}\n", count == 0 ? "No stale entries" : report::counted(count, "stale entry", "stale entries"),
        printable(arguments.baseline));
  if (!write_output(arguments.output, text, stdout)) {
    return kTrouble;
  }
  return stale.empty() || arguments.exit_zero ? kClean : kFindings;
}

} // namespace deepperf::cli
