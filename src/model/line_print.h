// What the engine knows of one line, as text for people: `deepperf debug why`.
#pragma once

#include "model/project.h"
#include "python/syntax_error.h"

#include <string>

namespace deepperf::model {

// The function and the loops that the line stands in, and what is known of each of its expressions.
void print_line(const Project &project, const Module &module, python::Span line, std::string &out);

} // namespace deepperf::model
