#include "config/file.h"

#include "config/read.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace deepperf::config {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = std::size_t{1000} * 1000; // bytes; nobody writes more by hand

[[noreturn]] void fail(const std::string &path, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}", path, what));
}

std::string error_text(int error) { return std::generic_category().message(error); }

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

// Throws if the file is there and cannot be read.
std::string read_text(const fs::path &path, const std::string &shown) {
  // Opening a FIFO must not wait for somebody who writes to it.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    fail(shown, fmt::format("cannot be read: {}", error_text(errno)));
  }
  const std::unique_ptr<std::FILE, CloseFile> stream(::fdopen(file, "rb"));
  struct stat info {};
  if (stream == nullptr || ::fstat(file, &info) != 0) {
    fail(shown, "cannot be read");
  }
  if (!S_ISREG(info.st_mode)) {
    fail(shown, S_ISDIR(info.st_mode) ? "is a folder, not a configuration file" : "is not a regular file");
  }
  // The size that the system reports is not what a file that grows meanwhile, or one of /proc, has.
  std::string text(kLargest + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0) {
    fail(shown, fmt::format("cannot be read: {}", error_text(errno)));
  }
  if (info.st_size > static_cast<off_t>(kLargest) || text.size() > kLargest) {
    fail(shown, "is larger than 1 MB, which is the limit for a configuration file");
  }
  return text;
}

std::string shown_path(const fs::path &path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path below = error ? path : path.lexically_relative(here);
  return below.empty() || *below.begin() == ".." ? path.string() : below.string();
}

fs::path absolute_path(const std::string &path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) {
    fail(path, error.message());
  }
  return absolute.lexically_normal();
}

bool is_regular(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

} // namespace

std::optional<FoundFile> find_file(const std::string &checked) {
  fs::path folder = absolute_path(checked.empty() ? "." : checked);
  std::error_code error;
  if (!folder.has_filename() || !fs::is_directory(folder, error)) {
    folder = folder.parent_path(); // of a file, or without the slash at its end
  }
  for (;;) {
    if (const fs::path path = folder / "deepperf.toml"; is_regular(path)) {
      const std::string shown = shown_path(path);
      return FoundFile{shown, folder.string(), read_text(path, shown), false};
    }
    if (const fs::path path = folder / "pyproject.toml"; is_regular(path)) {
      const std::string shown = shown_path(path);
      std::string text = read_text(path, shown);
      // Mistakes in a file that does not mention us are not for us to report.
      if (text.find("deepperf") != std::string::npos && has_tool_table(text)) {
        return FoundFile{shown, folder.string(), std::move(text), true};
      }
    }
    if (!folder.has_relative_path()) {
      return std::nullopt;
    }
    folder = folder.parent_path();
  }
}

FoundFile open_file(const std::string &path) {
  const fs::path absolute = absolute_path(path);
  return {path, absolute.parent_path().string(), read_text(path, path), absolute.filename() == "pyproject.toml"};
}

} // namespace deepperf::config
