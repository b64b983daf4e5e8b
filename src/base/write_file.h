// Writing a file as a whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf {

// What a symbolic link names, through all further ones, also where there is no such file yet.
std::string link_target(const std::string &path);

// A regular file is written next to the old one and renamed, so that whoever reads it sees the old bytes or the new
// ones, and a full disk leaves the old ones; mode, access lists, other extended attributes and, where allowed, owner
// stay. What a link names is written, and the link stays. Devices, FIFOs and open descriptors (/dev/stdout, /dev/fd/3)
// are written through. Gives back what went wrong, or nothing.
std::optional<std::string> write_file(const std::string &path, std::string_view bytes);

} // namespace deepperf
