#include "cli/output.h"

#include "base/printable.h"
#include "base/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>

namespace deepperf::cli {

std::string read_all(std::FILE *stream, std::size_t most) {
  std::string text;
  std::array<char, 65536> room; // NOLINT(cppcoreguidelines-pro-type-member-init): fread fills it
  while (text.size() <= most) {
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

bool write_output(const std::string &path, std::string_view text, std::FILE *stream) {
  if (path.empty()) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
    if (!written) {
      complain(fmt::format("cannot write the output: {}", std::generic_category().message(errno)));
    }
    return written;
  }
  std::fflush(stream); // what stands before it, should both be the same
  if (const std::optional<std::string> failure = write_file(path, text)) {
    complain(fmt::format("{}: {}", path, *failure));
    return false;
  }
  return true;
}

bool write_text(std::string_view text) { return write_output("", printable_lines(text), stdout); }

bool write_data(const std::string &path, std::string_view text, std::FILE *stream) {
  const bool on_terminal = path.empty() && ::isatty(::fileno(stream)) != 0;
  return on_terminal ? write_output(path, printable_lines(text), stream) : write_output(path, text, stream);
}

void complain(std::string_view message) {
  const std::string line = fmt::format("deepperf: {}\n", printable(message));
  std::fputs(line.c_str(), stderr);
}

} // namespace deepperf::cli
