// Which configuration file counts for a check, and its text.
#pragma once

#include <optional>
#include <string>

namespace deepperf::config {

struct FoundFile {
  std::string path;   // as people call it: from the current folder, if it lies below
  std::string folder; // absolute
  std::string text;
  bool is_pyproject = false; // then a table of it is meant
};

// The nearest deepperf.toml, or pyproject.toml with a table [tool.deepperf], from the folder of `checked` (a file or
// folder) up to the root. Nothing if there is none. Throws std::runtime_error for one that cannot be read.
std::optional<FoundFile> find_file(const std::string &checked);

// The file that the user names. Throws std::runtime_error if it cannot be read.
FoundFile open_file(const std::string &path);

} // namespace deepperf::config
