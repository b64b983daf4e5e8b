// How to tell, without reading it, that a file is still the one that was read before.
#pragma once

#include "base/types.h"

#include <sys/stat.h>

#include <optional>
#include <string>

namespace deepperf {

// What the system says of a file. Two equal stamps mean the same contents, unless the file changed within one tick of
// the file system's clock. The time of the last change of the inode is part of it because programs can set the other.
struct FileStamp {
  u64 size = 0;
  i64 modified = 0; // in nanoseconds, as is the next one
  i64 changed = 0;
  u64 inode = 0;
  friend bool operator==(const FileStamp &, const FileStamp &) = default;
};

struct FileVersion {
  FileStamp stamp;
  u64 hash = 0; // of the contents
};

FileStamp stamp_of(const struct stat &status);

// Of a regular file; follows symbolic links.
std::optional<FileStamp> find_stamp(const std::string &path);

// True if the file may have changed once more after `moment`, in nanoseconds, without getting another stamp.
bool is_too_recent(const FileStamp &stamp, i64 moment);

// The system's clock, in nanoseconds.
i64 clock_now();

} // namespace deepperf
