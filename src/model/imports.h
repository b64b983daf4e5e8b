// Which file of the project an import means, and which files belong together because of it.
#pragma once

#include "model/project.h"

#include <algorithm>
#include <string_view>

namespace deepperf::model {

// Files that import each other, directly or not, and that use a framework: what the engine looks at together.
using Group = std::vector<ParsedFile *>;

// Groups, largest first. Also notes which files reach TensorFlow through others. Files that no framework reaches are in
// none; test code is only where something else imports it, unless `with_tests`.
std::vector<Group> group_files(const std::vector<ParsedFile *> &files, bool with_tests);

// These files and all that they import, directly or not. The sources of a framework count too, if they are among
// `files`.
Group with_imports(const Group &start, const std::vector<ParsedFile *> &files);

// The size of their texts.
u64 bytes_in(const Group &group);

// Adds an import to what the file imports.
void note_import(const ImportRef &import, ParsedFile &file);

// A module with what its file tells; nothing of it is analyzed yet.
Module make_module(const ParsedFile &file);
void add_modules(const std::vector<ParsedFile *> &files, Project &project);

// Finds modules by the last part of their path.
class ModuleIndex {
public:
  explicit ModuleIndex(const std::deque<Module> &modules);

  // What `import dotted` means, or `from dotted import name` if the name is a module; `level` counts the dots of a
  // relative import. Null if it is not of the project.
  [[nodiscard]] const Module *find(const Module &importer, Symbol dotted, Symbol name, u32 level) const;

private:
  // The symbols between the dots.
  [[nodiscard]] const std::vector<Symbol> &split(Symbol dotted) const;

  std::unordered_map<u32, std::vector<const Module *>> by_last_part_;
  mutable std::unordered_map<u32, std::vector<Symbol>> split_; // what was asked for so far
};

// Calls `visit` with each part of a path, the last one without its ending.
template <class Visit> void for_each_path_part(std::string_view path, Visit visit) {
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    std::string_view part = path.substr(start, slash - start);
    if (slash == path.size()) {
      part = part.substr(0, part.rfind('.'));
    }
    if (!part.empty() && part != ".") {
      visit(part);
    }
    start = slash + 1;
  }
}

// Frameworks and the standard library's modules we know: what they have is in the tables, and never taken from files of
// the project.
bool is_known_package(std::string_view top);

} // namespace deepperf::model
