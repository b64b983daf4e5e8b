// Whole files.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::study {

// Throw std::runtime_error with path and reason. At most 2 GiB are read; base/write_file.h tells how is written.
std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view bytes);

} // namespace deepperf::study
