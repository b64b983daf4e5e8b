// Phases 2 to 6 of a check: parses files with those they belong to, analyses them and lets the rules judge.
#pragma once

#include "check/find_files.h"

namespace deepperf::check {

void judge_files(const Options &options, Progress &progress, LoadedFiles &loaded, Result &result);

} // namespace deepperf::check
