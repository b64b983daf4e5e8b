// Reads a configuration file: every value is checked against the table of keys, so that what is in Settings is right.
#pragma once

#include "config/file.h"
#include "config/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::config {

struct Problem {
  Place place;
  std::string message;
};

struct Reading {
  Settings settings;
  std::vector<Problem> problems; // in the order of the file
};

Reading read(const FoundFile &file);

// Whether the text of a pyproject.toml has a table [tool.deepperf]. Text that is not TOML may have one.
bool has_tool_table(std::string_view text);

// `deepperf.toml:3:1: unknown key 'ingore'; did you mean 'ignore'?`
std::string describe(std::string_view file, const Problem &problem);

} // namespace deepperf::config
