// Opening files that others may have put there.
#pragma once

#include "base/types.h"

#include <optional>
#include <string>
#include <sys/stat.h>

namespace deepperf {

// As ::open, for paths of any length: what is longer than the system takes at once is opened part by part. -1 and errno
// on failure.
int open_path(const std::string &path, int flags);

// As ::stat, likewise.
bool stat_path(const std::string &path, struct stat &status);

// The bytes of a regular file of at most `most` bytes; nothing for all others, with the reason in errno. Devices, FIFOs
// and sockets are never waited for, and what is too large (EFBIG) is not read. Seen from `folder`, a descriptor.
std::optional<std::string> read_regular(int folder, const std::string &path, std::size_t most);
std::optional<std::string> read_regular(const std::string &path, std::size_t most);

} // namespace deepperf
