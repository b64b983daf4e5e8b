// The Markdown of rule pages, as a terminal shows it.
#pragma once

#include "base/types.h"
#include "report/style.h"

#include <string>
#include <string_view>

namespace deepperf::report {

// Headings, paragraphs, lists, code blocks, inline code, emphasis and links: what our own pages use. Paragraphs are
// wrapped at `width`; code is indented and never wrapped.
void write_markdown(std::string_view markdown, u32 width, const Style &style, std::string &out);

} // namespace deepperf::report
