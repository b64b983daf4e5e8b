// What the environment says.
#pragma once

#include <cstdlib>
#include <string_view>

namespace deepperf::cli {

// Empty if it is not set.
inline std::string_view environment(const char *name) {
  const char *const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string_view() : std::string_view(value);
}

} // namespace deepperf::cli
