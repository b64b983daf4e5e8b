// Feeds files, or every file of the folders given, to a fuzzing harness without a fuzzer: a crash or a sanitizer's
// complaint fails the test. Every file is also cut short at some places, which is cheap and finds what stops early.
#include "base/types.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const deepperf::u8 *data, std::size_t size);

namespace {

void feed(const std::string &bytes, std::size_t size) {
  // A copy of exactly that size, so that reading past its end is seen.
  const auto copy = std::make_unique<deepperf::u8[]>(size);
  for (std::size_t i = 0; i < size; ++i) {
    copy[i] = static_cast<deepperf::u8>(bytes[i]);
  }
  LLVMFuzzerTestOneInput(copy.get(), size);
}

void replay(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  feed(bytes, bytes.size());
  const std::size_t step = bytes.size() / 64 + 1;
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    feed(bytes, size);
  }
}

int run(int argc, char **argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      replay(argv[i]);
      ++count;
      continue;
    }
    for (const auto &entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) {
        std::printf("%s\n", entry.path().c_str()); // the last line names the file that crashed
        std::fflush(stdout);
        replay(entry.path());
        ++count;
      }
    }
  }
  std::printf("%zu files replayed\n", count);
  return count == 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "replay: %s\n", error.what());
    return 2;
  }
}
