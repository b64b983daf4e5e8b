#include "bench/assess.h"

#include "bench/changed_lines.h"
#include "bench/files.h"
#include "check/check.h"
#include "check/filter.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace deepperf::bench {

namespace {

// The name by which a program is known wherever its folder stands: torch-item/buggy.py
std::string short_name(const std::string &path) {
  const std::filesystem::path whole(path);
  return (whole.parent_path().filename() / whole.filename()).string();
}

using ByProgram = std::map<std::string, std::vector<Reported>>;

// What `check` reports with no options and no configuration.
ByProgram run_check(const std::vector<Pair> &pairs) {
  check::Options options;
  for (const Pair &pair : pairs) {
    if (pair.has_programs) {
      options.paths.push_back(pair.buggy());
      options.paths.push_back(pair.fixed());
    }
  }
  ByProgram reported;
  if (options.paths.empty()) {
    return reported;
  }
  const check::FilterOptions filter;
  options.filter = &filter;
  check::Progress progress;
  check::Result result = check::run(options, progress);
  check::filter(result, filter);
  for (const check::FileError &error : result.errors) {
    if (error.level == check::FileError::Level::Unreadable) {
      throw std::runtime_error(result.files[error.file.value].path + ": " + error.message);
    }
  }
  for (const rules::Finding &finding : result.findings) {
    const check::CheckedFile &file = result.files[finding.file.value];
    Reported one{std::string(finding.rule->code), file.source->position(finding.span.start).line};
    for (const rules::Note &note : finding.notes) {
      if (note.file == finding.file) {
        one.noted.push_back(file.source->position(note.span.start).line);
      }
    }
    reported[short_name(file.path)].push_back(std::move(one));
  }
  return reported;
}

const std::vector<Reported> &about(const ByProgram &reported, const std::string &program) {
  static const std::vector<Reported> kNone;
  const auto found = reported.find(short_name(program));
  return found == reported.end() ? kNone : found->second;
}

bool has_rule(const std::vector<Reported> &reported, const std::string &rule) {
  return std::ranges::find(reported, rule, &Reported::rule) != reported.end();
}

// Those on a line that the fix changes, or with a note that points at one, by a rule that reports more in buggy.py than
// in fixed.py.
std::vector<Reported> where_changed(const Pair &pair, const std::vector<Reported> &on_buggy,
                                    const std::vector<Reported> &on_fixed) {
  const std::set<u32> changed =
      changed_lines(read_file(pair.buggy(), kLargestProgram), read_file(pair.fixed(), kLargestProgram));
  std::vector<Reported> found;
  for (const Reported &finding : on_buggy) {
    const auto is_same = [&](const Reported &other) { return other.rule == finding.rule; };
    const bool is_noted = std::ranges::any_of(finding.noted, [&](u32 line) { return changed.contains(line); });
    if ((changed.contains(finding.line) || is_noted) &&
        std::ranges::count_if(on_buggy, is_same) > std::ranges::count_if(on_fixed, is_same)) {
      found.push_back(finding);
    }
  }
  return found;
}

} // namespace

bool is_in_scope(const Pair &pair) { return pair.is_documented && pair.is_static; }

bool is_of_study(const Pair &pair) { return !pair.id.empty() && pair.id[0] >= '0' && pair.id[0] <= '9'; }

std::vector<Assessed> assess_check(const std::vector<Pair> &pairs) {
  const ByProgram reported = run_check(pairs);
  std::vector<Assessed> assessed;
  for (const Pair &pair : pairs) {
    Assessed one;
    one.pair = pair;
    one.on_buggy = about(reported, pair.buggy());
    one.on_fixed = about(reported, pair.fixed());
    for (const std::string &rule : pair.rules) {
      one.is_found = one.is_found || has_rule(one.on_buggy, rule);
      one.is_false_alarm = one.is_false_alarm || has_rule(one.on_fixed, rule);
    }
    for (const Reported &finding : one.on_buggy) {
      const bool is_named = std::ranges::find(pair.rules, finding.rule) != pair.rules.end();
      const bool is_known = std::ranges::find(one.others, finding.rule) != one.others.end();
      if (!is_named && !is_known && !has_rule(one.on_fixed, finding.rule)) {
        one.others.push_back(finding.rule);
      }
    }
    if (pair.rules.empty() && pair.has_programs) {
      one.by_place = where_changed(pair, one.on_buggy, one.on_fixed);
      one.is_found = !one.by_place.empty();
    }
    assessed.push_back(std::move(one));
  }
  return assessed;
}

ToolAssessment assess_tool(const std::vector<Pair> &pairs, const ToolFindings &findings) {
  ByProgram reported;
  for (const ToolFinding &finding : findings.findings) {
    reported[short_name(finding.path)].push_back({finding.rule, finding.line});
  }
  ToolAssessment assessment;
  assessment.tool = findings.tool;
  for (const Pair &pair : pairs) {
    if (!pair.has_programs) {
      assessment.verdicts.push_back({pair.id, {}});
      continue;
    }
    assessment.verdicts.push_back(
        {pair.id, where_changed(pair, about(reported, pair.buggy()), about(reported, pair.fixed()))});
  }
  return assessment;
}

} // namespace deepperf::bench
