// The folder that caches are kept in: one file per set of checked paths.
//
// Nothing here is an error to anybody: a cache that cannot be read or written is one that is not there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::check {

// $XDG_CACHE_HOME/deepperf or ~/.cache/deepperf; empty if neither is known.
std::string default_cache_folder();

// Only from a folder and a file that belong to the user and that nobody else may write to.
std::optional<std::string> read_cache_file(const std::string &folder, const std::string &name);

// Makes the folder if need be. Who reads meanwhile sees the old bytes or the new ones. Then removes files that are old,
// and the oldest ones while all together are too large.
void write_cache_file(const std::string &folder, const std::string &name, std::string_view bytes);

} // namespace deepperf::check
