// The few questions about Unicode that the lexer has, answered by ICU. Only text that is not ASCII gets here.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>

namespace deepperf::python {

// How many bytes at the start of `text` form an identifier (XID_Start XID_Continue*, as PEP 3131 wants); 0 if none do.
u32 identifier_length(std::string_view text);

// Bytes of the first character of a text that is not empty; 1 where it is not valid UTF-8.
u32 character_length(std::string_view text);

// NFKC, as Python normalises identifiers.
void normalize_identifier(std::string_view text, std::string &out);

} // namespace deepperf::python
