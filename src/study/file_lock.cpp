#include "study/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace deepperf::study {

namespace {

[[noreturn]] void fail(const std::string &path) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
}

// False: the other run has finished, and the file that was opened has another name now.
bool is_still(int file, const std::string &path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

} // namespace

FileLock::FileLock(const std::string &path) : path_(path) {
  for (;;) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file_ < 0) {
      fail(path);
    }
    // A file system that knows no locks gives another error, and then there is none.
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file_);
      throw std::runtime_error(
          fmt::format("another run of deepperf is writing {}; wait for it to finish, or choose another output", path));
    }
    if (is_still(file_, path)) {
      return;
    }
    ::close(file_);
  }
}

FileLock::~FileLock() { ::close(file_); }

void FileLock::clear() {
  if (::ftruncate(file_, 0) != 0) {
    fail(path_);
  }
}

} // namespace deepperf::study
