// Which commit the program was built from; written by cmake/Commit.cmake.
#pragma once

namespace deepperf::cli {

// Its short name, "+" after it if files were changed; empty if nobody knows, as in an archive without git.
const char *commit();

} // namespace deepperf::cli
