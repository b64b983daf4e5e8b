// Phases 2 to 6 of a check: parses files with those they belong to, analyses them and lets the rules judge.
#pragma once

#include "check/find_files.h"
#include "model/imports.h"

#include <vector>

namespace deepperf::check {

// Parses a file that was found before. Text and tree come to stand in the arena.
void parse_file(LoadedFile &file, Arena &arena, Worker &worker);

// Adds what it finds to the result's findings, and sorts them.
void judge_files(const Options &options, Progress &progress, LoadedFiles &loaded,
                 const std::vector<model::Group> &groups, Result &result);

} // namespace deepperf::check
