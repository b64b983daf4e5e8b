// Only findings that have to do with what somebody has changed.
#pragma once

#include "check/result.h"
#include "project/changed_lines.h"

#include <functional>
#include <optional>

namespace deepperf::check {

// The first and the last line, in the file as it is on disk, of a place in a notebook; nothing: the whole file.
struct DiskLines {
  u32 first = 0;
  u32 last = 0;
};
using NotebookLines = std::function<std::optional<DiskLines>(const CheckedFile &file, python::Span span)>;

// Takes out findings of which neither the place nor one of the notes is on a changed line, and counts them.
void keep_changed(Result &result, project::ChangedLines &changed, const NotebookLines &notebook_lines);

} // namespace deepperf::check
