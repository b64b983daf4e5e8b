// Which file of the project an import means, and which files belong together because of it.
#pragma once

#include "model/project.h"

#include <string_view>

namespace deepperf::model {

// Files that import each other, directly or not, and that use a framework: what the engine looks at together.
using Group = std::vector<ParsedFile *>;

// Groups, largest first. Files that no framework reaches are in none; test code is only where something else imports
// it, unless `with_tests`.
std::vector<Group> group_files(const std::vector<ParsedFile *> &files, bool with_tests);

// The module's path in parts, and the index by last part.
class ModuleIndex {
public:
  explicit ModuleIndex(std::deque<Module> &modules);

  // `dotted` as written; `level` counts the dots of a relative import. Null if it is not of the project.
  [[nodiscard]] const Module *find(const Module &importer, std::string_view dotted, u32 level) const;

private:
  std::unordered_map<std::string_view, std::vector<const Module *>> by_last_part_;
};

// A file's path in parts, without the ending; a package's __init__ is the package.
std::vector<std::string> path_parts(std::string_view path);

// Frameworks and the standard library's modules we know are never files of the project.
bool is_known_package(std::string_view top);

} // namespace deepperf::model
