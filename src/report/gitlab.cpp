#include "report/gitlab.h"

#include "base/printable.h"
#include "report/file_problem.h"
#include "report/fingerprint.h"
#include "report/json_text.h"
#include "report/levels.h"
#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::report {

namespace {

// Lines of a cell are not lines of the notebook's file, so there the description names the place.
void add_place(std::string_view path, u32 line, u32 cell, Json &issue) {
  issue["location"]["path"] = printable(path);
  issue["location"]["lines"]["begin"] = cell == 0 ? std::max(line, u32{1}) : 1;
  if (cell != 0) {
    issue["description"] =
        fmt::format("cell {}, line {}: {}", cell, line, issue["description"].get_ref<const std::string &>());
  }
}

Json finding_issue(const check::Result &result, const rules::Finding &finding, std::string_view fingerprint,
                   const Options &options) {
  const Place place = place_of(result, finding.file, finding.span);
  const std::string path = path_in_repository(place.path, options.location);
  Json issue;
  issue["description"] = printable(
      finding.advice.empty() ? finding.message : fmt::format("{}. Help: {}", finding.message, finding.advice));
  issue["check_name"] = fmt::format("{} {}", finding.rule->code, finding.rule->name);
  issue["fingerprint"] = fingerprint_in_file(path, fingerprint);
  issue["severity"] = levels_of(rules::severity_of(finding)).gitlab;
  add_place(path, place.start.line, place.start.cell, issue);
  if (place.start.cell == 0) {
    issue["location"]["lines"]["end"] = place.end.line;
  }
  return issue;
}

Json problem_issue(const FileProblem &problem, std::size_t number, const Options &options) {
  const std::string path = path_in_repository(problem.path, options.location);
  Json issue;
  issue["description"] = printable(problem.message);
  issue["check_name"] = problem_id(problem);
  issue["fingerprint"] = fingerprint_in_file(path, fmt::format("{}\n{}", problem.message, number));
  issue["severity"] = is_unreadable(problem) ? "blocker" : levels_of(rules::Severity::Error).gitlab;
  add_place(path, problem.line, problem.cell, issue);
  return issue;
}

} // namespace

void write_gitlab(const check::Result &result, const Options &options, std::string &out) {
  Json issues = Json::array();
  std::string_view path;
  std::size_t number = 0; // of a problem within its file
  for (const FileProblem &problem : file_problems(result)) {
    number = problem.path == path ? number + 1 : 0;
    path = problem.path;
    issues.push_back(problem_issue(problem, number, options));
  }
  const std::vector<std::string> prints = fingerprints(result);
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    issues.push_back(finding_issue(result, result.findings[i], prints[i], options));
  }
  write_json_text(issues, 2, out);
}

} // namespace deepperf::report
