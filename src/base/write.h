// Formats to the end of a text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace deepperf {

// Compiled once, while fmt::format_to would be compiled again, with all of its parts, wherever it is called.
void write_formatted(std::string &out, fmt::string_view format, fmt::format_args arguments);

template <class... Arguments>
void write(std::string &out, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
  write_formatted(out, format, fmt::make_format_args(arguments...));
}

} // namespace deepperf
