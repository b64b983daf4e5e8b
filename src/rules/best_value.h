// The best value of a metric, and where it decides which model is kept: `if loss < best: best = loss; save()`.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// The number that the best value starts with; infinity where the code says so, NaN if it is not known.
double start_of(const Site &site, const python::Expr *expr);

// What else the name, or attribute of self, is set to: one value, or nothing if there are several.
const python::Expr *set_before(const Site &site, const python::Expr *best, const python::Expr *update);

// Does the branch save a model, or keep a copy of its weights?
bool keeps_model(const Site &site, const python::If &branch);

} // namespace deepperf::rules
