// Syntax errors of one file, kept to a bounded number.
#pragma once

#include "base/types.h"

#include <string>
#include <utility>
#include <vector>

namespace deepperf::python {

struct Span {
  u32 start = 0;
  u32 end = 0;
};

struct SyntaxError {
  Span span;
  std::string message; // what was expected, or what is wrong
};

struct ErrorList {
  static constexpr std::size_t kMost = 50;

  std::vector<SyntaxError> errors;
  u32 suppressed = 0; // how many more there were
  // Set after an error that makes those after it meaningless, such as a string that is never closed.
  bool muted = false;

  void add(Span span, std::string message) {
    if (muted || errors.size() >= kMost) {
      ++suppressed;
    } else {
      errors.push_back({span, std::move(message)});
    }
  }
};

} // namespace deepperf::python
