#include "report/junit.h"

#include "base/write.h"
#include "report/clean_text.h"
#include "report/file_problem.h"
#include "report/levels.h"
#include "report/place.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace deepperf::report {

namespace {

std::string escape_text(std::string_view text) {
  std::string escaped;
  for (const char character : clean_text(text)) {
    switch (character) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += character;
    }
  }
  return escaped;
}

// In an attribute a line end would be read as a space.
std::string escape_attribute(std::string_view text) {
  std::string escaped;
  for (const char character : escape_text(text)) {
    if (character == '\n') {
      escaped += "&#10;";
    } else if (character == '\t') {
      escaped += "&#9;";
    } else {
      escaped += character;
    }
  }
  return escaped;
}

// A test that passes is of no use to anybody here: something is a failure, an error, or a skipped test, which is seen
// and does no harm.
struct Case {
  std::string path;
  std::string name;
  u32 line = 0; // 0: not known
  std::string_view outcome;
  std::string_view type;
  std::string message;
  std::string details; // where, how it came to that, what to do
};

void write_case(const Case &test, std::string &out) {
  const std::string path = escape_attribute(test.path);
  write(out, "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"", path, escape_attribute(test.name), path);
  if (test.line != 0) {
    write(out, " line=\"{}\"", test.line);
  }
  write(out, ">\n      <{0} message=\"{1}\"", test.outcome, escape_attribute(test.message));
  if (test.outcome != "skipped") { // which has no type
    write(out, " type=\"{}\"", escape_attribute(test.type));
  }
  write(out, ">{}</{}>\n    </testcase>\n", escape_text(test.details), test.outcome);
}

void add_line(const Place &place, std::string_view message, const Options &options, std::string &out) {
  write_place(path_in_repository(place.path, options.location), place.start.cell, place.start.line, place.start.column,
              out);
  write(out, ": {}\n", message);
}

// Lines of a cell are not lines of the notebook's file.
std::string place_name(const python::Position &at) {
  return at.cell == 0 ? fmt::format("line {}, column {}", at.line, at.column)
                      : fmt::format("cell {}, line {}, column {}", at.cell, at.line, at.column);
}

Case case_of(const check::Result &result, const rules::Finding &finding, const Options &options) {
  const Place place = place_of(result, finding.file, finding.span);
  const rules::Severity severity = rules::severity_of(finding);
  Case test{.path = path_in_repository(place.path, options.location),
            .name = fmt::format("{} {} ({})", finding.rule->code, finding.rule->name, place_name(place.start)),
            .line = place.start.cell == 0 ? place.start.line : 0,
            .outcome = is_problem(severity) ? "failure" : "skipped",
            .type = severity_name(severity),
            .message = fmt::format("{}: {}", severity_name(severity), finding.message),
            .details = ""};
  add_line(place, finding.message, options, test.details);
  for (const rules::Note &note : finding.notes) {
    test.details += "  ";
    add_line(place_of(result, note.file, note.span), note.message, options, test.details);
  }
  if (!finding.advice.empty()) {
    write(test.details, "Help: {}\n", finding.advice);
  }
  return test;
}

Case case_of(const FileProblem &problem, const Options &options) {
  Case test{.path = path_in_repository(problem.path, options.location),
            .name = is_unreadable(problem) ? "readable" : "syntax",
            .line = problem.cell == 0 ? problem.line : 0,
            .outcome = "error",
            .type = problem_id(problem),
            .message = problem.message,
            .details = ""};
  if (problem.line != 0) {
    test.name += fmt::format(" ({})", place_name({problem.line, problem.column, problem.cell}));
  }
  write_place(test.path, problem.cell, problem.line, problem.column, test.details);
  write(test.details, ": {}\n", problem.message);
  return test;
}

} // namespace

void write_junit(const check::Result &result, const Options &options, std::string &out) {
  const Summary counts = summarize(result);
  const std::vector<FileProblem> problems = file_problems(result);
  const bool is_clean = problems.empty() && result.findings.empty();
  const std::string attributes =
      fmt::format("name=\"deepperf\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
                  is_clean ? 1 : problems.size() + result.findings.size(), counts.errors + counts.warnings,
                  problems.size(), counts.advice + counts.notes);
  out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  write(out, "  <testsuite {}>\n", attributes);
  // A suite without tests is an error to some.
  if (is_clean) {
    write(out, "    <testcase classname=\"deepperf\" name=\"{}\"/>\n", escape_attribute(counts_sentence(result)));
  }
  for (const FileProblem &problem : problems) {
    write_case(case_of(problem, options), out);
  }
  for (const rules::Finding &finding : result.findings) {
    write_case(case_of(result, finding, options), out);
  }
  write(out, "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n", escape_text(counts_sentence(result)));
}

} // namespace deepperf::report
