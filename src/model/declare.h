// Phase 3: what the tree of a file alone tells. Numbers functions, classes, loops and calls, finds the names that each
// function binds, and which modules its imports mean. Nothing of it changes afterwards.
#pragma once

#include "model/imports.h"
#include "model/project.h"

namespace deepperf::model {

// Fills functions, classes, loops and places for callees of the project's modules.
void declare(Project &project, const ModuleIndex &index);

// Does `from module import *` bind the name?
bool is_exported(const Module &module, Symbol name);

} // namespace deepperf::model
