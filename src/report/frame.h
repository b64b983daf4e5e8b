// A line of code as reports show it, with or without a place in it underlined.
#pragma once

#include "base/types.h"
#include "report/style.h"

#include <string>
#include <string_view>

namespace deepperf::report {

struct Frame {
  std::string_view line_text;
  u32 line = 0;       // from 1; 0: there is nothing to show
  u32 column = 1;     // of the place, in characters
  u32 end_column = 1; // one past its last character
  bool underline = true;
};

// Long lines are cut around the place; control characters become spaces.
void write_frame(const Frame &frame, std::string_view indent, const Style &style, std::string &out);

// In characters: bytes that do not continue one.
u32 count_characters(std::string_view text);

} // namespace deepperf::report
