// A check of all files from the beginning, and how its parts become a Result.
#pragma once

#include "check/cache.h"
#include "check/lint_files.h"

#include <memory>
#include <vector>

namespace deepperf::check {

// What a check works with; who checks again goes on from here.
struct CheckState {
  LoadedFiles loaded;
  std::unique_ptr<Cache> cache; // files may point to what is known in it
  std::vector<LintedGroup> groups;
};

// Asks the cache that the options name, and writes to it.
Result check_all(const Options &options, Progress &progress, CheckState &state);

// Adds what is to be told of each file: its syntax errors, and why it could not be read. Before that, the result has
// only errors that are mistakes of ours.
void note_files(const LoadedFiles &loaded, Result &result);

// Puts everything in its order.
void finish_result(Result &result);

} // namespace deepperf::check
