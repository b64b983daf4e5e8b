// Calls of Keras' fit_generator and its kin as calls of fit, evaluate and predict.
#pragma once

#include "rules/site.h"

#include <optional>

namespace deepperf::rules {

// The same call under the name that Keras 3 has for it, with its arguments under their new names. It is safe if nothing
// but buffer sizes and defaults is dropped. Nothing if an argument has no counterpart that is known.
std::optional<Fix> without_generator_method(const Site &site, const python::Call &call);

} // namespace deepperf::rules
