// What the severities are called where others define the words.
#pragma once

#include "rules/finding.h"

#include <string_view>

namespace deepperf::report {

struct Levels {
  std::string_view sarif;  // level of a result
  std::string_view github; // workflow command
  std::string_view gitlab; // severity in a Code Quality report
};

constexpr Levels levels_of(rules::Severity severity) {
  switch (severity) {
  case rules::Severity::Error:
    return {"error", "error", "critical"};
  case rules::Severity::Warning:
    return {"warning", "warning", "major"};
  case rules::Severity::Advice:
    return {"note", "notice", "minor"};
  default:
    return {"note", "notice", "info"};
  }
}

// Something that has to be dealt with, and not only an opportunity.
constexpr bool is_problem(rules::Severity severity) { return severity >= rules::Severity::Warning; }

} // namespace deepperf::report
