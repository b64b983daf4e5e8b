// Formats to the end of a text.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace deepperf {

template <class... Arguments>
void write(std::string &out, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

} // namespace deepperf
