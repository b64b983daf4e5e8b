// Functions that make a batch of items: what is given to a loader as `collate_fn`, or to a trainer as `data_collator`.
// They run once for each batch.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

bool is_collator(const Site &site, const model::FunctionInfo *function);

} // namespace deepperf::rules
