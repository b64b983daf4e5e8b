// What rules ask about the device that a tensor is moved to.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Is it a GPU on every machine that has one: `.cuda()`, "cuda", or a device that is made from that?
bool is_surely_gpu(const Site &site, const python::Call &move);

} // namespace deepperf::rules
