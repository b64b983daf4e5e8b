// Which fixes can be made in a text that may not be saved, and the edits that make them.
#pragma once

#include "check/result.h"
#include "server/json.h"
#include "server/places.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace deepperf::server {

// The edits of those fixes that can be made together: none collides with one before it, and the program still parses.
// `bytes` are those of the file that was checked.
std::vector<rules::Edit> edits_together(const check::Result &result, FileIndex file, const std::string &bytes,
                                        std::span<const rules::Finding *const> findings);

// The comment that silences the finding, as an edit. Nothing if there is no place for it.
std::optional<rules::Edit> suppressing_edit(const check::CheckedFile &file, const rules::Finding &finding);

// As the protocol's WorkspaceEdit. Null if an edit goes across cells of a notebook.
Json workspace_edit(const std::vector<rules::Edit> &edits, FileIndex file, const Places &places,
                    const Documents &documents, bool has_versions);

} // namespace deepperf::server
