// The tokens of a source as text for people (`deepperf debug tokens FILE`).
#pragma once

#include "base/symbol.h"
#include "python/source.h"

#include <string>

namespace deepperf::python {

// One token a line: place, name, text.
void dump_tokens(const Source &source, LocalSymbols &symbols, std::string &out);

} // namespace deepperf::python
