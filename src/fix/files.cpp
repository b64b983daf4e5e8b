#include "fix/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace deepperf::fix {

namespace {

std::string failure(std::string_view what) {
  return fmt::format("cannot {}: {}", what, std::generic_category().message(errno));
}

// A file that is not there yet; gone again unless it was renamed.
class TempFile {
public:
  explicit TempFile(std::string pattern)
      : path_(std::move(pattern)), descriptor_(::mkostemp(path_.data(), O_CLOEXEC)) {}
  TempFile(const TempFile &) = delete;
  TempFile &operator=(const TempFile &) = delete;
  ~TempFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
      if (!renamed_) {
        ::unlink(path_.c_str());
      }
    }
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        return false;
      }
      bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return true;
  }
  bool rename_to(const std::string &target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

private:
  std::string path_;
  int descriptor_;
  bool renamed_ = false;
};

// Copies what `ls -l` does not show: access lists are attributes, too. Those that the system sets itself may be
// refused.
bool copy_attributes(const std::string &from, int to) {
  const ssize_t size = ::listxattr(from.c_str(), nullptr, 0);
  if (size <= 0) {
    return size == 0 || errno == ENOTSUP;
  }
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t listed = ::listxattr(from.c_str(), names.data(), names.size());
  if (listed < 0) {
    return false;
  }
  names.resize(static_cast<std::size_t>(listed));
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    const char *const name = names.c_str() + at;
    const bool is_of_system =
        std::string_view(name).starts_with("security.") || std::string_view(name).starts_with("trusted.");
    const ssize_t length = ::getxattr(from.c_str(), name, nullptr, 0);
    std::string value(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
    const bool is_copied = length >= 0 && ::getxattr(from.c_str(), name, value.data(), value.size()) == length &&
                           ::fsetxattr(to, name, value.data(), value.size(), 0) == 0;
    if (!is_copied && !is_of_system) {
      return false;
    }
  }
  return true;
}

struct Free {
  void operator()(char *text) const { std::free(text); } // NOLINT: realpath allocates with malloc
};

} // namespace

std::optional<std::string> read_bytes(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    return std::nullopt;
  }
  std::optional<std::string> bytes(std::in_place);
  for (;;) {
    constexpr std::size_t kStep = std::size_t{64} << 10;
    const std::size_t size = bytes->size();
    bytes->resize(size + kStep);
    const ssize_t got = ::read(descriptor, bytes->data() + size, kStep);
    bytes->resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      break;
    }
    if (got < 0 && errno != EINTR) {
      bytes.reset();
      break;
    }
  }
  ::close(descriptor);
  return bytes;
}

std::optional<std::string> reason_to_leave(const std::string &path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_nlink < 2) {
    return std::nullopt; // what cannot be found cannot be written either
  }
  return fmt::format("it has {} hard links, and replacing it would leave the others as they are",
                     static_cast<unsigned long>(status.st_nlink));
}

std::optional<std::string> replace_file(const std::string &path, std::string_view bytes) {
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  struct stat status {};
  if (resolved == nullptr || ::stat(resolved.get(), &status) != 0) {
    return failure("find");
  }
  const std::string target = resolved.get();
  // Renaming would replace a file that its owner has protected from writing.
  if (::access(target.c_str(), W_OK) != 0) {
    return failure("write");
  }
  TempFile file(target.substr(0, target.rfind('/') + 1) + ".deepperf-XXXXXX");
  if (file.descriptor() < 0) {
    return failure("write next to it");
  }
  // The owner first: changing it may clear bits of the mode.
  const bool same_owner = ::fchown(file.descriptor(), status.st_uid, status.st_gid) == 0;
  const mode_t mode = status.st_mode & (same_owner ? 07777U : 0777U);
  if (::fchmod(file.descriptor(), mode) != 0) {
    return failure("write");
  }
  if (!copy_attributes(target, file.descriptor())) {
    return failure("copy its extended attributes");
  }
  if (!file.write(bytes) || ::fsync(file.descriptor()) != 0 || !file.rename_to(target)) {
    return failure("write");
  }
  return std::nullopt;
}

} // namespace deepperf::fix
