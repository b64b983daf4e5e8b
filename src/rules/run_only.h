// Is a model that is handed on only run there, so that nobody gets at its weights?
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Methods and attributes of a model that do not give its weights away: eval(), to(), config.
bool keeps_weights(std::string_view member);

// Does the function of the project that a call passes the model to only run what it gets there, or pass it on to one
// that does?
bool is_run_by_callee(const Site &site, const python::Call &call, const python::Expr &given);

} // namespace deepperf::rules
