// Patterns that the user has set, in the form of .gitignore but for a folder of their own.
#pragma once

#include "project/gitignore.h"

#include <string>
#include <string_view>

namespace deepperf::project {

struct Exclusions {
  std::string folder; // that the patterns are relative to: absolute, without a slash at its end unless it is the root
  IgnoreRules rules;
  bool replace_usual = false; // virtual environments, build folders and caches are left out only if a pattern says so
};

// The path as an absolute one, without `.` and `..`. Links are not followed: patterns are about names.
std::string absolute_name(const std::string &path);

// What comes after `folder` in the path, both absolute; empty if the path does not lie below it.
std::string_view below(std::string_view folder, std::string_view path);

// Whether the rules name this file, or a folder that it is in. `path` is relative to the folder of the rules.
bool covers(const IgnoreRules &rules, std::string_view path);

} // namespace deepperf::project
