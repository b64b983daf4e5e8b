// Whether Python needs a value that is read from the device for what only the host can do, so that the read cannot be
// put off: sizes of pieces that tensors are split into, places in a structure of Python, whether a step is taken.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What the host needs it for.
struct HostUses {
  bool as_place = false;    // a size, a bound of a slice, an index of something that is no tensor
  bool for_step = false;    // it decides whether an optimizer takes its step
  bool is_returned = false; // by the function
};

// Of what the expression gives, in a function that it stands in, and in those of the project that it is passed to.
HostUses uses_on_host(const model::Project &project, const model::FunctionInfo &function, const python::Node &read);

} // namespace deepperf::rules
