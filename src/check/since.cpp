#include "check/since.h"

#include <algorithm>
#include <limits>

namespace deepperf::check {

namespace {

DiskLines lines_of(const CheckedFile &file, python::Span span, const NotebookLines &notebook_lines) {
  constexpr DiskLines kWhole{1, std::numeric_limits<u32>::max()};
  if (file.source == nullptr) {
    return kWhole;
  }
  if (file.source->is_notebook) {
    return notebook_lines(file, span).value_or(kWhole);
  }
  // The character after the last one may be on the next line.
  const u32 last = std::max(span.start, span.end == 0 ? 0 : span.end - 1);
  return {file.source->line_column(span.start).line, file.source->line_column(last).line};
}

} // namespace

void keep_changed(Result &result, project::ChangedLines &changed, const NotebookLines &notebook_lines) {
  const auto is_changed = [&](FileIndex index, python::Span span) {
    const CheckedFile &file = result.files[index.value];
    const DiskLines lines = lines_of(file, span, notebook_lines);
    return changed.touch(file.path, lines.first, lines.last);
  };
  result.hidden.unchanged += std::erase_if(result.findings, [&](const rules::Finding &finding) {
    return !is_changed(finding.file, finding.span) && std::ranges::none_of(finding.notes, [&](const rules::Note &note) {
      return is_changed(note.file, note.span);
    });
  });
}

} // namespace deepperf::check
