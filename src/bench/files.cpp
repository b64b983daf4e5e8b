#include "bench/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace deepperf::bench {

namespace {

[[noreturn]] void fail(std::string_view doing, const std::string &path, int error) {
  throw std::runtime_error(fmt::format("cannot {} {}: {}", doing, path, std::generic_category().message(error)));
}

} // namespace

std::string read_file(const std::string &path, std::size_t most) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, error.message()));
  }
  if (size > most) {
    throw std::runtime_error(fmt::format("{} is larger than {} bytes", path, most));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file) {
    fail("read", path, errno);
  }
  return text;
}

void write_file(const std::string &path, std::string_view bytes) {
  const std::string beside = fmt::format("{}.{}.new", path, ::getpid());
  std::FILE *const file = std::fopen(beside.c_str(), "wbe");
  if (file == nullptr) {
    fail("write", path, errno);
  }
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    fail("write", path, error);
  }
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  path_ = (base / "deepperf-bench-XXXXXX").string();
  if (error || ::mkdtemp(path_.data()) == nullptr) {
    fail("create a folder in", base.string(), error ? error.value() : errno);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace deepperf::bench
