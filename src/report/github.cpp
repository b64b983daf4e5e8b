#include "report/github.h"

#include "base/printable.h"
#include "base/write.h"
#include "report/file_problem.h"
#include "report/levels.h"
#include "report/place.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace deepperf::report {

namespace {

// What ends a value in a workflow command is percent-encoded; nothing else is decoded.
std::string escape(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char character : printable_lines(text)) {
    if (special.find(character) == std::string_view::npos) {
      escaped += character;
    } else {
      write(escaped, "%{:02X}", static_cast<unsigned char>(character));
    }
  }
  return escaped;
}

std::string escape_message(std::string_view text) { return escape(text, "%\r\n"); }
std::string escape_property(std::string_view text) { return escape(text, "%\r\n:,"); }

struct Annotation {
  std::string_view command;
  std::string path;
  python::Position start;
  python::Position end;
  std::string title;
  std::string message;
};

void write_annotation(const Annotation &annotation, std::string &out) {
  write(out, "::{} file={}", annotation.command, escape_property(annotation.path));
  // Lines of a cell are not lines of the notebook's file, so GitHub is told the file alone.
  if (annotation.start.line != 0 && annotation.start.cell == 0) {
    write(out, ",line={},endLine={}", annotation.start.line, annotation.end.line);
    if (annotation.start.column != 0) {
      write(out, ",col={}", annotation.start.column);
      // Columns of two different lines mean nothing to GitHub. Its last column is part of the place.
      if (annotation.start.line == annotation.end.line && annotation.end.column > annotation.start.column) {
        write(out, ",endColumn={}", annotation.end.column - 1);
      }
    }
  }
  std::string message;
  write_place(annotation.path, annotation.start.cell, annotation.start.line, annotation.start.column, message);
  write(message, ": {}", annotation.message);
  write(out, ",title={}::{}\n", escape_property(annotation.title), escape_message(message));
}

Annotation annotation_of(const FileProblem &problem, const Options &options) {
  return {.command = "error",
          .path = path_in_repository(problem.path, options.location),
          .start = {problem.line, problem.column, problem.cell},
          .end = {problem.line, problem.end_column, problem.cell},
          .title = is_unreadable(problem) ? "file not checked" : "syntax error",
          .message = problem.message};
}

Annotation annotation_of(const check::Result &result, const rules::Finding &finding, const Options &options) {
  const Place place = place_of(result, finding.file, finding.span);
  Annotation annotation{.command = levels_of(rules::severity_of(finding)).github,
                        .path = path_in_repository(place.path, options.location),
                        .start = place.start,
                        .end = place.end,
                        .title = fmt::format("{} {}", finding.rule->code, finding.rule->name),
                        .message = fmt::format("{} {}", finding.rule->code, finding.message)};
  if (!finding.advice.empty()) {
    annotation.message += "\nHelp: " + finding.advice;
  }
  return annotation;
}

} // namespace

void write_github(const check::Result &result, const Options &options, std::string &out) {
  for (const FileProblem &problem : file_problems(result)) {
    write_annotation(annotation_of(problem, options), out);
  }
  // GitHub shows the first few of each kind, so the worst come first.
  using rules::Severity;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Advice, Severity::Note}) {
    for (const rules::Finding &finding : result.findings) {
      if (rules::severity_of(finding) == severity) {
        write_annotation(annotation_of(result, finding, options), out);
      }
    }
  }
  // For the log: anything that is not a command is printed as it is.
  write(out, "deepperf: {}\n", counts_sentence(result));
}

} // namespace deepperf::report
