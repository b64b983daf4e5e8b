// Something that the user named and that cannot be used, such as a damaged baseline: said as it is, with exit status 2.
#pragma once

#include <stdexcept>

namespace deepperf::cli {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace deepperf::cli
