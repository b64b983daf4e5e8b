// Where what is checked belongs, by the working folder and what CI services say about their checkout.
#pragma once

#include "report/location.h"

namespace deepperf::cli {

// The root is GitHub's or GitLab's checkout if the working folder is in it, else the working folder.
report::Location report_location();

} // namespace deepperf::cli
