// Names that the user wants to get rid of, next to those that the libraries have deprecated.
#pragma once

#include "rules/site.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::rules {

struct UserDeprecation {
  std::string name;    // as programs import it, or as the project defines it
  std::string message; // what to use instead, in the user's words
  std::string where;   // the file and line that says so
};

// Only while no rules run, and before they run for the first time.
void set_user_deprecations(std::vector<UserDeprecation> deprecations);

// The one that an expression names; null if there is none.
const UserDeprecation *user_deprecation_of(const Site &site, const python::Node &node);

// The last parts of all their names.
std::vector<std::string_view> user_deprecated_names();

} // namespace deepperf::rules
