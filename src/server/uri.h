// Files as editors name them (`file:///home/me/a%20b.py`), and as the system does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::server {

// Nothing if it does not name a file of this machine.
std::optional<std::string> path_of_uri(std::string_view uri);
// `path` is absolute.
std::string uri_of_path(std::string_view path);

} // namespace deepperf::server
