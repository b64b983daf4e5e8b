// Which file of the project an import means.
#pragma once

#include "model/project.h"

#include <string_view>

namespace deepperf::model {

// The module's path in parts, and the index by last part.
class ModuleIndex {
public:
  explicit ModuleIndex(std::deque<Module> &modules);

  // `dotted` as written; `level` counts the dots of a relative import. Null if it is not of the project.
  [[nodiscard]] const Module *find(const Module &importer, std::string_view dotted, u32 level) const;

private:
  std::unordered_map<std::string_view, std::vector<const Module *>> by_last_part_;
};

// Frameworks and the standard library's modules we know are never files of the project.
bool is_known_package(std::string_view top);

} // namespace deepperf::model
