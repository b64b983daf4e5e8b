// A text file that cmake/EmbedText.cmake put into the program. The folder that it is for declares the function that
// gives them, as named in CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace deepperf {

struct EmbeddedText {
  std::string_view file;                    // its name, without folders
  std::span<const std::string_view> chunks; // in order; each ends where a line does
};

} // namespace deepperf
