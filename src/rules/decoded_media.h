// Functions that decode images or sound, which is most of the work of a pipeline that has one.
#pragma once

#include "model/project.h"

namespace deepperf::rules {

// The call that decodes an image or sound in a mapped function, or in one that it calls; null if there is none.
const python::Call *decoding_call(const model::Project &project, const model::FunctionInfo &function, u32 depth = 0);

} // namespace deepperf::rules
