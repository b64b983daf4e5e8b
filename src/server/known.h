// What the engine knows of values, as an editor shows it: a text for the place under the cursor, and inlay hints.
#pragma once

#include "check/inspection.h"
#include "server/json.h"
#include "server/position.h"

#include <optional>
#include <string>

namespace deepperf::server {

// A text of the editor: a file, or one cell of a notebook.
struct InspectedText {
  const check::Inspection &inspection; // with a module
  u32 cell = 0;                        // of a notebook, from 1
  Encoding encoding = Encoding::Utf16;
};

struct KnownText {
  std::string text; // one paragraph
  Range range;
};

// Nothing if nothing is known that is worth reading.
std::optional<KnownText> known_at(const InspectedText &text, Position position, bool is_markdown);

// What is shown after names that are assigned in the range.
Json inlay_hints(const InspectedText &text, const Range &range);

} // namespace deepperf::server
