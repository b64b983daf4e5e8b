#include "project/exclusions.h"

#include <filesystem>

namespace deepperf::project {

std::string absolute_name(const std::string &path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path.empty() ? "." : path, error);
  std::string name = error ? path : absolute.lexically_normal().string();
  while (name.size() > 1 && name.ends_with('/')) {
    name.pop_back();
  }
  return name;
}

std::string_view below(std::string_view folder, std::string_view path) {
  if (folder.ends_with('/')) { // the root
    folder.remove_suffix(1);
  }
  const bool is_below = path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '/';
  return is_below ? path.substr(folder.size() + 1) : std::string_view();
}

bool covers(const IgnoreRules &rules, std::string_view path) {
  // The outermost folder that a pattern names decides: what lies in it cannot be taken back in, as with git.
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (lint(rules, path.substr(0, slash), true) == Verdict::Ignore) {
      return true;
    }
  }
  return !path.empty() && lint(rules, path, false) == Verdict::Ignore;
}

} // namespace deepperf::project
