// What a transform of torchvision is made of.
#pragma once

#include "rules/site.h"

#include <string_view>
#include <vector>

namespace deepperf::rules {

// The steps of a transform in their order, as their calls: those of a Compose, or the one that it is; nothing if some
// of it is not known. Also through names, attributes and parameters.
std::vector<const python::Call *> transform_steps(const Site &site, const python::Expr *transform);

// The name of a step's class in torchvision.transforms; empty if it is of another library.
std::string_view step_name(const Site &site, const python::Call &step);

// The first random step of a transform; null if there is none.
const python::Call *random_step(const Site &site, const python::Expr *transform);

// The same in the function that the call calls, for what this call passes.
const python::Call *random_step_in_call(const Site &site, const model::CallSite &call, const python::Expr *transform);

} // namespace deepperf::rules
