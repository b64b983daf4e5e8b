#include "base/write_file.h"

#include "base/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace deepperf {

namespace {

std::string failure(std::string_view what) {
  return fmt::format("cannot {}: {}", what, std::generic_category().message(errno));
}

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

// A descriptor of this process that the path stands for; negative if it is none. What it is open on may be a file that
// somebody appends to: it must not be replaced, nor opened again.
int descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") {
    return STDOUT_FILENO;
  }
  if (path == "/dev/stderr") {
    return STDERR_FILENO;
  }
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    if (path.starts_with(prefix) &&
        std::from_chars(path.data() + prefix.size(), path.data() + path.size(), number).ptr ==
            path.data() + path.size()) {
      return number;
    }
  }
  return -1;
}

std::optional<std::string> write_through(int descriptor, std::string_view bytes) {
  if (descriptor < 0) {
    return failure("write");
  }
  const bool written = write_all(descriptor, bytes);
  const int error = errno;
  const bool closed = ::close(descriptor) == 0;
  errno = written ? errno : error;
  return written && closed ? std::nullopt : std::optional(failure("write"));
}

std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

std::optional<std::string> create(const std::string &path, std::string_view bytes) {
  constexpr unsigned kUsualMode = 0666;
  TemporaryFile file(folder_of(path), kUsualMode);
  if (file.descriptor() < 0 || !file.write(bytes) || ::fsync(file.descriptor()) != 0 || !file.rename_to(path)) {
    return failure("write");
  }
  return std::nullopt;
}

std::optional<std::string> replace(const std::string &path, const struct stat &before, std::string_view bytes) {
  // Renaming would replace a file that its owner has protected from writing.
  if (::access(path.c_str(), W_OK) != 0) {
    return failure("write");
  }
  constexpr unsigned kOwnerOnly = 0600; // until it is what the old one is
  TemporaryFile file(folder_of(path), kOwnerOnly);
  if (file.descriptor() < 0) {
    return failure("write next to it");
  }
  // The owner first: changing it may clear bits of the mode.
  const bool same_owner = ::fchown(file.descriptor(), before.st_uid, before.st_gid) == 0;
  const mode_t mode = before.st_mode & (same_owner ? 07777U : 0777U);
  if (::fchmod(file.descriptor(), mode) != 0) {
    return failure("write");
  }
  if (!copy_attributes(path, file.descriptor())) {
    return failure("copy its extended attributes");
  }
  if (!file.write(bytes) || ::fsync(file.descriptor()) != 0 || !file.rename_to(path)) {
    return failure("write");
  }
  return std::nullopt;
}

} // namespace

std::string link_target(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = path;
  constexpr int kMostLinks = 40; // as many as the system follows
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(at, error)); ++i) {
    const fs::path target = fs::read_symlink(at, error);
    if (error) {
      break;
    }
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at.string();
}

std::optional<std::string> write_file(const std::string &path, std::string_view bytes) {
  if (const int descriptor = descriptor_named(path); descriptor >= 0) {
    return write_through(::dup(descriptor), bytes);
  }
  // The system is asked before any link is read: it refuses those that strangers put into a folder like /tmp.
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    return failure("write");
  }
  const std::string target = link_target(path);
  if (!exists) {
    return create(target, bytes);
  }
  if (!S_ISREG(status.st_mode)) {
    return write_through(::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY), bytes);
  }
  return replace(target, status, bytes);
}

} // namespace deepperf
