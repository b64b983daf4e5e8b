// The text files that cmake/EmbedText.cmake put into the program.
#pragma once

#include <span>
#include <string_view>

namespace deepperf {

struct EmbeddedText {
  std::string_view file;                    // its name, without folders
  std::span<const std::string_view> chunks; // in order; each ends where a line does
};

std::span<const EmbeddedText> embedded_texts();

} // namespace deepperf
