#include "fix/files.h"

#include "base/open_path.h"
#include "base/write_file.h"
#include "python/source.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace deepperf::fix {

std::optional<std::string> read_bytes(const std::string &path) { return read_regular(path, python::Source::kMaxSize); }

std::optional<std::string> reason_to_leave(const std::string &path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_nlink < 2) {
    return std::nullopt; // what cannot be found cannot be written either
  }
  return fmt::format("it has {} hard links, and replacing it would leave the others unchanged",
                     static_cast<unsigned long>(status.st_nlink));
}

std::optional<std::string> replace_file(const std::string &path, std::string_view bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return fmt::format("cannot find: {}", std::generic_category().message(errno));
  }
  return S_ISREG(status.st_mode) ? write_file(path, bytes) : std::optional<std::string>("is not a regular file");
}

} // namespace deepperf::fix
