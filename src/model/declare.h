// Phase 3: what the tree of a file alone tells. Numbers functions, classes, loops and calls, finds the names that each
// function binds, and which modules its imports mean. Nothing of it changes afterwards.
#pragma once

#include "model/imports.h"
#include "model/project.h"

#include <unordered_map>
#include <vector>

namespace deepperf::model {

// Fills functions, classes, loops and places for callees of the project's modules.
void declare(Project &project, const ModuleIndex &index);

// For who wants to declare a module again, when its file has changed.
struct Declared {
  // What a module has declared: where that stands in the project's lists, with some room for more, and what others see
  // of it.
  struct Part {
    struct Range {
      u32 first = 0;
      u32 last = 0;
    };
    Range functions;
    Range classes;
    Range loops;
    Range calls;
    u64 interface = 0;                 // a hash of what code of other files may ask for
    std::vector<u32> mentioned;        // names and attributes that it reads, as symbols, sorted
    std::vector<u32> stored_elsewhere; // its part of the project's
  };
  std::vector<Part> modules;
  std::unordered_map<u32, u32> mentions; // of each name, by how many modules
};
void declare(Project &project, const ModuleIndex &index, Declared &declared);

// Puts what the files of these modules have now in the place of what they had. False if that does not fit: if there
// are more or fewer functions or classes, if other files would see something else of a module before anything is
// solved, or if it opens modules of the project by `import *`. The project is of no use then.
bool declare_again(Project &project, const ModuleIndex &index, const std::vector<bool> &is_changed, Declared &declared);

// Does a decorator, also in functions inside of it, never call what it is given? Then it only puts it into a table.
bool only_keeps(const Project &project, const FunctionInfo &decorator);

// Does `from module import *` bind the name?
bool is_exported(const Module &module, Symbol name);

} // namespace deepperf::model
