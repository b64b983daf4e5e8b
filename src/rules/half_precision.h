// What rules ask about code that computes in float16.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Does this call of autocast ask for float16: by name, or as the default for CUDA?
bool is_float16_autocast(const Site &site, const python::Call &call);

// The `with autocast(…)` for float16 that the function around the place runs under, itself or through calls; null if
// none is known.
const python::Call *float16_autocast_around(const Site &site);

} // namespace deepperf::rules
