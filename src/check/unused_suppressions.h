// Comments that silence nothing, so that they can go.
#pragma once

#include "check/result.h"

#include <string>
#include <vector>

namespace deepperf::check {

struct UnusedSuppression {
  FileIndex file;
  python::Position position;
  std::string comment;                // as it stands in the file
  std::vector<std::string> selectors; // those that silence nothing; empty: the whole comment does
  std::string reason;                 // that the comment gives
  bool is_too_late = false;           // it is about the whole file, but too far down to count
};

// Looks at our own comments, and at `noqa` comments that name only rules of ours. `result` must hold everything that
// all rules found, hints and test code included, before comments were asked. Reads the files again that have no
// findings.
std::vector<UnusedSuppression> find_unused_suppressions(const Result &result);

} // namespace deepperf::check
