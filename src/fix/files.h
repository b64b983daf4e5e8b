// Reading a file as it is, and replacing it as a whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::fix {

std::optional<std::string> read_bytes(const std::string &path);

// Why a file that could be replaced should not be: it has other names, which would keep the old bytes.
std::optional<std::string> reason_to_leave(const std::string &path);

// Writes next to the file and renames, so that whoever reads it sees the old bytes or the new ones. Mode, access lists,
// other extended attributes and, where allowed, owner stay; a symlink stays one, and what it points to is replaced.
// Gives back what went wrong, or nothing.
std::optional<std::string> replace_file(const std::string &path, std::string_view bytes);

} // namespace deepperf::fix
