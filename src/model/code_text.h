// The text of a file as far as it is code: what comments and docstrings say must not decide what a rule thinks of it.
#pragma once

#include "model/project.h"

#include <string_view>

namespace deepperf::model {

// The file's text with spaces in the place of comments and docstrings, so that everything else stands where it stood.
std::string_view code_of(const Module &module);

// The part of it that a node takes; empty for a module's own code.
std::string_view code_of(const Module &module, const python::Node *node);

} // namespace deepperf::model
