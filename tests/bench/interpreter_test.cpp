#include "bench/interpreter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace deepperf::bench {
namespace {

// A library that never finishes its import must not hold up a benchmark, and is not the same as one that is missing.
TEST(Interpreter, AnImportThatHangs) {
  const std::string folder = testing::TempDir() + "/hanging_import";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/never_imported.py") << "import time\ntime.sleep(1000)\n";
  ::setenv("PYTHONPATH", folder.c_str(), 1); // NOLINT(concurrency-mt-unsafe): nobody else runs
  Interrupts interrupts;
  Limits limits;
  limits.seconds = 1;
  limits.import_seconds = 2;
  Interpreters interpreters("python3", limits, interrupts);
  if (!interpreters.with({}).problem.empty()) {
    GTEST_SKIP() << "there is no python3";
  }
  EXPECT_NE(interpreters.with({"never_imported"}).problem.find("the import did not finish within 2 s"),
            std::string::npos);
  EXPECT_NE(interpreters.with({"not_there_at_all"}).problem.find("has no not_there_at_all"), std::string::npos);
  ::unsetenv("PYTHONPATH"); // NOLINT(concurrency-mt-unsafe)
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace deepperf::bench
