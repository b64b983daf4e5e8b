// Does a tf.data pipeline have only a few elements, as an example or a test has?
#pragma once

#include "model/project.h"

namespace deepperf::model {

constexpr i64 kFewElements = 32;
constexpr i64 kFewTimes = 3; // that they are repeated

// Does the pipeline before the stage start from a single element, or from a few that are written down?
bool has_few_elements(const Project &project, const Stage &stage);

// take(n) with a small number that is written down.
bool takes_few(const Stage &stage);

} // namespace deepperf::model
