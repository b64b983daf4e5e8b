// What the shapes of a program tell (src/shapes), for the rules DP601 to DP614.
#pragma once

#include "rules/site.h"
#include "shapes/problem.h"

namespace deepperf::rules {

// Reports all faults of that kind in the site's module. The program is run once for all rules and modules.
void report_shape_problems(Site &site, shapes::Fault fault);

} // namespace deepperf::rules
