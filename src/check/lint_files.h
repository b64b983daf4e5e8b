// Phases 2 to 6 of a check: parses files with those they belong to, analyzes them and lets the rules judge.
#pragma once

#include "check/find_files.h"
#include "model/imports.h"

#include <vector>

namespace deepperf::check {

// Files that were analyzed together, and all that was said about them.
struct LintedGroup {
  std::vector<u32> members; // indexes of files, in ascending order
  rules::Findings findings;
  Hidden hidden;                   // findings that a cache had, which are not wanted
  std::vector<FileError> failures; // mistakes of ours: what could not be judged
};

// Parses a file that was found before. Text and tree come to stand in the arena, or in the file's own memory if files
// stay.
void parse_file(LoadedFile &file, const LoadedFiles &loaded, Arena &arena, Worker &worker);
// The same for several files that stay.
void parse_files(const std::vector<LoadedFile *> &files, LoadedFiles &loaded);

// Adds what it finds: one for each group, in their order. They must come largest first.
void lint_files(const Options &options, Progress &progress, LoadedFiles &loaded,
                const std::vector<model::Group> &groups, std::vector<LintedGroup> &linted, rules::Timings &timings);

} // namespace deepperf::check
