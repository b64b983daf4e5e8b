// `from x import *` between files of the project.
#pragma once

#include "model/imports.h"
#include "model/project.h"

namespace deepperf::model {

// Fills the module's exports with the names in its `__all__`.
void read_exports(Module &module);

// Gives modules the names that they open with `import *`.
void collect_stars(Project &project, const ModuleIndex &index);

} // namespace deepperf::model
