#include "study/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace deepperf::study {

namespace {

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(std::string_view doing, const std::string &path, int error) {
  throw std::runtime_error(fmt::format("cannot {} {}: {}", doing, path, std::generic_category().message(error)));
}

} // namespace

std::string read_file(const std::string &path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    fail("read", path, errno);
  }
  std::string bytes;
  std::array<char, 65536> room; // NOLINT(cppcoreguidelines-pro-type-member-init): fread fills it
  for (;;) {
    errno = 0;
    const std::size_t got = std::fread(room.data(), 1, room.size(), file.get());
    bytes.append(room.data(), got);
    if (got == 0) {
      if (std::ferror(file.get()) != 0) {
        fail("read", path, errno);
      }
      return bytes;
    }
  }
}

void write_file(const std::string &path, std::string_view bytes) {
  const std::string beside = fmt::format("{}.{}.new", path, ::getpid());
  File file(std::fopen(beside.c_str(), "wbe"));
  if (file == nullptr) {
    fail("write", path, errno);
  }
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    fail("write", path, error);
  }
}

} // namespace deepperf::study
