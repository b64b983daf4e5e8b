// Phases 1 and 2 of a check: finds files and parses them, on all cores.
#pragma once

#include "base/arena.h"
#include "check/check.h"
#include "model/project.h"

#include <deque>
#include <vector>

namespace deepperf::check {

struct LoadedFile {
  model::ParsedFile parsed;
  std::vector<python::SourceError> load_errors; // not empty: there is no text and no tree
};

// Sorted by path. The arenas hold the texts and the nodes of all trees that are kept.
struct LoadedFiles {
  std::deque<LoadedFile> files;
  std::vector<Arena> arenas;         // one per worker
  std::vector<LocalSymbols> symbols; // the same
  u64 parse_time = 0;                // in nanoseconds, over all workers
  u64 unreadable_folders = 0;        // among `files`, told as errors but no files
};

// Reads and parses again what was not kept; the tree comes to stand in the arena.
void restore(model::ParsedFile &file, Arena &arena, LocalSymbols &symbols);
// Drops a text that was read again.
void forget(model::ParsedFile &file);

void parse_files(const Options &options, Progress &progress, LoadedFiles &result);

} // namespace deepperf::check
