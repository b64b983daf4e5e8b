// Whole files.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::study {

// Throw std::runtime_error with path and reason. `write_file` writes next to the file and renames: it is there as a
// whole or not at all.
std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view bytes);

} // namespace deepperf::study
