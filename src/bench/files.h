// Files as wholes.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::bench {

inline constexpr std::size_t kLargestProgram = std::size_t{4} << 20;

// Both throw std::runtime_error with the reason. A file of more than `most` bytes is refused.
std::string read_file(const std::string &path, std::size_t most);
// All or nothing: written beside the old one, and renamed.
void write_file(const std::string &path, std::string_view bytes);

// A folder that is removed, with all that is in it, at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace deepperf::bench
