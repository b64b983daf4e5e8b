// The `check` command's work, without its output: finds files, parses them on all cores, analyzes them and lets the
// rules judge.
#pragma once

#include "base/types.h"
#include "check/result.h"
#include "project/exclusions.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::check {

struct FilterOptions;

// Where results are kept for the next run of the program. (Who checks several times in one run takes a Workspace.)
struct CacheOptions {
  std::string folder; // empty: nowhere
};

struct Options {
  std::vector<std::string> paths;
  bool respect_ignore = true;
  const project::Exclusions *exclude = nullptr; // what else is left out, if that is respected
  std::string taught = {};                      // what the user has told the engine of names; for the cache's key
  u32 jobs = 0;                                 // 0: one per core
  std::optional<std::string> stdin_text;        // checked too, under the name below
  std::string stdin_name = "<stdin>";
  bool with_tests = true; // off: test code is only parsed, as all that rules say about it are hints
  bool timings = false;   // measure phases and rules; nothing comes from a cache then
  std::optional<std::vector<const rules::RuleInfo *>> rules = {}; // to run; all if not given
  CacheOptions cache = {};
  // What will be filtered out anyway may be left out of the result, if that saves work.
  const FilterOptions *filter = nullptr;
};

// What a progress display may read while run() works.
struct Progress {
  std::atomic<u64> found{0};
  std::atomic<u64> done{0};
};

Result run(const Options &options, Progress &progress);

} // namespace deepperf::check
