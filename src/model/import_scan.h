// What a file imports, told from its text alone: enough to find out which files belong together before they are parsed.
#pragma once

#include "base/symbol.h"
#include "model/project.h"
#include "python/source.h"

namespace deepperf::model {

// Fills frameworks and imports, with all that the tree will tell and perhaps more: `import x` in a string counts too.
// False if only the parser can tell.
bool scan_imports(const python::Source &source, LocalSymbols &symbols, ParsedFile &file);

} // namespace deepperf::model
