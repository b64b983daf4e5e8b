// A folder for one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace deepperf::project {

class TempTree {
public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "deepperf_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make the folder " + name);
    }
    root_ = name;
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
    std::ofstream stream(full, std::ios::binary);
    if (!stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) {
      throw std::runtime_error("cannot write " + full.string());
    }
  }
  void folder(std::string_view name) const { std::filesystem::create_directories(path(name)); }
  void link(std::string_view target, std::string_view name) const {
    std::filesystem::create_symlink(std::string(target), path(name));
  }

private:
  std::string root_;
};

} // namespace deepperf::project
