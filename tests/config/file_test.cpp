#include "config/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace deepperf::config {
namespace {

namespace fs = std::filesystem;

class ConfigFile : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "deepperf_config_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
    fs::create_directories(root_ / "a/b");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string &name, const std::string &text) { std::ofstream(root_ / name) << text; }
  std::string found(const std::string &checked) {
    const std::optional<FoundFile> file = find_file((root_ / checked).string());
    return file ? fs::path(file->path).lexically_relative(root_).string() : "";
  }

  fs::path root_;
};

TEST_F(ConfigFile, TheNearestOneCounts) {
  write("deepperf.toml", "");
  write("a/b/x.py", "");
  EXPECT_EQ(found("a/b"), "deepperf.toml");
  EXPECT_EQ(found("a/b/"), "deepperf.toml");
  EXPECT_EQ(found("a/b/x.py"), "deepperf.toml");
  write("a/deepperf.toml", "");
  EXPECT_EQ(found("a/b"), "a/deepperf.toml");
  EXPECT_EQ(found("a"), "a/deepperf.toml");
  EXPECT_EQ(found("a/.."), "deepperf.toml");
  EXPECT_EQ(find_file((root_ / "a/b").string())->folder, (root_ / "a").string());
}

TEST_F(ConfigFile, PyprojectCountsIfItHasOurTable) {
  write("deepperf.toml", "");
  write("a/pyproject.toml", "[project]\nname = 'deepperf'\n");
  EXPECT_EQ(found("a"), "deepperf.toml");
  write("a/pyproject.toml", "not TOML, but nothing of ours");
  EXPECT_EQ(found("a"), "deepperf.toml");
  write("a/pyproject.toml", "[tool.deepperf]\n");
  EXPECT_EQ(found("a"), "a/pyproject.toml");
  write("a/deepperf.toml", "");
  EXPECT_EQ(found("a"), "a/deepperf.toml");
}

TEST_F(ConfigFile, OnlyRegularFilesCount) {
  write("deepperf.toml", "");
  fs::create_directory(root_ / "a/deepperf.toml");
  ASSERT_EQ(::mkfifo((root_ / "a/b/deepperf.toml").c_str(), 0600), 0);
  EXPECT_EQ(found("a/b"), "deepperf.toml");
  EXPECT_THROW(open_file((root_ / "a/b/deepperf.toml").string()), std::runtime_error);
  EXPECT_THROW(open_file((root_ / "a/deepperf.toml").string()), std::runtime_error);
  EXPECT_THROW(open_file((root_ / "missing.toml").string()), std::runtime_error);
}

TEST_F(ConfigFile, LargeFilesAreRefused) {
  write("a/deepperf.toml", std::string(1000001, '#'));
  EXPECT_THROW(find_file((root_ / "a").string()), std::runtime_error);
  EXPECT_THROW(open_file("/dev/zero"), std::runtime_error);
  write("a/deepperf.toml", std::string(1000000, '#'));
  EXPECT_EQ(found("a"), "a/deepperf.toml");
}

} // namespace
} // namespace deepperf::config
