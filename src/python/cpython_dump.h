// Our tree as CPython's own text for it: exactly what Python 3.11 prints for `ast.dump(ast.parse(source))`, so that the
// parser can be checked against CPython on whatever Python there is.
#pragma once

#include "python/parser.h"
#include "python/source.h"

#include <string>

namespace deepperf::python {

// One line, without a line end. `attributes` is ast.dump's include_attributes: places too, with 3.11's quirks.
// What 3.11 has no node for prints in the same style under the name it has in later versions, else under ours.
void dump_cpython(const Source &source, const Tree &tree, bool attributes, std::string &out);

} // namespace deepperf::python
