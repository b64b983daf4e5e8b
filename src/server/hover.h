// What an editor shows for the place under the cursor: the findings there, and the pages of their rules.
#pragma once

#include "check/result.h"
#include "server/json.h"
#include "server/places.h"

#include <string_view>

namespace deepperf::server {

// Null if nothing was found there. `is_markdown`: the editor can show it.
Json hover_at(const check::Result &result, const Places &places, FileIndex file, std::string_view uri,
              Position position, bool is_markdown);

} // namespace deepperf::server
