// Edits of a notebook's code as edits of its JSON, so that all the rest of the file stays as it is, byte for byte.
#pragma once

#include "python/source.h"
#include "rules/finding.h"

#include <optional>
#include <string_view>
#include <vector>

namespace deepperf::fix {

// `edits` are sorted, do not overlap and count in the text of `source`, which was read from `json`. Nothing if an edit
// crosses cells, or if the JSON is not what the source was read from.
std::optional<std::vector<rules::Edit>> edits_in_json(std::string_view json, const python::Source &source,
                                                      const std::vector<rules::Edit> &edits);

// The lines of the JSON, counted from 1, that a place in the source comes from; nothing in the same cases.
struct JsonLines {
  u32 first = 0;
  u32 last = 0;
};
std::optional<JsonLines> lines_in_json(std::string_view json, const python::Source &source, python::Span span);

} // namespace deepperf::fix
