// Which commit of its repository a folder is at.
#pragma once

#include <string>

namespace deepperf::project {

// The first digits of HEAD, with "+" at the end if files have changed since; empty outside of repositories.
std::string head_commit(const std::string &folder);

} // namespace deepperf::project
