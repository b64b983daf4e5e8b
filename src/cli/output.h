// Standard input and output as wholes.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace deepperf::cli {

std::string read_all(std::FILE *stream);

// To the file or, if `path` is empty, to the stream. False: it could not be written, and standard error says why.
bool write_output(const std::string &path, std::string_view text, std::FILE *stream);

} // namespace deepperf::cli
