// Terminal colours by what they are for; all empty where there is no colour.
#pragma once

#include <string_view>

namespace deepperf::report {

struct Style {
  std::string_view bold = {};
  std::string_view red = {};
  std::string_view yellow = {};
  std::string_view blue = {};
  std::string_view green = {};
  std::string_view dim = {};
  std::string_view reset = {};
};

inline constexpr Style kPlain{};
inline constexpr Style kColored{"\x1b[1m", "\x1b[1;31m", "\x1b[33m", "\x1b[34m", "\x1b[32m", "\x1b[2m", "\x1b[0m"};

} // namespace deepperf::report
