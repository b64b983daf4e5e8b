// What an editor shows for the place under the cursor: what the value is, the findings there, and their rules' pages.
#pragma once

#include "check/result.h"
#include "server/json.h"
#include "server/known.h"
#include "server/places.h"

#include <string_view>

namespace deepperf::server {

// What is known of the value there comes first. Null if there is neither that nor a finding. `is_markdown`: the editor
// can show it.
Json hover_at(const check::Result &result, const Places &places, FileIndex file, std::string_view uri,
              Position position, const std::optional<KnownText> &known, bool is_markdown);

} // namespace deepperf::server
