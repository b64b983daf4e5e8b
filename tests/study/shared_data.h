// The published data of the studies, which is no part of the repository. Tests that need it skip where it is not there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

// The folder with liu/, dlperf/, expected/…: DEEPPERF_STUDY_DATA, or ../shared/data next to the repository.
inline std::string shared_data() {
  std::filesystem::path folder;
  if (const char *named = std::getenv("DEEPPERF_STUDY_DATA"); named != nullptr) { // NOLINT(concurrency-mt-unsafe)
    folder = named;
  } else {
    folder = std::filesystem::path(DEEPPERF_SOURCE_DIR) / ".." / "shared" / "data";
  }
  return std::filesystem::exists(folder / "expected") ? folder.string() : "";
}

#define NEEDS_SHARED_DATA(variable)                                                                                    \
  const std::string variable = shared_data();                                                                          \
  if ((variable).empty()) {                                                                                            \
    GTEST_SKIP() << "the studies' published data is not here; set DEEPPERF_STUDY_DATA to its folder";                  \
  }
