#include "cli/output.h"

#include <array>
#include <cerrno>
#include <cstring>

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
      return text;
    }
    text.append(room.data(), got);
  }
}

bool write_output(const std::string &path, std::string_view text, std::FILE *stream) {
  if (path.empty()) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
    return written || fail(path);
  }
  std::FILE *const file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) {
    return fail(path);
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0 && written) || fail(path);
}

} // namespace deepperf::cli
