#include "report/markdown_report.h"

#include "base/write.h"
#include "report/file_problem.h"
#include "report/frame.h"
#include "report/levels.h"
#include "report/markdown_text.h"
#include "report/measured.h"
#include "report/place.h"
#include "report/rule_link.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace deepperf::report {

namespace {

// GitHub takes comments of 65,536 characters, and whoever posts one may want to add a few of their own.
constexpr u32 kMostCharacters = 60'000;
constexpr u32 kReserve = 500; // for what stands between and below the tables
constexpr std::size_t kMostInText = 600;
constexpr std::size_t kMostInPath = 300;

constexpr std::string_view kTableHead = "| | Where | What |\n|---|---|---|\n";

// A link to the line where files of this revision can be looked at; else relative, which works in files of the
// repository.
std::string link_to(std::string_view path, u32 line, u32 cell, u32 column, const Options &options) {
  const std::string found = path_in_repository(path, options.location);
  std::string label;
  write_place(shortened(found, kMostInPath), cell, line, column, label);
  const bool is_inside = !found.starts_with('/') && !found.starts_with("..") && !found.starts_with('<');
  if (!is_inside || found.size() > kMostInPath) {
    return markdown_line(label);
  }
  const std::string_view base = options.location.file_url;
  const std::string anchor = line != 0 && cell == 0 ? fmt::format("#L{}", line) : "";
  return fmt::format("[{}]({}{}{}{})", markdown_line(label), base, base.empty() || base.ends_with('/') ? "" : "/",
                     path_uri(found), anchor);
}

std::string rule_name(const rules::RuleInfo &rule) {
  const std::string name = fmt::format("{} {}", rule.code, rule.name);
  const std::string url = rule_url(rule);
  return url.empty() ? name : fmt::format("[{}]({})", name, url);
}

std::string row_of(const check::Result &result, const rules::Finding &finding, const Options &options) {
  const Place place = place_of(result, finding.file, finding.span);
  std::string row = fmt::format("| {} | {} | **{}**: {}", severity_name(rules::severity_of(finding)),
                                link_to(place.path, place.start.line, place.start.cell, place.start.column, options),
                                rule_name(*finding.rule), markdown_line(shortened(finding.message, kMostInText)));
  if (!finding.advice.empty()) {
    write(row, "<br>Help: {}", markdown_line(shortened(finding.advice, kMostInText)));
  }
  if (const std::string &text = measured(*finding.rule); !text.empty()) {
    write(row, "<br>Measured: {}", markdown_line(text));
  }
  return row + " |\n";
}

std::string row_of(const FileProblem &problem, const Options &options) {
  return fmt::format("| error | {} | {} |\n",
                     link_to(problem.path, problem.line, problem.cell, problem.column, options),
                     markdown_line(shortened(problem.message, kMostInText)));
}

// A table of the rows that there is room for, and how many more there are.
void write_table(const std::vector<std::string> &rows, u32 room, std::string &out) {
  out += kTableHead;
  std::size_t written = 0;
  for (u32 used = 0; written < rows.size(); ++written) {
    used += count_characters(rows[written]);
    if (used > room) {
      break;
    }
    out += rows[written];
  }
  if (written < rows.size()) {
    write(out, "\n… and {} more, which are too many for a comment.\n", rows.size() - written);
  }
}

std::vector<std::string> rows_of(const check::Result &result, const Options &options,
                                 const std::vector<rules::Severity> &severities) {
  std::vector<std::string> rows;
  for (const rules::Severity severity : severities) {
    for (const rules::Finding &finding : result.findings) {
      if (rules::severity_of(finding) == severity) {
        rows.push_back(row_of(result, finding, options));
      }
    }
  }
  return rows;
}

std::string advice_title(const Summary &summary) {
  std::vector<std::string> parts;
  if (summary.advice != 0) {
    parts.push_back(counted(summary.advice, "piece of advice", "pieces of advice"));
  }
  if (summary.notes != 0) {
    parts.push_back(counted(summary.notes, "note", "notes"));
  }
  return listed(parts);
}

void write_findings(const check::Result &result, const Options &options, std::string &out) {
  using rules::Severity;
  const auto room = [&] {
    const u32 used = count_characters(out) + kReserve;
    return used < kMostCharacters ? kMostCharacters - used : 0;
  };
  std::vector<std::string> problems;
  for (const FileProblem &problem : file_problems(result)) {
    problems.push_back(row_of(problem, options));
  }
  std::ranges::move(rows_of(result, options, {Severity::Error, Severity::Warning}), std::back_inserter(problems));
  if (!problems.empty()) {
    out += '\n';
    write_table(problems, room(), out);
  }
  const std::vector<std::string> advice = rows_of(result, options, {Severity::Advice, Severity::Note});
  if (!advice.empty()) {
    write(out, "\n<details>\n<summary>{}</summary>\n\n", advice_title(summarize(result)));
    write_table(advice, room(), out);
    out += "\n</details>\n";
  }
}

void write_statistics(const check::Result &result, std::string &out) {
  const Summary summary = summarize(result);
  if (summary.rules.empty()) {
    return;
  }
  out += "\n| Count | Rule | Root cause |\n|---:|---|---|\n";
  for (const RuleCount &rule : summary.rules) {
    write(out, "| {} | {} | {} |\n", rule.count, rule_name(*rule.rule), markdown_line(rule.rule->root_cause));
  }
}

} // namespace

void write_markdown_report(const check::Result &result, const Options &options, std::string &out) {
  write(out, "**deepperf**: {}\n", counts_sentence(result));
  if (options.statistics) {
    write_statistics(result, out);
  } else {
    write_findings(result, options, out);
  }
}

} // namespace deepperf::report
