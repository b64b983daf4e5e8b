// What a check has found out, for the next one.
#pragma once

#include "check/restore.h"

namespace deepperf::check {

// Before the result is filtered. Errors of the result up to `failures` are about groups that could not be analyzed.
void keep_results(const Options &options, const Cache &cache, const LoadedFiles &loaded, const Groups &groups,
                  const Result &result, std::size_t failures);

} // namespace deepperf::check
