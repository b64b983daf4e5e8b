// A folder that goes away with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace deepperf::study {

class TempFolder : public testing::Test {
protected:
  void SetUp() override {
    const testing::TestInfo *const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("deepperf_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    ASSERT_TRUE(std::filesystem::create_directory(folder_)) << folder_ << " is there already";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string &name) const { return (folder_ / name).string(); }

private:
  std::filesystem::path folder_;
};

} // namespace deepperf::study
