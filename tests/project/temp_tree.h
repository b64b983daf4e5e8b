// A folder for one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace deepperf::project {

class TempTree {
public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "deepperf_test_XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  TempTree(const TempTree &) = delete;
  TempTree &operator=(const TempTree &) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::string &root() const { return root_; }
  [[nodiscard]] std::string path(std::string_view name) const { return root_ + '/' + std::string(name); }

  void file(std::string_view name, std::string_view text = "") const {
    const std::filesystem::path full = path(name);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  void folder(std::string_view name) const { std::filesystem::create_directories(path(name)); }
  void link(std::string_view target, std::string_view name) const {
    std::filesystem::create_symlink(std::string(target), path(name));
  }

private:
  std::string root_;
};

} // namespace deepperf::project
