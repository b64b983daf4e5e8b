#include "study/files.h"

#include "base/write_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace deepperf::study {

namespace {

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

constexpr std::size_t kLargest = std::size_t{2} << 30; // a device may never end

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
    if (bytes.size() > kLargest) {
      throw std::runtime_error(fmt::format("{} is larger than 2 GiB", path));
    }
    if (got == 0) {
      if (std::ferror(file.get()) != 0) {
        fail("read", path, errno);
      }
      return bytes;
    }
  }
}

void write_file(const std::string &path, std::string_view bytes) {
  if (const std::optional<std::string> failure = deepperf::write_file(path, bytes)) {
    throw std::runtime_error(fmt::format("{}: {}", path, *failure));
  }
}

} // namespace deepperf::study
