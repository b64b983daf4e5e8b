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

} // namespace deepperf::fix
