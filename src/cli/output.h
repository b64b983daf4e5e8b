// Standard input and output as wholes, and complaints.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace deepperf::cli {

// What is longer than `most` bytes is cut somewhere beyond them: whoever gets it complains about its length.
std::string read_all(std::FILE *stream, std::size_t most);

// To the file or, if `path` is empty, to the stream. False: it could not be written, and standard error says why.
bool write_output(const std::string &path, std::string_view text, std::FILE *stream);

// To standard output, for people: control characters that come from files become visible.
bool write_text(std::string_view text);

// As write_output, for what other programs read: tables, JSON, differences. It must stay as it is, but on a terminal
// control characters in it become visible.
bool write_data(const std::string &path, std::string_view text, std::FILE *stream);

// One message to standard error, after the name of the program. Control characters of file names and the like become
// visible.
void complain(std::string_view message);

} // namespace deepperf::cli
