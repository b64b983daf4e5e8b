#include "fix/files.h"

#include <fcntl.h>
#include <sys/stat.h>
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
  if (::fchmod(file.descriptor(), mode) != 0 || !file.write(bytes) || ::fsync(file.descriptor()) != 0 ||
      !file.rename_to(target)) {
    return failure("write");
  }
  return std::nullopt;
}

} // namespace deepperf::fix
