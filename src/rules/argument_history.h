// Which arguments libraries have renamed or removed, and since which version.
#pragma once

#include "base/symbol.h"

#include <string_view>

namespace deepperf::rules {

struct RenamedArgument {
  std::string_view api; // a canonical name, or a method of a kind of value; `*` stands for any text
  std::string_view keyword;
  std::string_view package;
  std::string_view since;        // deprecated since that version
  std::string_view instead;      // what to write
  std::string_view renamed_to;   // a keyword that takes the same values; empty if there is none
  std::string_view removed = {}; // since that version the call fails; empty if it does not
  std::string_view ignored = {}; // since that version, and before `removed`, the argument has no effect
};

// Null if nothing has happened to the argument.
const RenamedArgument *find_renamed_argument(std::string_view api, Symbol keyword);

// Has any API lost an argument of that name?
bool is_renamed_somewhere(Symbol keyword);

} // namespace deepperf::rules
