// A check's result as text, to compare it with another one.
#pragma once

#include "check/result.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace deepperf::check {

// Everything that a report could print, by way of the sources.
inline std::string described(const Result &result) {
  std::string text = fmt::format("{} files, {} bytes\n", result.file_count, result.byte_count);
  const auto place = [&](FileIndex file, python::Span span) {
    const CheckedFile &checked = result.files[file.value];
    const python::Position start = checked.source->position(span.start);
    return fmt::format("{}:{}:{}:{} {}", checked.path, start.cell, start.line, start.column,
                       checked.source->part(span.start, span.end));
  };
  for (const rules::Finding &finding : result.findings) {
    text += fmt::format("{} {} {} {} {}\n", place(finding.file, finding.span), finding.rule->code,
                        static_cast<int>(finding.tier), finding.message, finding.advice);
    for (const rules::Note &note : finding.notes) {
      text += fmt::format("  {} {}\n", place(note.file, note.span), note.message);
    }
    for (const rules::Edit &edit : finding.fix ? finding.fix->edits : std::vector<rules::Edit>{}) {
      text +=
          fmt::format("  {} {} {}\n", finding.fix->safe, place(finding.file, {edit.start, edit.end}), edit.replacement);
    }
  }
  for (const FileError &error : result.errors) {
    text += fmt::format("{} {} {}:{}-{}:{} {} {}\n", result.files[error.file.value].path, static_cast<int>(error.level),
                        error.line, error.column, error.end_column, error.cell, error.message, error.line_text);
  }
  for (const CheckedFile &file : result.files) {
    text += fmt::format("{} {} {}\n", file.path, file.suppressed_errors, file.source != nullptr);
  }
  return text;
}

} // namespace deepperf::check
