// From a dump to the posts of a study, in one pass.
#pragma once

#include "base/types.h"
#include "study/counts.h"
#include "study/recipe.h"

#include <atomic>
#include <string>

namespace deepperf::study {

struct SelectOptions {
  std::string dump; // "-" for standard input
  Recipe recipe;
  std::string output;
  bool resume = false;
  bool replace = false; // an output that is there
  u32 jobs = 0;         // 0: one per core
};

struct SelectProgress {
  std::atomic<u64> done = 0;      // bytes of the file
  std::atomic<u64> first = 0;     // what of that an earlier run has done
  std::atomic<u64> total = 0;     // 0: not known
  std::atomic<bool> stop = false; // set by whoever wants it to end; what is done until then is kept
};

struct SelectResult {
  Counts counts;
  u64 stored = 0;
  u64 with_accepted = 0; // stored posts that name an accepted answer
  u64 found_accepted = 0;
  u64 earlier_accepted = 0; // not found, and its number says that it stands before its question
  std::string trouble;      // why reading ended early; empty if it did not
  u64 resumed_at = 0;       // in the dump, unpacked; 0: from the start
  bool stopped = false;
};

// Writes to OUTPUT.partial, and gives it its name when all is done: an output that is there is complete. What is in
// there after an interruption is consistent, and `resume` goes on from there. Throws std::runtime_error.
SelectResult select(const SelectOptions &options, SelectProgress &progress);

} // namespace deepperf::study
