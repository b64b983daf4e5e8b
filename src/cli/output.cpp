#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace deepperf::cli {

namespace {

bool fail(const std::string &path) {
  const char *const reason = std::strerror(errno); // NOLINT(concurrency-mt-unsafe): nothing else runs any more
  std::fprintf(stderr, "deepperf: cannot write %s: %s\n", path.empty() ? "the output" : path.c_str(), reason);
  return false;
}

} // namespace

std::string read_all(std::FILE *stream) {
  std::string text;
  std::array<char, 65536> room; // NOLINT(cppcoreguidelines-pro-type-member-init): fread fills it
  for (;;) {
    const std::size_t got = std::fread(room.data(), 1, room.size(), stream);
    if (got == 0) {
      break;
    }
    text.append(room.data(), got);
  }
  if (std::ferror(stream) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read standard input");
  }
  return text;
}

namespace {

bool write_to(std::FILE *file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

// What a symbolic link names, where there is such a file; else the path itself.
std::string resolved(const std::string &path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

bool is_regular_or_new(const std::string &path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// A new file in the same folder that takes the place of the old one once all is written: a full disk leaves the old
// one.
bool replace(const std::string &path, std::string_view text) {
  struct stat before {};
  const bool exists = ::stat(path.c_str(), &before) == 0;
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return false;
  }
  const std::size_t slash = path.rfind('/');
  std::string name = path.substr(0, slash == path.npos ? 0 : slash + 1) + ".deepperf-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? before.st_mode & 07777U : 0666U & ~mask;
  std::FILE *const file = ::fchmod(descriptor, mode) == 0 ? ::fdopen(descriptor, "wb") : nullptr;
  if (file == nullptr) {
    ::close(descriptor);
  }
  const bool written = file != nullptr && write_to(file, text) && ::rename(name.c_str(), path.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(name.c_str());
    errno = reason;
  }
  return written;
}

} // namespace

bool write_output(const std::string &path, std::string_view text, std::FILE *stream) {
  if (path.empty()) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
    return written || fail(path);
  }
  const std::string target = resolved(path);
  if (is_regular_or_new(target)) {
    return replace(target, text) || fail(path);
  }
  // A device or a FIFO is written through; replacing it would be a surprise.
  std::FILE *const file = std::fopen(target.c_str(), "wbe");
  return (file != nullptr && write_to(file, text)) || fail(path);
}

} // namespace deepperf::cli
