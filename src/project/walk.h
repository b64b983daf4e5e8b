// Phase 1: which files to check.
//
// Folders are searched for .py, .pyw and .ipynb files, less what git would ignore and what is not the user's own code
// (virtual environments, build output, caches). What the user names is taken whatever it is called. Symbolic links to
// folders, and those to files outside of the folders that the user named, are not followed.
#pragma once

#include "project/exclusions.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::project {

struct WalkOptions {
  // Off: enter everything but the version control systems' own folders.
  bool respect_ignore = true;
  // If set, what else is left out. Counts only with `respect_ignore`.
  const Exclusions *exclude = nullptr;
  // If set, called for every folder before it is read, with its path as those of its files begin: with a slash at its
  // end, and empty for the current folder.
  std::function<void(const std::string &folder)> on_folder = nullptr;
};

// By the ending of its name.
bool is_python_name(std::string_view name);

// Calls on_file once for every file, in no particular order, with a path that starts with what was given. What cannot
// be read is told to on_error, and the rest goes on. Names are bytes as the system has them, not necessarily UTF-8.
void walk(const std::vector<std::string> &paths, const WalkOptions &options,
          const std::function<void(std::string path)> &on_file,
          const std::function<void(std::string path, std::string message)> &on_error);

} // namespace deepperf::project
