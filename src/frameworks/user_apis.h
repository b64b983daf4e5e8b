// Functions that the user has told us about, next to those of the tables.
#pragma once

#include "frameworks/frameworks.h"

#include <span>
#include <string>

namespace deepperf {

struct UserApi {
  std::string name; // as programs import it
  Kind returns = Kind::Unknown;
};

// Adds to the tables, where it wins over what they say. Only while nobody looks something up.
void add_user_apis(std::span<const UserApi> apis);

} // namespace deepperf
