// Code as reports show it, with a place in it marked.
#pragma once

#include "base/types.h"
#include "report/place.h"
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

struct FrameOptions {
  std::string_view indent;
  u32 width = 100; // of the shown code, in characters
};

// Long lines are cut around the place; control characters become spaces.
void write_frame(const Frame &frame, const FrameOptions &options, const Style &style, std::string &out);

// The code at a place with all its lines; of a very long place the first and the last ones.
void write_code(const Place &place, python::Span span, const FrameOptions &options, const Style &style,
                std::string &out);
// Its first line, without a mark.
void write_line(const Place &place, python::Span span, const FrameOptions &options, const Style &style,
                std::string &out);

// In characters: bytes that do not continue one.
u32 count_characters(std::string_view text);

} // namespace deepperf::report
