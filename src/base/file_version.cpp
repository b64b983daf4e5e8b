#include "base/file_version.h"

#include "base/open_path.h"

#include <algorithm>
#include <ctime>

namespace deepperf {

namespace {

constexpr i64 kSecond = 1'000'000'000;
constexpr i64 kCoarsestTick = 2 * kSecond; // of a file system's clock: FAT's

i64 nanoseconds(const timespec &time) { return i64{time.tv_sec} * kSecond + time.tv_nsec; }

} // namespace

FileStamp stamp_of(const struct stat &status) {
  return {static_cast<u64>(status.st_size), nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), status.st_ino};
}

std::optional<FileStamp> find_stamp(const std::string &path) {
  struct stat status {};
  if (!stat_path(path, status) || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return stamp_of(status);
}

bool is_too_recent(const FileStamp &stamp, i64 moment) {
  return std::max(stamp.modified, stamp.changed) >= moment - kCoarsestTick;
}

i64 clock_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

} // namespace deepperf
