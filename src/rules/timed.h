// Code whose duration somebody measures: it runs again and again, or for one item at a time, on purpose.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// time.time(), time.perf_counter() and the like
bool is_clock(const Site &site, const python::Expr *expr);

// A clock is read right before the loop, and again right after it.
bool is_timed(const Site &site, const python::Node &loop);

// Each iteration is timed: a clock is read in the loop before the place, and again after it.
bool is_timed_in(const Site &site, const python::Node &loop, const python::Node &place);

} // namespace deepperf::rules
