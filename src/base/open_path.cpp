#include "base/open_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace deepperf {

namespace {

class Descriptor {
public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(-1); }

  [[nodiscard]] int get() const { return descriptor_; }
  void reset(int descriptor) {
    if (descriptor_ >= 0) {
      const int error = errno;
      ::close(descriptor_);
      errno = error;
    }
    descriptor_ = descriptor;
  }

private:
  int descriptor_;
};

// Goes down until what is left of the path, from `begin` on, is short enough. False: that cannot be done.
bool go_down(const std::string &path, Descriptor &base, std::size_t &begin) {
  while (path.size() - begin >= PATH_MAX) {
    const std::size_t slash = path.rfind('/', begin + PATH_MAX - 1);
    if (slash == std::string::npos || slash <= begin) {
      errno = ENAMETOOLONG;
      return false;
    }
    const std::string part = path.substr(begin, slash - begin);
    const int next = ::openat(base.get(), part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (next < 0) {
      return false;
    }
    base.reset(next);
    begin = slash + 1;
  }
  return true;
}

int open_retried(int folder, const char *path, int flags) {
  int opened = -1;
  do {
    opened = ::openat(folder, path, flags);
  } while (opened < 0 && errno == EINTR);
  return opened;
}

std::optional<std::string> read_open(int file, std::size_t most) {
  struct stat status {};
  if (::fstat(file, &status) != 0) {
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
    return std::nullopt;
  }
  if (static_cast<u64>(status.st_size) > most) {
    errno = EFBIG;
    return std::nullopt;
  }
  // What the system says of a file that grows meanwhile, or of one in /proc, is not what it has.
  std::string bytes;
  for (std::size_t size = 0;;) {
    constexpr std::size_t kStep = std::size_t{64} << 10;
    bytes.resize(std::max(size + kStep, size == 0 ? static_cast<std::size_t>(status.st_size) + 1 : 0));
    const ssize_t got = ::read(file, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno != EINTR) {
      return std::nullopt;
    }
    size += got < 0 ? 0 : static_cast<std::size_t>(got);
    bytes.resize(size);
    if (got == 0) {
      return bytes;
    }
    if (size > most) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

} // namespace

int open_path(const std::string &path, int flags) {
  Descriptor base(AT_FDCWD);
  std::size_t begin = 0;
  return go_down(path, base, begin) ? open_retried(base.get(), path.c_str() + begin, flags) : -1;
}

bool stat_path(const std::string &path, struct stat &status) {
  Descriptor base(AT_FDCWD);
  std::size_t begin = 0;
  return go_down(path, base, begin) && ::fstatat(base.get(), path.c_str() + begin, &status, 0) == 0;
}

std::optional<std::string> read_regular(int folder, const std::string &path, std::size_t most) {
  // Opening a FIFO must not wait for somebody who writes to it.
  const Descriptor file(open_retried(folder, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file.get() < 0 ? std::nullopt : read_open(file.get(), most);
}

std::optional<std::string> read_regular(const std::string &path, std::size_t most) {
  const Descriptor file(open_path(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file.get() < 0 ? std::nullopt : read_open(file.get(), most);
}

} // namespace deepperf
