// A file together with those of its project that it belongs to, analyzed: for commands that look at one file.
#pragma once

#include "model/project.h"

#include <functional>
#include <string>
#include <vector>

namespace deepperf::check {

// Calls `use` with the project and the file's module. `around` are more files and folders; if it is empty, the file's
// repository counts if the file imports something of it. Returns what went wrong, or nothing.
std::string with_project_around(const std::string &path, const std::vector<std::string> &around,
                                const std::function<void(const model::Project &, const model::Module &)> &use);

// Do two paths name one file, by whatever way?
bool is_same_file(const std::string &a, const std::string &b);

} // namespace deepperf::check
