// Comments that silence nothing, as lines and as JSON.
#pragma once

#include "check/unused_suppressions.h"

#include <string>
#include <vector>

namespace deepperf::report {

void write_unused_suppressions(const check::Result &result, const std::vector<check::UnusedSuppression> &unused,
                               bool with_summary, std::string &out);
void write_unused_suppressions_json(const check::Result &result, const std::vector<check::UnusedSuppression> &unused,
                                    std::string &out);

} // namespace deepperf::report
