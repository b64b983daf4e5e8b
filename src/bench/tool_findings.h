// What another analyser reports, read from its SARIF or JSON.
#pragma once

#include "base/types.h"

#include <string>
#include <vector>

namespace deepperf::bench {

struct ToolFinding {
  std::string path;
  u32 line = 0;
  std::string rule;
};

struct ToolFindings {
  std::string tool; // as it calls itself, or the file's name
  std::vector<ToolFinding> findings;
};

// SARIF; or a list in JSON as pylint, ruff and ast-grep write it, or our own. Throws std::runtime_error for anything
// else.
ToolFindings read_tool_findings(const std::string &file);
ToolFindings parse_tool_findings(const std::string &text, const std::string &name);

} // namespace deepperf::bench
