// Reading a file as it is, and replacing it as a whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::fix {

// Nothing if it is no regular file, or cannot be read, or is larger than any source may be.
std::optional<std::string> read_bytes(const std::string &path);

// Why a file that could be replaced should not be: it has other names, which would keep the old bytes.
std::optional<std::string> reason_to_leave(const std::string &path);

// The file must be there, and a regular one; see base/write_file.h. Gives back what went wrong, or nothing.
std::optional<std::string> replace_file(const std::string &path, std::string_view bytes);

} // namespace deepperf::fix
