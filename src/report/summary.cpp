#include "report/summary.h"

#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace deepperf::report {

namespace {

void count_finding(const rules::Finding &finding, Summary &summary) {
  switch (rules::severity_of(finding)) {
  case rules::Severity::Error:
    ++summary.errors;
    break;
  case rules::Severity::Warning:
    ++summary.warnings;
    break;
  case rules::Severity::Advice:
    ++summary.advice;
    break;
  default:
    ++summary.notes;
  }
  if (finding.fix) {
    ++(finding.fix->safe ? summary.safe_fixes : summary.unsafe_fixes);
  }
  auto rule = std::ranges::find(summary.rules, finding.rule, &RuleCount::rule);
  if (rule == summary.rules.end()) {
    rule = summary.rules.insert(rule, {finding.rule, 0});
  }
  ++rule->count;
}

void count_root_causes(Summary &summary) {
  for (const RuleCount &rule : summary.rules) {
    auto cause = std::ranges::find(summary.root_causes, rule.rule->root_cause,
                                   [](const auto &counted) { return counted.first; });
    if (cause == summary.root_causes.end()) {
      cause = summary.root_causes.insert(cause, {rule.rule->root_cause, 0});
    }
    cause->second += rule.count;
  }
}

} // namespace

Summary summarize(const check::Result &result) {
  Summary summary;
  for (const rules::Finding &finding : result.findings) {
    count_finding(finding, summary);
  }
  count_root_causes(summary);
  std::ranges::sort(summary.rules, [](const RuleCount &a, const RuleCount &b) {
    return std::tie(b.count, a.rule->code) < std::tie(a.count, b.rule->code);
  });
  std::ranges::sort(summary.root_causes, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  for (const check::FileError &error : result.errors) {
    summary.syntax_errors += error.level == check::FileError::Level::SyntaxError ? 1 : 0;
    summary.unreadable += error.level == check::FileError::Level::Unreadable ? 1 : 0;
  }
  for (const check::CheckedFile &file : result.files) {
    summary.syntax_errors += file.suppressed_errors;
  }
  return summary;
}

std::string counted(u64 number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string listed(const std::vector<std::string> &items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string shown_sentence(const Summary &summary, u64 files) {
  std::vector<std::string> parts;
  const auto add = [&](u64 number, std::string_view one, std::string_view many) {
    if (number != 0) {
      parts.push_back(counted(number, one, many));
    }
  };
  add(summary.errors, "error", "errors");
  add(summary.warnings, "warning", "warnings");
  add(summary.advice, "piece of advice", "pieces of advice");
  add(summary.notes, "note", "notes");
  add(summary.syntax_errors, "syntax error", "syntax errors");
  if (parts.empty() && files <= summary.unreadable && summary.unreadable != 0) {
    return fmt::format("Nothing was checked: {} could not be read",
                       counted(summary.unreadable, "file or folder", "files and folders"));
  }
  std::string text =
      fmt::format("{} in {}", parts.empty() ? "No problems found" : listed(parts), counted(files, "file", "files"));
  if (summary.unreadable != 0) {
    text += fmt::format("; {} could not be checked", counted(summary.unreadable, "file", "files"));
  }
  return text;
}

std::string hidden_sentence(const check::Hidden &hidden) {
  std::vector<std::string> parts;
  const auto add = [&](u64 number, std::string_view one, std::string_view many) {
    if (number != 0) {
      parts.push_back(counted(number, one, many));
    }
  };
  add(hidden.others, "error or warning", "errors and warnings");
  add(hidden.advice, "possible problem", "possible problems");
  add(hidden.notes, "note", "notes");
  std::string text;
  if (!parts.empty()) {
    const bool is_one = parts.size() == 1 && parts[0].starts_with("1 ");
    text =
        fmt::format("{} {} not shown (--all shows {})", listed(parts), is_one ? "is" : "are", is_one ? "it" : "them");
  }
  const auto add_reason = [&](u64 number, std::string_view reason) {
    if (number != 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", number, reason);
    }
  };
  add_reason(hidden.suppressed, "suppressed by comments");
  add_reason(hidden.baselined, "known from the baseline");
  add_reason(hidden.unchanged, "not on changed lines");
  return text;
}

std::string counts_sentence(const check::Result &result) {
  const std::string hidden = hidden_sentence(result.hidden);
  return shown_sentence(summarize(result), result.file_count) + (hidden.empty() ? "" : "; ") + hidden;
}

} // namespace deepperf::report
