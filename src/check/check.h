// The `check` command's work, without its output: finds files, parses them on all cores, and gathers what is wrong.
#pragma once

#include "base/types.h"

#include <atomic>
#include <string>
#include <vector>

namespace deepperf::check {

struct Options {
  std::vector<std::string> paths;
  bool respect_ignore = true;
  u32 jobs = 0; // 0: one per core
};

// Something to tell about a place in a file.
struct Problem {
  enum class Level : u8 { Note, SyntaxError, Unreadable };
  Level level = Level::SyntaxError;
  u32 line = 0; // from 1; 0 is the file as a whole
  u32 column = 0;
  u32 end_column = 0; // on the same line, one past the last character
  u32 cell = 0;       // of a notebook, from 1
  std::string message;
  std::string line_text; // for the code frame
};

struct FileProblems {
  std::string path;
  std::vector<Problem> problems;
  u32 suppressed = 0; // how many more there are than `problems` has
};

struct Result {
  std::vector<FileProblems> files; // those with something to tell, sorted by path
  u64 file_count = 0;
  u64 byte_count = 0;
};

// What a progress display may read while run() works.
struct Progress {
  std::atomic<u64> found{0};
  std::atomic<u64> done{0};
};

Result run(const Options &options, Progress &progress);

} // namespace deepperf::check
